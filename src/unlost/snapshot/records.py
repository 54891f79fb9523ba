"""The commits of a snapshot: what stands in their messages, and reading it back.

A snapshot is up to three parentless commits, each with a ref of its own under the snapshot's sequence number, so that
deleting one snapshot, or damage to one, touches no other: the work tree itself, its base (whose message holds the
surroundings; equal ones are one object), and the precious ignored files.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from unlost.facts.quoting import canonical_json, path_from_json, path_json
from unlost.facts.records import dataclass
from unlost.facts.words import SnapshotKind
from unlost.snapshot.facts import Incomplete, Snapshot, SnapshotUnreadable, Surroundings
from unlost.snapshot.surroundings import surroundings_from_json

SCHEMA: Final = "unlost.snapshot/1"


@dataclass(frozen=True, kw_only=True)
class Record:
    """What a snapshot's own message says; `surroundings` is the id of its base commit."""

    workspace: str
    sequence: int
    kind: SnapshotKind
    label: str
    at: float
    files: int
    base: str
    private: str | None
    surroundings: str
    incomplete: tuple[Incomplete, ...]


def commit_data(tree: str, message: bytes, seconds: int = 0) -> bytes:
    """A parentless commit object's content. With the same arguments it is the same object."""
    who = b"unlost <unlost@localhost> %d +0000" % seconds
    return b"tree %b\nauthor %b\ncommitter %b\n\n%b\n" % (tree.encode(), who, who, message)


def record_json(record: Record) -> bytes:
    """The message of a snapshot's commit."""
    return canonical_json(
        {
            "schema": SCHEMA,
            "workspace": record.workspace,
            "sequence": record.sequence,
            "kind": record.kind,
            "label": record.label,
            "at": record.at,
            "files": record.files,
            "base": record.base,
            "private": record.private,
            "surroundings": record.surroundings,
            "incomplete": incomplete_json(record.incomplete),
        }
    )


def incomplete_json(incomplete: Sequence[Incomplete]) -> list[dict[str, Any]]:
    """The paths that are not in a snapshot, as JSON."""
    return [{"path": path_json(each.path), "reason": each.reason, "bytes": each.bytes} for each in incomplete]


def record_from_json(message: bytes) -> Record:
    """What `record_json` wrote. Raises SnapshotUnreadable for anything else."""
    try:
        facts = json.loads(message)
        if facts["schema"] != SCHEMA:
            raise SnapshotUnreadable("the snapshot was written by another version of unlost", hint="upgrade unlost")
        return Record(
            workspace=facts["workspace"],
            sequence=facts["sequence"],
            kind=facts["kind"],
            label=facts["label"],
            at=facts["at"],
            files=facts["files"],
            base=facts["base"],
            private=facts["private"],
            surroundings=facts["surroundings"],
            incomplete=tuple(
                Incomplete(path=path_from_json(each["path"]), reason=each["reason"], bytes=each["bytes"])
                for each in facts["incomplete"]
            ),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise SnapshotUnreadable("the snapshot's message is damaged") from error


def surroundings_from_message(message: bytes) -> Surroundings:
    """The surroundings in a base commit's message. Raises SnapshotUnreadable."""
    try:
        return surroundings_from_json(json.loads(message))
    except (KeyError, TypeError, ValueError) as error:
        raise SnapshotUnreadable("the surroundings of a snapshot are damaged") from error


def tree_and_message(commit: bytes) -> tuple[str, bytes]:
    """(tree id, message) of a commit object's content. Raises SnapshotUnreadable."""
    head, separator, message = commit.partition(b"\n\n")
    first = head.split(b"\n", 1)[0]
    if not separator or not first.startswith(b"tree "):
        raise SnapshotUnreadable("a commit of a snapshot is damaged")
    return first[5:].decode("ascii", "replace"), message.rstrip(b"\n")


def snapshot_of(oid: str, tree: str, record: Record, surroundings: Surroundings) -> Snapshot:
    """The snapshot that a commit stands for."""
    return Snapshot(
        id=oid,
        tree=tree,
        base=record.base,
        private=record.private,
        workspace=record.workspace,
        sequence=record.sequence,
        kind=record.kind,
        label=record.label,
        at=record.at,
        files=record.files,
        incomplete=record.incomplete,
        surroundings=surroundings,
    )
