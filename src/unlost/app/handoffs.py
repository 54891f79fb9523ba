"""Handoffs in any repository, without a plan: verify, compile, restore, resume."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Final, Self

from unlost.app.open_workspace import OpenWorkspace
from unlost.app.opening import find_work_tree
from unlost.facts.errors import UnlostBug, UnlostError
from unlost.facts.quoting import path_text
from unlost.facts.records import dataclass
from unlost.facts.trees import Entry
from unlost.git.repository import Repository, discover
from unlost.handoff.derive import Ended
from unlost.handoff.facts import Handoff
from unlost.handoff.forensics import Forensics
from unlost.handoff.gate import gate_warning, held_back_lines
from unlost.handoff.origin import Origin, handoff_of
from unlost.handoff.own_snapshots import OwnSnapshots
from unlost.handoff.places import Store
from unlost.handoff.report import LossReport
from unlost.handoff.restore import Brought, Restoration, RestorePlan, plan_restore
from unlost.handoff.resume_prompt import compile_resume_prompt
from unlost.handoff.schema import handoff_from_json, load_handoff
from unlost.handoff.tree import WorkTree
from unlost.handoff.verify import verify
from unlost.host.clock import Clock, SystemClock
from unlost.host.ids import new_id
from unlost.host.locks import FileLock
from unlost.plain.events import Word, WordGiven, word_body
from unlost.prompt.notes import DONE_BY_COMMIT
from unlost.settings import Settings, read_settings
from unlost.snapshot.archive import Archive
from unlost.snapshot.facts import Limits, Snapshot
from unlost.snapshot.identity import find
from unlost.snapshot.registry import Identity, journal_folder, store_folder
from unlost.snapshot.restore import restore
from unlost.snapshot.wanted import Wanted
from unlost.snapshot.whereabouts import workspace_folder
from unlost.snapshot.wishes import kept_in
from unlost.traces.inspection import Inspection

KEPT_LABEL: Final = "before a handoff's restore"
_LOCK_PATIENCE: Final = 60.0


@dataclass(frozen=True, kw_only=True)
class Resumption:
    """The end of a resume: the report it rests on, and either the prompt or the warning that gates it."""

    report: LossReport
    brought: Brought
    prompt: str | None
    warning: str | None

    @property
    def exit_code(self) -> int:
        """0 with a prompt, 3 when a person has to act first."""
        return 0 if self.prompt is not None else 3


class Handoffs:
    """Verifies and resumes handoffs in one repository; close it when done.

    Reading registers nothing. Only a restore does, because the present is kept first. An `archive` that is handed in
    stays open.
    """

    def __init__(
        self, repository: Repository, settings: Settings, clock: Clock, *, archive: Archive | None = None
    ) -> None:
        self._repository = repository
        self._settings = settings
        self._clock = clock
        self._archive = archive
        self._is_lent = archive is not None
        identity = None if self._is_lent else find(settings.home, repository.root)
        if identity is not None:
            self._archive = self._open(identity)

    @classmethod
    def open(cls, target: str, settings: Settings, *, clock: Clock | None = None) -> Self:
        """The handoffs of the repository that holds a folder, or of a workspace by its id. Raises NotARepository."""
        known = find(settings.home, target)
        return cls(discover(target if known is None else known.root), settings, clock or SystemClock())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of processes."""
        if self._archive is not None and not self._is_lent:
            self._archive.close()

    def verify(self, handoff: Handoff) -> LossReport:
        """What became of a handoff's work. Changes nothing. Raises HandoffInvalid, UnlostError."""
        with self._looking(handoff) as (tree, stores):
            return verify(handoff, tree, stores)

    def of_attempt(self, left: bytes | None, ended: Ended, *, opening: str, closing: str) -> Origin:
        """The handoff of an attempt in this workspace: the file it left, else derived from two captured trees."""
        if self._archive is None:
            raise UnlostBug("an attempt's handoff is asked for where nothing was ever captured")
        return handoff_of(left, ended, self._archive.changes(opening, closing), self._archive.content)

    def prompt(self, handoff: Handoff, *, done: str | None = DONE_BY_COMMIT) -> tuple[LossReport, str]:
        """The report and the resume prompt made of it, ungated."""
        report = self.verify(handoff)
        return report, compile_resume_prompt(handoff, report, done=done)

    def resume(self, handoff: Handoff, *, bring_back: bool, done: str = DONE_BY_COMMIT) -> Resumption:
        """Verify, gate, restore when asked to, verify again, compile from that same report (H.26, H.27, H.30).

        What could not be brought back whole gates again: the prompt is None and a warning says so. `done` is the
        definition of done (decision 2).
        """
        report = self.verify(handoff)
        warning = gate_warning(report)
        brought = Brought()
        if warning is not None and bring_back:
            brought = self.bring_back(handoff, report)
            report = self.verify(handoff)
            warning = gate_warning(report)
        if warning is not None:
            return Resumption(report=report, brought=brought, prompt=None, warning=warning)
        prompt = compile_resume_prompt(handoff, report, done=done)
        return Resumption(report=report, brought=brought, prompt=prompt, warning=None)

    def preview(self, handoff: Handoff) -> tuple[LossReport, RestorePlan]:
        """What `--restore` would put back and hold back now. Changes nothing."""
        with self._looking(handoff) as (tree, stores):
            report = verify(handoff, tree, stores)
            return report, plan_restore(handoff, report, tree, stores)

    def bring_back(self, handoff: Handoff, report: LossReport) -> Brought:
        """Keep the present, then put back what the plan says, path by path. No stash is popped, applied or dropped."""
        with self._looking(handoff) as (tree, stores):
            plan = plan_restore(handoff, report, tree, stores)
        told = held_back_lines(plan.held_back)
        if not plan.restorations:
            return Brought(told=told)
        identity = find_work_tree(self._repository.root, self._settings, self._clock, new=True).identity
        if identity is None:
            raise UnlostBug("a work tree that was to be registered has no identity")
        if self._archive is None:
            self._archive = self._open(identity)
        kept = self._archive.capture(kind="kept", label=KEPT_LABEL)
        contents = _Planned(plan, self._repository)
        with _held(FileLock(self._archive.layout.capture_lock)):
            placed = restore(
                contents,
                contents.wishes(),
                root=self._repository.root,
                journals=journal_folder(self._settings.home, identity.workspace),
                kept=kept_in(self._archive.entry, kept),
            )
        if placed.restored and not self._is_lent:
            self._put_on_record({wish.path: wish.entry for wish in contents.wishes()}, placed.restored, kept)
        failed = tuple(f"not restored: {path_text(each.path)}: {each.reason}" for each in placed.failed)
        return Brought(restored=placed.restored, told=(*told, *failed), kept=kept.id)

    def _put_on_record(self, wanted: Mapping[bytes, Entry | None], restored: Sequence[bytes], kept: Snapshot) -> None:
        """Record the restore as `unlost restore` does, so that `unlost undo` takes it back. A unit says its own."""
        with OpenWorkspace.open(self._repository.root, self._settings) as workspace:
            boundaries = workspace.place.boundaries
            # What was put back must be in the store for `redo`.
            boundaries.archive.capture(kind="autosave")
            word = Word(
                entries={path: wanted[path] for path in restored},
                before={path: boundaries.trees.held(kept, path) for path in restored},
            )
            given = WordGiven(kind="restored", paths=len(restored), kept=kept.id, source=None, of=None)
            boundaries.record.say(given, word_body(word), key=new_id("r"))

    @contextmanager
    def _looking(self, handoff: Handoff) -> Iterator[tuple[WorkTree, Sequence[Store]]]:
        scratch = os.path.join(self._settings.home, "scratch")
        os.makedirs(scratch, mode=0o700, exist_ok=True)
        with Inspection(self._repository, scratch=scratch) as inspection:
            own = [OwnSnapshots(self._archive)] if self._archive is not None else []
            yield WorkTree(inspection), [*own, Forensics(inspection, base_commit=handoff.base_commit)]

    def _open(self, identity: Identity) -> Archive:
        snapshot = self._settings.snapshot
        return Archive(
            store_folder=store_folder(self._settings.home, identity),
            workspace_folder=workspace_folder(self._settings.home, identity.workspace),
            workspace=identity.workspace,
            root=self._repository.root,
            clock=self._clock,
            limits=Limits(
                max_file=snapshot.max_file,
                max_store=snapshot.max_store,
                include_ignored=snapshot.include_ignored,
                exclude_ignored=snapshot.exclude_ignored,
            ),
        )


class _Planned:
    """The planned contents under the ids that a git store would give them."""

    def __init__(self, plan: RestorePlan, repository: Repository) -> None:
        self._plan = plan
        self._ids = {each.path: repository.object_format.name_of(b"blob", each.content) for each in plan.restorations}
        self._by_id: Mapping[str, Restoration] = {self._ids[each.path]: each for each in plan.restorations}

    def wishes(self) -> tuple[Wanted, ...]:
        """Each path as it should be."""
        return tuple(
            Wanted(path=each.path, entry=Entry(each.mode, self._ids[each.path])) for each in self._plan.restorations
        )

    def content(self, oid: str) -> bytes:
        """The content of this id. Raises UnlostError for any other."""
        if oid not in self._by_id:
            raise UnlostError(f"the object {oid[:12]} is not part of this restore")
        return self._by_id[oid].content


@contextmanager
def _held(lock: FileLock) -> Iterator[None]:
    lock.acquire(_LOCK_PATIENCE)
    try:
        yield
    finally:
        lock.release()


def verify_handoff(
    root: str | os.PathLike[str],
    handoff: Handoff | Mapping[str, object] | str | bytes,
    *,
    settings: Settings | None = None,
) -> LossReport:
    """What became of a handoff's work in the repository that holds `root`: the library's door.

    `handoff` is a handoff, the object of a handoff file, or its text. Changes nothing. Raises ValueError
    (HandoffInvalid) for a handoff that is refused, NotARepository, UnlostError.
    """
    if isinstance(handoff, Handoff):
        loaded = handoff
    elif isinstance(handoff, Mapping):
        loaded = handoff_from_json(handoff)
    else:
        loaded = load_handoff(handoff)
    with Handoffs.open(os.fspath(root), settings or read_settings()) as handoffs:
        return handoffs.verify(loaded)
