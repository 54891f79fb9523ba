"""Capture a work tree: look, read, judge, record; under the capture lock, and healing its own caches.

Every step completes or raises, and nothing is recorded before the refs are made. What a killed capture leaves behind
is objects that nobody names, and caches that the next one either trusts with reason or makes anew.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Sequence
from typing import Final

from unlost.facts.records import replace
from unlost.facts.trees import Change
from unlost.git.call import GitFailed
from unlost.git.objects import ObjectWriter
from unlost.git.parse import UnexpectedAnswer
from unlost.git.reader import ObjectMissing
from unlost.git.repository import folders_within
from unlost.host.conversation import ConversationEnded
from unlost.host.crash import crash_point
from unlost.host.locks import FileLock
from unlost.host.reading import Reader
from unlost.host.stamps import file_clock, stamp_at
from unlost.snapshot.baseline import move_baseline
from unlost.snapshot.begun import Begun
from unlost.snapshot.budget import keep_within_budget
from unlost.snapshot.conversions import prove, stored_sha256
from unlost.snapshot.facts import CaptureFailed, Snapshot, Surroundings
from unlost.snapshot.folders import FolderWalk, Found, recall
from unlost.snapshot.heads import doubts_about, follow_head
from unlost.snapshot.looking import Looked, ignored_although_tracked, look
from unlost.snapshot.nested import capture_nested
from unlost.snapshot.recording import Purpose, Recorder
from unlost.snapshot.registration import open_session, reset
from unlost.snapshot.rules import apply_rules, read_rules, rules_stand, write_git_home
from unlost.snapshot.session import Session, Workplace
from unlost.snapshot.setup import writer_for
from unlost.snapshot.state import Conversion, State, save_state
from unlost.snapshot.surroundings import NOWHERE, read_surroundings
from unlost.snapshot.survey import Survey

PACK_FROM: Final = 24
"""This many files to read go into one pack; fewer are cheaper as loose objects."""
_FULL: Final = "the disk is full; nothing was captured, and every earlier snapshot is whole"
# Errors that damaged caches can cause; a first capture heals them.
_CURABLE: Final = (GitFailed, ObjectMissing, UnexpectedAnswer, ConversationEnded)


def capture(place: Workplace, purpose: Purpose, begun: Begun | None = None) -> Snapshot:
    """Take a snapshot, or return the newest one when nothing differs from it.

    Goes on with what was `begun` here, which holds the capture lock; else waits for it. Raises CaptureFailed and
    NotARepository; then nothing was recorded.
    """
    try:
        if begun is not None:
            with begun:
                return _capture_or_heal(place, purpose, begun.lock, begun)
        os.makedirs(place.layout.workspace_folder, mode=0o700, exist_ok=True)
        with FileLock(place.layout.capture_lock) as lock:
            return _capture_or_heal(place, purpose, lock, None)
    except OSError as error:
        raise CaptureFailed(
            f"the work could not be captured: {error.strerror}; every earlier snapshot is whole",
            hint="unlost doctor" if error.errno != errno.ENOSPC else "free some disk space, or unlost gc",
        ) from error


def _capture_or_heal(place: Workplace, purpose: Purpose, lock: FileLock, begun: Begun | None) -> Snapshot:
    try:
        return _capture(place, purpose, lock, begun)
    except _CURABLE as error:
        if isinstance(error, GitFailed) and error.disk_is_full:
            raise CaptureFailed(_FULL, hint="free some disk space, or unlost gc") from error
    if begun is not None:
        begun.give_up_status()
    place.progress("reading the repository anew")
    reset(place.layout)
    try:
        return _capture(place, purpose, lock, None)
    except _CURABLE as error:
        raise CaptureFailed(f"the work could not be captured: {error}; every earlier snapshot is whole") from error


def _capture(place: Workplace, purpose: Purpose, lock: FileLock, begun: Begun | None) -> Snapshot:
    session, state, is_first = open_session(place, lock, begun)
    with session, Reader(place.root) as files:
        return _Capture(session, state, files, purpose, begun, is_first=is_first).run()


class _Capture:
    """One capture, all of it or what is left of one that was begun."""

    def __init__(
        self,
        session: Session,
        state: State,
        files: Reader,
        purpose: Purpose,
        begun: Begun | None,
        *,
        is_first: bool,
    ) -> None:
        self._session = session
        self._state = state
        self._files = files
        self._purpose = purpose
        self._head_moved = is_first
        self._begun = begun
        self._now = file_clock() if begun is None else begun.now
        self._survey = Survey(files=files, trees=session.trees, state=state, limits=session.place.limits, now=self._now)

    def run(self) -> Snapshot:
        """Look, read, judge, record."""
        surroundings, moved = self._follow()
        looked = look(
            self._session.work,
            self._session.layout,
            self._state,
            self._session.repository,
            status=None if self._begun is None else self._begun.take_status(),
        )
        found = self._sort(looked)
        keep_within_budget(self._session.layout, self._survey, self._session.place.limits)
        many = len(self._survey.fresh) >= PACK_FROM
        writer = writer_for(
            self._session.layout,
            self._session.format,
            pack=many or self._purpose.durable,
            durable=self._purpose.durable,
        )
        # What was just committed came with HEAD; what was taken before is read again when its stamp proves nothing.
        writer.expect(change.after.oid for change in moved if change.after is not None)
        if self._survey.fresh:
            writer.expect(taken.oid for taken in self._state.delta.values() if taken is not None)
        try:
            snapshot = self._record(writer, surroundings, moved, {*found.nested, *looked.nested})
        finally:
            writer.abandon()
        try:
            self._keep_caches(looked)
        except (*_CURABLE, OSError):
            # The snapshot stands. What only makes the next one cheap is made anew by it.
            reset(self._session.layout)
        return replace(snapshot, written=writer.written)

    def _keep_caches(self, looked: Looked) -> None:
        move_baseline(self._session, self._state, looked.tracked, head_moved=self._head_moved)
        self._session.trees.flush()
        crash_point("capture.trees_flushed")
        if self._state.dirty:
            save_state(self._session.layout.state, self._state)

    def _follow(self) -> tuple[Surroundings, tuple[Change, ...]]:
        """Bring ignore rules, text rules and HEAD up to date with the user's repository."""
        session, state, repository = self._session, self._state, self._session.repository
        if repository is None:
            return NOWHERE, ()
        if not rules_stand(state.rule_stamps, repository):
            if self._begun is not None:
                self._begun.give_up_status()
            rules = read_rules(repository)
            # The work tree may have moved, and with it what fetch must trust.
            write_git_home(session.layout, repository)
            apply_rules(session.layout, session.format, rules)
            # The sparse bits follow the user's index, which therefore has to be asked again.
            state.index_stamp = None if rules.sparse != state.is_sparse else state.index_stamp
            state.rule_stamps, state.is_sparse, state.dirty = dict(rules.stamps), rules.sparse, True
        surroundings = read_surroundings(repository)
        try:
            surroundings, moved = follow_head(session, state, surroundings)
        except GitFailed as error:
            if error.disk_is_full:
                raise
            self._survey.miss(b".git", "missing_object")
            return surroundings, ()
        self._head_moved = self._head_moved or bool(moved)
        return surroundings, moved

    def _sort(self, looked: Looked) -> Found:
        """Split every candidate into known and fresh, and find the ignored files and nested repositories."""
        survey, state = self._survey, self._state
        survey.sort_unreadable(looked.unreadable)
        survey.sort_tracked(path for path in looked.tracked if path not in state.links)
        survey.sort_untracked(self._outside_git(looked.untracked))
        survey.sort_untracked(looked.forced)
        found = self._find_ignored(looked)
        survey.sort_ignored(self._outside_git(found.ignored))
        if found.full:
            survey.miss(b".", "budget")
        return found

    def _outside_git(self, paths: Sequence[bytes]) -> Sequence[bytes]:
        """The paths that are none of the repository's own state: `.git` may lead to another folder of the work tree."""
        repository = self._session.repository
        own = folders_within(repository) if repository is not None else ()
        return [path for path in paths if not path.startswith(own)] if own else paths

    def _find_ignored(self, looked: Looked) -> Found:
        session, state = self._session, self._state
        seal = stamp_at(os.path.join(session.layout.git_dir, "index"))
        found = recall(state.seen, seal, self._files)
        if found is not None:
            return found
        untracked = frozenset(looked.untracked)
        walk = FolderWalk(
            session.place.root,
            self._files,
            session.trees,
            state.baseline_tree,
            most=session.place.limits.precious_count,
            now=self._now,
        )
        found = walk.walk(
            session.layout.folders,
            untracked,
            stamp_at(session.layout.excludes),
            lambda: ignored_although_tracked(session.work, session.layout),
        )
        state.seen, state.dirty = walk.remember(found, seal, untracked), True
        return found

    def _record(
        self, writer: ObjectWriter, surroundings: Surroundings, moved: tuple[Change, ...], nested: Iterable[bytes]
    ) -> Snapshot:
        session, state, survey = self._session, self._state, self._survey
        survey.take(writer)
        state.written += writer.written
        proved = capture_nested(session, state, survey, nested, self._capture_nested)
        survey.doubts += doubts_about(moved, session, survey)
        proved |= self._prove()
        recorder = Recorder(session, state, survey, writer)
        return recorder.record(self._purpose, surroundings, proved, head_moved=self._head_moved)

    def _prove(self) -> dict[bytes, Conversion]:
        """Ask which doubtful files are only conversions."""
        if not self._survey.doubts:
            return {}
        session = self._session
        digest = stored_sha256(session.objects) if self._state.lfs else None
        return prove(self._survey.doubts, judge=session.judge, store=session.objects, digest=digest)

    def _capture_nested(self, place: Workplace) -> Snapshot:
        return capture(place, Purpose(kind="autosave", label="", durable=self._purpose.durable, content_only=True))
