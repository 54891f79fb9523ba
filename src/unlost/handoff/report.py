"""The loss report: for each fix and file of a handoff exactly one state, and where its content still is (H.10).

Every marker of the resume prompt comes from this one object, never from a state written onto the handoff (H.30).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, Literal, get_args

from unlost.facts.errors import UnlostBug
from unlost.facts.quoting import path_json
from unlost.facts.records import dataclass, field
from unlost.facts.trees import REGULAR

SCHEMA: Final = "unlost.losses/1"

RecoverableState = Literal["snapshot", "stashed", "dangling"]
FixState = Literal["applied", "lost", "snapshot", "stashed", "dangling", "conflicting"]
FileState = Literal[
    "applied", "lost", "snapshot", "stashed", "dangling", "conflicting", "untracked_survivors", "missing_new_files"
]
RECOVERABLE: Final = get_args(RecoverableState)

# Worst first: the state of a file is that of its worst fix.
_WORST_FIRST: Final[tuple[FixState, ...]] = ("conflicting", "lost", "dangling", "stashed", "snapshot", "applied")
_BUCKETS: Final[tuple[FileState, ...]] = (
    *("applied", "lost", "stashed", "dangling", "snapshot", "conflicting", "untracked_survivors", "missing_new_files"),
)


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where content is kept beside the work tree.

    `name` is what a person reads: `stash@{0}`, a commit's id, a snapshot's id, `index`, or `blob ID` for content that
    has lost its name. `oid` and `mode` are the content itself, as a git tree would hold it there.
    """

    state: RecoverableState
    name: str
    oid: str
    mode: str = REGULAR


@dataclass(frozen=True, kw_only=True)
class FixFinding:
    """How one fix stands; `index` is its place in the handoff, `where` is set for a recoverable one alone."""

    file: bytes
    index: int
    state: FixState
    where: Place | None = None


@dataclass(frozen=True, kw_only=True)
class FileFinding:
    """How one file stands, folded over its fixes; `where` is set for a recoverable one alone."""

    path: bytes
    state: FileState
    where: Place | None = None


@dataclass(frozen=True, kw_only=True)
class Context:
    """What git says beside the point: lines for a person, bounded. No state is ever decided by it (H.18, H.20)."""

    reflog: tuple[str, ...] = ()
    stashes: tuple[str, ...] = ()
    dangling: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class LossReport:
    """What became of a handoff's work; `files` in the handoff's order, each path once."""

    fixes: tuple[FixFinding, ...]
    files: tuple[FileFinding, ...]
    context: Context = field(default_factory=Context)

    def paths(self, state: FileState) -> tuple[bytes, ...]:
        """The files in one state."""
        return tuple(each.path for each in self.files if each.state == state)

    @property
    def lost_files(self) -> tuple[bytes, ...]:
        """Files with work that is in no place unlost knows of (H.12)."""
        return self.paths("lost")

    @property
    def recoverable_files(self) -> tuple[bytes, ...]:
        """Files with at least one fix, or a whole new file, that can be brought back."""
        found = [fix.file for fix in self.fixes if fix.state in RECOVERABLE]
        found += [each.path for each in self.files if each.state in RECOVERABLE]
        return tuple(dict.fromkeys(found))

    @property
    def recoverable(self) -> bool:
        """Whether anything can be brought back; what the gate asks."""
        return bool(self.recoverable_files)

    def file(self, path: bytes) -> FileFinding:
        """How one file of the handoff stands. Raises UnlostBug for any other."""
        for each in self.files:
            if each.path == path:
                return each
        raise UnlostBug("a path that the loss report does not know: it was made from another handoff")

    @property
    def exit_code(self) -> int:
        """4 when work is lost, else 3 when a person or `--restore` has to act, else 0 (contracts.md)."""
        if self.paths("lost") or self.paths("missing_new_files"):
            return 4
        return 3 if self.recoverable or self.paths("conflicting") else 0


def fold_fixes(findings: Iterable[FixFinding]) -> tuple[FixState, Place | None]:
    """The state of a file with these fixes: conflicting before lost before recoverable before applied."""
    worst = min(findings, key=lambda finding: _WORST_FIRST.index(finding.state))
    return worst.state, worst.where


def report_json(report: LossReport) -> dict[str, object]:
    """`unlost.losses/1` (contracts.md)."""
    buckets: Mapping[str, object] = {state: [path_json(path) for path in report.paths(state)] for state in _BUCKETS}
    fixes = [
        {
            "file": path_json(fix.file),
            "index": fix.index,
            "state": fix.state,
            "where": None if fix.where is None else fix.where.name,
        }
        for fix in report.fixes
    ]
    return {
        "schema": SCHEMA,
        **buckets,
        "fixes": fixes,
        "lost_files": [path_json(path) for path in report.lost_files],
        "recoverable": report.recoverable,
        "context": {
            "reflog": list(report.context.reflog),
            "stashes": list(report.context.stashes),
            "dangling": list(report.context.dangling),
        },
    }
