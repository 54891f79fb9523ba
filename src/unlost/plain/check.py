"""`check`: re-prove every open claim against the tree as it is now, and tell it as `unlost.check/1`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from unlost.facts.errors import UsageError, WorkLost
from unlost.facts.quoting import path_json
from unlost.facts.records import dataclass
from unlost.facts.words import WorkspaceState
from unlost.host.doors import open_door
from unlost.plain import report
from unlost.plain.boundaries import Boundaries
from unlost.plain.facts import Proven
from unlost.plain.looking import Looking
from unlost.plain.report import Document
from unlost.snapshot.facts import Snapshot

TELLERS: Final[Mapping[str, str]] = {"losses": "unlost.plain.losses", "beside": "unlost.plain.beside"}
"""What tells losses, and what is told beside the claims; a mark tells neither."""

SCHEMA: Final = "unlost.check/1"
_EXIT_CODES: Final = {"ok": 0, "incomplete": 1, "loss": WorkLost.exit_code, "no_boundary": UsageError.exit_code}


@dataclass(frozen=True, kw_only=True)
class Checked:
    """A verdict as scripts read it; `proven` is None when there was no boundary."""

    document: Document
    proven: Proven | None

    @property
    def exit_code(self) -> int:
        """0, or what the verdict ends a command with."""
        return _EXIT_CODES[self.document["verdict"]]

    def to_json(self) -> Document:
        """`unlost.check/1`."""
        return self.document


def check(
    boundaries: Boundaries, snapshot: Snapshot | None, *, state: WorkspaceState, until: int | None = None
) -> Checked:
    """Prove a snapshot of the present (None: the root is gone) against a boundary, by default the newest."""
    with boundaries.looking() as looking:
        proven = boundaries.prove(snapshot, looking, until=until)
        if not proven.has_boundary:
            return no_boundary(boundaries.record.workspace, boundaries.archive.root, state)
        return Checked(document=_document(boundaries, proven, looking, state), proven=proven)


def no_boundary(workspace: str | None, root: str, state: WorkspaceState) -> Checked:
    """The answer where nothing was ever marked: nothing is known, so nothing is proved."""
    lists = (
        "lost warnings moved elsewhere superseded reformatted extended unproved changed added passing survivors "
        "stashed conflicting lost_commits lost_stashes rewritten_commits applied_stashes remote_rewound incomplete"
    )
    return Checked(
        document={
            "schema": SCHEMA,
            "workspace": workspace,
            "root": report.root_text(root),
            "since": None,
            "verdict": "no_boundary",
            "workspace_state": state,
            "standing": 0,
            "head": report.head_json(None, None, None),
            **{name: [] for name in lists.split()},
        },
        proven=None,
    )


def _document(boundaries: Boundaries, proven: Proven, looking: Looking, state: WorkspaceState) -> Document:
    verdict, last, trees = proven.verdict, proven.claims.last, boundaries.trees
    assert last is not None
    committed = verdict.committed
    beside = open_door(TELLERS, "beside")
    teller = open_door(TELLERS, "losses").LossTeller(
        claims=proven.claims, reader=trees, looking=looking, before=proven.before
    )
    changes = trees.changes(last.tree, proven.present.tree) if proven.snapshot is not None else ()
    return {
        "schema": SCHEMA,
        "workspace": boundaries.record.workspace,
        "root": report.root_text(boundaries.archive.root),
        "since": report.place_json(last.number, last.snapshot),
        "verdict": verdict.word,
        "workspace_state": state,
        "lost": teller.losses(verdict.losses),
        "warnings": _warnings(proven),
        "moved": [report.moved_json(each) for each in verdict.of("moved")],
        "elsewhere": [report.elsewhere_json(each) for each in verdict.of("elsewhere")],
        "superseded": [{"path": path_json(each.path), "by": each.by} for each in verdict.of("superseded")],
        "reformatted": report.paths_json(each.path for each in verdict.of("reformatted")),
        "extended": report.paths_json(each.path for each in verdict.of("extended")),
        "standing": verdict.standing + len(verdict.of("standing", "mode_changed", "type_changed")),
        "unproved": [{"path": path_json(each.path), "reason": each.reason} for each in verdict.unproved],
        "changed": report.paths_json(committed.changed),
        "added": report.paths_json(committed.added),
        "passing": beside.passing(proven, boundaries.snapshot(last.snapshot), trees),
        "survivors": report.paths_json(_survivors(proven)),
        "stashed": beside.stashed(proven, looking),
        "conflicting": report.paths_json(beside.conflicting(proven, changes, looking, trees)),
        "head": report.head_json(boundaries.snapshot(last.snapshot), proven.now.head, proven.now.branch),
        "lost_commits": teller.lost_commits(committed.lost_commits),
        "lost_stashes": teller.lost_stashes(committed.lost_stashes),
        "rewritten_commits": [
            {"commit": each.commit, "subject": each.subject, "now": each.now} for each in committed.rewritten
        ],
        "applied_stashes": list(committed.applied_stashes),
        "remote_rewound": beside.remote_rewound(proven, looking),
        "incomplete": _incomplete(proven),
    }


def _warnings(proven: Proven) -> list[Document]:
    """Claims and committed paths to look at, in bytewise order."""
    rows = [(each.path, report.warning_json(each)) for each in proven.verdict.warnings]
    rows += [
        (each.path, {"path": path_json(each.path), "state": each.state, "commit": each.commit})
        for each in proven.verdict.committed.warnings
    ]
    return [row for _, row in sorted(rows, key=lambda row: row[0])]


def _survivors(proven: Proven) -> list[bytes]:
    """Untracked files that are still there, unchanged."""
    told = {finding.path for finding in proven.verdict.findings}
    return [
        path
        for path, claim in proven.claims.by_path.items()
        if claim.base is None and claim.entry is not None and path not in told
    ]


def _incomplete(proven: Proven) -> list[Document]:
    """What the present snapshot could not take, and what the boundary's could not and is not there now."""
    now = () if proven.snapshot is None else proven.snapshot.incomplete
    rows = report.incomplete_json(now)
    last = proven.claims.last
    known = {each.path for each in now}
    skipped = () if last is None else last.skipped
    return rows + [{"path": path_json(path), "reason": reason} for path, reason in skipped if path not in known]
