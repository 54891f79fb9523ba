"""Put files of a snapshot back: only what differs, never through a link, and safe to kill at any moment.

The order is decide, journal, stage, journal, place, sync, forget. Up to the second journal a crash changes
nothing in the tree; after it `recover` finishes what was begun. Each path is wholly old or wholly new at every
moment; only a file that turns into a folder, or back, is absent in between. HEAD, index and `.git` are not touched.
The caller holds the capture lock of the workspace and has just taken the snapshot that `kept` looks into.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, Literal

from unlost.facts.records import dataclass, replace
from unlost.facts.trees import Entry
from unlost.git.formats import SHA1, ObjectFormat, format_of
from unlost.host.crash import crash_point
from unlost.host.folders import Folder, folds_case
from unlost.host.ids import NewId, new_id
from unlost.snapshot.elsewhere import sweep_elsewhere
from unlost.snapshot.journal import Journal, drop_journal, pending_journals, read_journal, write_journal
from unlost.snapshot.placing import perform, perform_again
from unlost.snapshot.roots import make_missing_root, open_root, unmake_root
from unlost.snapshot.staging import Stage, discard_stage, stage_files, stage_name, sync_folders
from unlost.snapshot.steps import Decided, decide_steps
from unlost.snapshot.wanted import Contents, Failure, Kept, Placed, RestoreFailed, Step, Wanted

CRASH_POINTS: Final = (
    "restore.made_root",
    "restore.journalled",
    "restore.staged_one",
    "restore.staged",
    "restore.ready",
    "restore.checked",
    "restore.swapped",
    "restore.taken",
    "restore.copied",
    "restore.stepped",
    "restore.placed",
    "restore.synced",
    "restore.cleaned",
)
"""Where a test may kill a restore; `restore.copied` is passed only across file systems."""


@dataclass(frozen=True, kw_only=True)
class Recovered:
    """What became of an interrupted restore.

    `rolled_back`: it had not touched the tree, and will not. `finished`: every step was done or failed by name.
    `root_gone`: the folder it was for is no longer there, so there was nothing to finish.
    """

    root: str
    outcome: Literal["rolled_back", "finished", "root_gone"]
    placed: Placed


def nothing_kept(_path: bytes) -> Entry | None:
    """For a folder that no snapshot was taken of: whatever is there stays."""
    return None


def restore(
    contents: Contents,
    wanted: Iterable[Wanted],
    *,
    root: str,
    journals: str,
    kept: Kept = nothing_kept,
    new_id: NewId = new_id,
) -> Placed:
    """Make every wanted path as it should be; a missing root is made again, without `.git`.

    `journals` is an existing folder of unlost's own, one per workspace. Raises RestoreFailed when it cannot
    begin (no such folder, disk full): nothing was changed then. What fails later is in `failed`, the rest is done.
    """
    made = make_missing_root(root)
    try:
        with open_root(root) as folder:
            status = folder.own_status()
            journal = Journal(
                identifier=new_id("r"), root=root, root_identity=(status.st_dev, status.st_ino), phase="staging"
            )
            missing, decided = _decide_and_stage(contents, tuple(wanted), folder, kept, journals, journal)
            reasons = _place_all(folder, journals, replace(journal, phase="placing", steps=decided.steps))
    except RestoreFailed:
        unmake_root(made)
        raise
    return _placed(decided.steps, reasons, already=decided.already, failed=(*missing, *decided.failed))


def recover(contents: Contents, *, journals: str) -> tuple[Recovered, ...]:
    """Settle every restore that was interrupted, also of a root elsewhere; harmless, and cheap, when there is none.

    The caller holds the capture lock: a journal whose restore still runs must not be settled by another. Steps whose
    path was changed since are left alone and named. Raises JournalDamaged.
    """
    sweep_elsewhere(journals)
    recovered = [_recover_one(contents, journals, read_journal(journals, each)) for each in pending_journals(journals)]
    return tuple(recovered)


def _decide_and_stage(
    contents: Contents, wishes: tuple[Wanted, ...], folder: Folder, kept: Kept, journals: str, journal: Journal
) -> tuple[tuple[Failure, ...], Decided]:
    """(wishes whose content is not in the store, steps whose files are staged)."""
    missing: list[Failure] = []
    naming = _naming(wishes, kept)
    folds = folds_case(journal.root)
    while True:
        decided = decide_steps(folder, wishes, kept=kept, naming=naming, folds=folds)
        lacking = stage_files(contents, decided.steps, folder, journals, journal) if decided.steps else frozenset()
        if not lacking:
            return tuple(missing), decided
        # Decided anew without them: nothing may make room for a file that cannot be placed.
        missing.extend(Failure(path=path, reason="missing_object") for path in sorted(lacking))
        wishes = tuple(wish for wish in wishes if wish.path not in lacking)


def _place_all(folder: Folder, journals: str, journal: Journal) -> dict[bytes, str]:
    """Do every step; why some were not done, by path."""
    if not journal.steps:
        return {}
    reasons: dict[bytes, str] = {}
    write_journal(journals, journal)
    crash_point("restore.ready")
    with Stage.make(folder, journal.identifier) as stage:
        for number, step in enumerate(journal.steps):
            reason = perform(folder, stage, number, step)
            if reason is not None:
                reasons[step.path] = reason
            crash_point("restore.stepped")
    _close_up(folder, journals, journal)
    return reasons


def _recover_one(contents: Contents, journals: str, journal: Journal) -> Recovered:
    try:
        folder = open_root(journal.root)
    except RestoreFailed:
        return _abandon(journals, journal)
    with folder:
        status = folder.own_status()
        if (status.st_dev, status.st_ino) != journal.root_identity:
            return _abandon(journals, journal)
        if journal.phase == "staging":
            _close_up(folder, journals, journal)
            return Recovered(root=journal.root, outcome="rolled_back", placed=_placed((), {}))
        reasons: dict[bytes, str] = {}
        with Stage.make(folder, journal.identifier) as stage:
            for number, step in enumerate(journal.steps):
                reason = perform_again(folder, stage, number, step, contents)
                if reason is not None:
                    reasons[step.path] = reason
        _close_up(folder, journals, journal)
    return Recovered(root=journal.root, outcome="finished", placed=_placed(journal.steps, reasons))


def _abandon(journals: str, journal: Journal) -> Recovered:
    """The folder is gone or is another one: what waits in this journal must not happen to it."""
    drop_journal(journals, journal.identifier)
    reasons = {step.path: "root_gone" for step in journal.steps}
    return Recovered(root=journal.root, outcome="root_gone", placed=_placed(journal.steps, reasons))


def _close_up(folder: Folder, journals: str, journal: Journal) -> None:
    """Every step was tried: make it durable, then forget stage and journal, in this order."""
    crash_point("restore.placed")
    sync_folders(folder, {step.path.rpartition(b"/")[0] for step in journal.steps})
    crash_point("restore.synced")
    discard_stage(folder, stage_name(journal.identifier))
    crash_point("restore.cleaned")
    drop_journal(journals, journal.identifier)


def _placed(
    steps: tuple[Step, ...],
    reasons: Mapping[bytes, str],
    *,
    already: tuple[bytes, ...] = (),
    failed: tuple[Failure, ...] = (),
) -> Placed:
    asked = [step.path for step in steps if not step.displaced]
    late = (Failure(path=path, reason=reasons[path]) for path in asked if path in reasons)
    return Placed(
        restored=tuple(sorted(path for path in asked if path not in reasons)),
        already=already,
        failed=tuple(sorted((*failed, *late), key=lambda failure: failure.path)),
        displaced=tuple(sorted(step.path for step in steps if step.displaced and step.path not in reasons)),
    )


def _naming(wishes: tuple[Wanted, ...], kept: Kept) -> ObjectFormat:
    """The store's object format, as any id of it shows."""
    for wish in wishes:
        entry = wish.entry or kept(wish.path)
        if entry is not None:
            return format_of(entry.oid)
    return SHA1
