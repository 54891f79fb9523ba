"""A snapshot as it travels: one commit whose parents are the snapshot's own, so that one ref carries it whole.

    refs/saved/<workspace>/<sequence>-<snapshot>
        parents: the snapshot · its base · HEAD as data · (when asked) the precious ignored files

None of them has a parent, so a part that the other side has is not sent again, and no history comes along. HEAD's
commit cannot travel as itself: an ordinary bare repository refuses a commit without its parents. Its tree and its bytes
go as data, and whoever brings the snapshot in has the very same commit, at depth 1.
"""

from __future__ import annotations

import json
from typing import Any, Final

from unlost.facts.quoting import canonical_json
from unlost.facts.records import dataclass
from unlost.facts.trees import REGULAR, Entry
from unlost.git.objects import ObjectWriter
from unlost.git.reader import ObjectMissing, ObjectReader
from unlost.git.refs import is_oid
from unlost.git.trees import FOLDER, tree_data
from unlost.snapshot.facts import Snapshot, SnapshotUnreadable
from unlost.snapshot.records import commit_data, record_from_json, tree_and_message

SCHEMA: Final = "unlost.saved/1"
_TREE, _COMMIT = b"tree", b"commit"


@dataclass(frozen=True, kw_only=True)
class Saved:
    """What a saved commit names: the commits of the parts that travel with a snapshot."""

    workspace: str
    snapshot: str
    sequence: int
    base: str
    head: str | None
    private: str | None


def prefix_of(workspace: str) -> str:
    """Where the saved snapshots of a workspace are, in the shared store and in a local one."""
    return f"refs/saved/{workspace}"


def ref_of(saved: Saved) -> str:
    """The ref of a saved snapshot."""
    return f"{prefix_of(saved.workspace)}/{saved.sequence:08d}-{saved.snapshot}"


def named_by(ref: str) -> tuple[int, str] | None:
    """(sequence, snapshot) of a ref as `ref_of` makes it; None for any other."""
    number, _, snapshot = ref.rpartition("/")[2].partition("-")
    return (int(number), snapshot) if number.isascii() and number.isdecimal() and is_oid(snapshot) else None


def write_saved(
    objects: ObjectReader, writer: ObjectWriter, snapshot: Snapshot, private: str | None
) -> tuple[Saved, str]:
    """Put the parts of a snapshot together, in its own store; returns what it names, and the saved commit.

    `private` is the commit of the ignored files when they are to travel. Raises SnapshotUnreadable, OSError.
    """
    try:
        record = record_from_json(tree_and_message(objects.read(snapshot.id).data)[1])
        head = _write_head(objects, writer, snapshot.surroundings.head)
    except ObjectMissing as error:
        raise SnapshotUnreadable(error.message, hint="unlost doctor --deep") from error
    saved = Saved(
        workspace=snapshot.workspace,
        snapshot=snapshot.id,
        sequence=snapshot.sequence,
        base=record.surroundings,
        head=head,
        private=private,
    )
    parents = [oid for oid in (saved.snapshot, saved.base, saved.head, saved.private) if oid is not None]
    data = commit_data(writer.write_tree(b""), _message(saved), int(snapshot.at))
    lines = "".join(f"parent {oid}\n" for oid in parents).encode()
    first, _, rest = data.partition(b"\n")
    commit = writer.write(b"commit", first + b"\n" + lines + rest)
    writer.finish()
    return saved, commit


def read_saved(objects: ObjectReader, commit: str) -> Saved:
    """What a saved commit names. Raises SnapshotUnreadable for one that `write_saved` did not make."""
    try:
        data = objects.read(commit).data
        parents = [
            line[7:].decode("ascii", "replace")
            for line in data.partition(b"\n\n")[0].split(b"\n")
            if line.startswith(b"parent ")
        ]
        facts: dict[str, Any] = json.loads(tree_and_message(data)[1])
        saved = Saved(
            workspace=str(facts["workspace"]),
            snapshot=str(facts["snapshot"]),
            sequence=int(facts["sequence"]),
            base=str(facts["base"]),
            head=facts["head"],
            private=facts["private"],
        )
    except (ObjectMissing, ValueError, KeyError, TypeError) as error:
        raise SnapshotUnreadable("what the store holds is no saved snapshot") from error
    named = [oid for oid in (saved.snapshot, saved.base, saved.head, saved.private) if oid is not None]
    if facts.get("schema") != SCHEMA or named != parents:
        raise SnapshotUnreadable("what the store holds is no saved snapshot")
    return saved


def read_head(objects: ObjectReader, head: str) -> bytes:
    """The bytes of HEAD's commit, out of the part that carries it. Raises SnapshotUnreadable."""
    try:
        entries = objects.tree(tree_and_message(objects.read(head).data)[0])
        return objects.read(entries[_COMMIT].oid).data
    except (ObjectMissing, KeyError) as error:
        raise SnapshotUnreadable("HEAD's commit did not come along whole") from error


def _write_head(objects: ObjectReader, writer: ObjectWriter, head: str | None) -> str | None:
    """HEAD's commit as data; None where nothing is committed, or the store let go of the commit."""
    if head is None:
        return None
    try:
        found = objects.read(head)
    except ObjectMissing:
        return None
    tree = tree_and_message(found.data)[0]
    entries = {_COMMIT: Entry(REGULAR, writer.write(b"blob", found.data)), _TREE: Entry(FOLDER, tree)}
    return writer.write(b"commit", commit_data(writer.write_tree(tree_data(entries)), b"HEAD"))


def _message(saved: Saved) -> bytes:
    return canonical_json(
        {
            "schema": SCHEMA,
            "workspace": saved.workspace,
            "snapshot": saved.snapshot,
            "sequence": saved.sequence,
            "base": saved.base,
            "head": saved.head,
            "private": saved.private,
        }
    )
