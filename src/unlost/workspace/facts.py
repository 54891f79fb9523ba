"""What is recorded of a workspace's moves: operations, and where each one took place."""

from __future__ import annotations

import hashlib
import os
from typing import Final, Literal

from unlost.facts.records import dataclass
from unlost.workspace.epochs import Epoch

OperationKind = Literal["prepare", "save_interim", "save_final", "restore"]
RecordState = Literal["staged", "uploaded", "committed", "restored_elsewhere", "failed", "unknown"]
"""How far a saved snapshot came: captured here, sent, proven to be in the store, restored at another place."""

OperationOutcome = Literal["succeeded", "failed", "refused"]
"""`refused`: nothing was changed at the root. None of these yet: the operation is not settled."""

Reason = Literal[
    "occupied_root",
    "unsaved",
    "missing_snapshot",
    "stale_epoch",
    "conflicting_permissions",
    "identity_mismatch",
    "unreachable",
]
DURABLE: Final[frozenset[RecordState | None]] = frozenset({"committed", "restored_elsewhere"})
"""States from which a saved snapshot is there for good (W.7)."""


@dataclass(frozen=True, kw_only=True)
class Location:
    """A root at a place. The path itself is known on this machine alone; the ledger has its digest (decision 17)."""

    place: str
    root: str

    @property
    def root_digest(self) -> str:
        """sha256 of the root's path."""
        return hashlib.sha256(os.fsencode(self.root)).hexdigest()


@dataclass(frozen=True, kw_only=True, slots=True)
class Quiescence:
    """What was known of agents while a save was made: attempts that ran, and whether that could be told at all."""

    unknown: bool
    active: tuple[str, ...] = ()

    @property
    def is_quiet(self) -> bool:
        """Whether it is proven that nothing ran (W.5)."""
        return not self.unknown and not self.active


@dataclass(frozen=True, kw_only=True, slots=True)
class Operation:
    """One recorded move, as far as it came. `number` orders operations; `parent` is the one its content came from.

    A restore may replace a retired root (`replaces`), and then keeps that one beside the new (`keeps`). `inode` is the
    folder that stands at the root since; `left_out` counts paths that the snapshot does not hold.
    """

    id: str
    number: int
    kind: OperationKind
    epoch: int
    holder: str
    place: str | None
    root_digest: str | None
    snapshot: str | None = None
    identity: str | None = None
    parent: str | None = None
    replaces: bool = False
    keeps: bool = False
    state: RecordState | None = None
    quiescence: Quiescence | None = None
    outcome: OperationOutcome | None = None
    reason: str = ""
    inode: int | None = None
    left_out: int = 0

    @property
    def is_save(self) -> bool:
        """Whether it is a save of either kind."""
        return self.kind in ("save_interim", "save_final")

    @property
    def is_located(self) -> bool:
        """Whether it says where it took place; one that does not proves nothing (W.8)."""
        return self.place is not None and self.root_digest is not None

    def is_at(self, place: str, root_digest: str) -> bool:
        """Whether it took place at this root of this allocation; the row that recorded it plays no part (W.24)."""
        return self.place == place and self.root_digest == root_digest


@dataclass(frozen=True, kw_only=True, slots=True)
class Handover:
    """A unit let another one write in its workspace, from the save it made at `epoch` on; over once it took it back."""

    parent: str
    child: str
    epoch: int
    save: str
    is_over: bool = False


@dataclass(frozen=True, kw_only=True)
class WorkspaceRecord:
    """All that the ledger knows of a workspace's writers and moves; both oldest first.

    `length` is that of the stream of operations: what is decided from this record is appended with it.
    """

    workspace: str
    epochs: tuple[Epoch, ...] = ()
    operations: tuple[Operation, ...] = ()
    handovers: tuple[Handover, ...] = ()
    length: int = 0

    @property
    def newest(self) -> Epoch | None:
        """The writer of now."""
        return self.epochs[-1] if self.epochs else None

    @property
    def newest_save(self) -> Operation | None:
        """The newest save whose snapshot is there for good."""
        saves = [each for each in self.operations if each.is_save and each.state in DURABLE]
        return saves[-1] if saves else None

    def operation(self, name: str) -> Operation:
        """The operation of this id; KeyError when there is none."""
        for each in self.operations:
            if each.id == name:
                return each
        raise KeyError(name)
