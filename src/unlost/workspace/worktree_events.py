"""The record of a linked work tree that unlost made: the stream `worktree-<workspace>`, and its fold.

Facts are public and hold no path: the refused paths of an apply are its private body.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Final

from unlost.facts.quoting import canonical_json, path_from_json, path_json
from unlost.facts.records import dataclass, replace
from unlost.ledger.payload import Declared, Vocabulary
from unlost.ledger.protocol import Ledger


@dataclass(frozen=True, kw_only=True, slots=True)
class WorktreeMade:
    """A linked work tree of the workspace `source` stands on a new branch at `commit`; `tree` is what was put there."""

    source: str
    name: str
    branch: str
    commit: str
    tree: str


@dataclass(frozen=True, kw_only=True, slots=True)
class WorktreeSetUp:
    """The plan's setup commands ran here, all of them, each with exit code 0."""

    commands: int


@dataclass(frozen=True, kw_only=True, slots=True)
class WorktreeApplied:
    """What it held at `snapshot` went into the tree of `into`; body: the paths that did not."""

    into: str
    snapshot: str
    tree: str
    paths: int
    refused: int


@dataclass(frozen=True, kw_only=True, slots=True)
class WorktreeRemoved:
    """Its folder was removed; `snapshot` holds all that could be captured of it."""

    snapshot: str
    forced: bool
    branch_stays: bool


EVENTS: Final = Vocabulary(
    {
        "worktree.made": Declared(payload=WorktreeMade),
        "worktree.set_up": Declared(payload=WorktreeSetUp),
        "worktree.applied": Declared(payload=WorktreeApplied),
        "worktree.removed": Declared(payload=WorktreeRemoved),
    }
)


@dataclass(frozen=True, kw_only=True)
class Applied:
    """One apply: the tree whose content went in, but for the refused paths."""

    into: str
    tree: str
    refused: frozenset[bytes]


@dataclass(frozen=True, kw_only=True)
class WorktreeRecord:
    """Everything recorded of one linked work tree; applies oldest first."""

    made: WorktreeMade
    is_set_up: bool = False
    applied: tuple[Applied, ...] = ()
    removed: WorktreeRemoved | None = None


def read_worktree(ledger: Ledger, workspace: str) -> WorktreeRecord | None:
    """The record of a workspace as a linked work tree; None when unlost did not make it. Raises StreamDamaged."""
    record: WorktreeRecord | None = None
    stream = stream_of(workspace)
    for event in ledger.read(stream):
        payload = EVENTS.payload(event)
        if isinstance(payload, WorktreeMade):
            record = WorktreeRecord(made=payload)
        elif record is None:
            continue
        elif isinstance(payload, WorktreeSetUp):
            record = replace(record, is_set_up=True)
        elif isinstance(payload, WorktreeApplied):
            refused = _paths(ledger.body(stream, event.sequence))
            applied = Applied(into=payload.into, tree=payload.tree, refused=refused)
            record = replace(record, applied=(*record.applied, applied))
        elif isinstance(payload, WorktreeRemoved):
            record = replace(record, removed=payload)
    return record


def append(
    ledger: Ledger,
    workspace: str,
    payload: WorktreeMade | WorktreeSetUp | WorktreeApplied | WorktreeRemoved,
    *,
    key: str,
    refused: Iterable[bytes] = (),
) -> None:
    """Record one event of a linked work tree."""
    body = canonical_json([path_json(path) for path in sorted(refused)])
    ledger.append(stream_of(workspace), [EVENTS.new(payload, key=key, body=body)])


def stream_of(workspace: str) -> str:
    """The stream that a workspace's record as a linked work tree is in."""
    return f"worktree-{workspace}"


def _paths(body: bytes | None) -> frozenset[bytes]:
    return frozenset() if body is None else frozenset(path_from_json(path) for path in json.loads(body))
