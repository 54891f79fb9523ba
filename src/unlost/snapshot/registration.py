"""Open what the last capture left, or begin anew; damaged caches are thrown away and made again."""

from __future__ import annotations

import contextlib
import os
from typing import Final

from unlost.facts.errors import NotARepository
from unlost.git.call import GitFailed
from unlost.git.formats import object_format
from unlost.git.reader import ObjectMissing
from unlost.git.refs import list_refs, read_ref
from unlost.git.repository import Repository, open_repository
from unlost.git.trees import walk
from unlost.host.crash import crash_point
from unlost.host.locks import FileLock
from unlost.host.reading import read_regular
from unlost.snapshot.begun import Begun
from unlost.snapshot.facts import CaptureFailed, SnapshotUnreadable
from unlost.snapshot.heads import adopt_head, bring_in_head
from unlost.snapshot.layout import Layout
from unlost.snapshot.partial import Brought
from unlost.snapshot.recording import newest_sequence
from unlost.snapshot.records import record_from_json, surroundings_from_message, tree_and_message
from unlost.snapshot.rules import NO_RULES, read_rules
from unlost.snapshot.session import Session, Workplace, store_format
from unlost.snapshot.setup import make_stores, place_baseline, start_index, writer_for
from unlost.snapshot.state import Last, State, load_state

_SMALL: Final = 256


def open_session(place: Workplace, lock: FileLock, begun: Begun | None = None) -> tuple[Session, State, bool]:
    """(session, state, whether this is a first capture); makes the stores when there is no sound state.

    What was `begun` is given up where it does not hold. Raises NotARepository when nothing was captured yet and there
    is no repository to begin with.
    """
    repository = _repository_or_none(place.root)
    state = begun.state if begun is not None else load_state(place.layout.state)
    if state is not None and _is_sound(place.layout, state):
        return Session(place, object_format(state.format), repository, lock), state, False
    if begun is not None:
        begun.give_up_status()
    if not place.depth:
        place.progress("reading the repository for the first time")
    session = Session(place, repository.object_format if repository else store_format(place.layout), repository, lock)
    try:
        return session, _register(session), True
    except BaseException:
        session.close()
        raise


def reset(layout: Layout) -> None:
    """Throw the workspace's caches away; snapshots and their numbers stay in the store."""
    files = [layout.state, layout.folders, layout.trees, f"{layout.trees}.index"]
    with contextlib.suppress(FileNotFoundError):
        files += [os.path.join(layout.git_dir, name) for name in os.listdir(layout.git_dir)]
    for path in files:
        if os.path.lexists(path) and not os.path.isdir(path):
            os.unlink(path)


def _register(session: Session) -> State:
    """Make the stores, bring in HEAD, and begin the private index with it."""
    layout, repository = session.layout, session.repository
    last = _newest(session)
    if repository is None and last is None:
        raise NotARepository("the .git of this work tree is gone, and unlost has not captured it before")
    rules = read_rules(repository) if repository else NO_RULES
    make_stores(layout, repository, session.format, rules, session.lock)
    crash_point("capture.stores_made")
    brought = _begin_with(session, last)
    tree = brought.tree
    session.trees.fill(session.store, tree)
    writer = writer_for(layout, session.format, pack=False, durable=False)
    writer.write_tree(b"")
    baseline = place_baseline(layout, session.store, writer, tree)
    start_index(layout, session.work, baseline)
    crash_point("capture.index_started")
    state = State(
        format=session.format.name,
        head=None,
        head_tree=session.format.empty_tree,
        baseline=baseline,
        baseline_tree=tree,
        tree=tree,
        files=sum(1 for _ in walk(session.trees, tree)),
        base=tree,
        is_sparse=rules.sparse,
        rule_stamps=dict(rules.stamps),
        sequence=newest_sequence(session),
        last=last,
    )
    adopt_head(session, state, brought)
    return state


def _begin_with(session: Session, last: Last | None) -> Brought:
    """HEAD and the tree to begin with: what the repository names, or what the newest snapshot was measured against."""
    if session.repository is not None:
        try:
            return bring_in_head(session, session.repository, known=None)
        except GitFailed as error:
            if error.disk_is_full:
                raise
            # The user's repository lacks objects. Each capture asks again, and lists it as incomplete.
    if last is None:
        return Brought(head=None, tree=session.format.empty_tree)
    record = record_from_json(last.message)
    message = tree_and_message(session.objects.read(record.surroundings).data)[1]
    return Brought(head=surroundings_from_message(message).head, tree=record.base)


def _newest(session: Session) -> Last | None:
    """The newest snapshot that can be read."""
    refs = list_refs(session.layout.store, session.layout.snapshots())
    for name in sorted(refs, key=lambda name: int(name.rpartition("/")[2]), reverse=True):
        try:
            tree, message = tree_and_message(session.objects.read(refs[name]).data)
        except (ObjectMissing, SnapshotUnreadable):
            continue
        return Last(refs[name], tree, message)
    return None


def _is_sound(layout: Layout, state: State) -> bool:
    """Whether the store and the private index are those that the state speaks of."""
    if read_ref(layout.store, layout.baseline()) != state.baseline:
        return False
    if not os.path.exists(os.path.join(layout.git_dir, "index")):
        return False
    head = read_regular(os.path.join(layout.git_dir, "HEAD"), _SMALL) or b""
    return head.decode("ascii", "replace").strip() == state.baseline


def _repository_or_none(root: str) -> Repository | None:
    """The repository of a work tree; None when its `.git` is gone or broken."""
    if not os.path.isdir(root):
        raise CaptureFailed("the work tree is gone", hint="unlost restore brings it back")
    try:
        return open_repository(root)
    except NotARepository:
        return None
