"""Commits read from their objects: parents, tree, time, subject, and what one changed."""

from __future__ import annotations

from typing import Final

from unlost.facts.errors import UnlostError
from unlost.facts.quoting import clean, cut
from unlost.facts.records import dataclass
from unlost.facts.trees import Entry
from unlost.git.formats import format_of
from unlost.git.reader import ObjectMissing, ObjectReader
from unlost.git.refs import is_oid
from unlost.git.trees import difference

_LIMIT: Final = 4 << 20
_SUBJECT_LIMIT: Final = 200


@dataclass(frozen=True, kw_only=True)
class Commit:
    """One commit object; `at` is the committer's time in seconds since 1970, `subject` is cleaned and cut.

    `author` is the whole author line with its time: an amend and a rebase keep it.
    """

    oid: str
    tree: str
    parents: tuple[str, ...]
    at: int
    subject: str
    author: str = ""


def read_commit(objects: ObjectReader, oid: str) -> Commit:
    """The commit of this id. Raises ObjectMissing when it is gone or is no commit."""
    found = objects.read(oid, _LIMIT)
    if found.kind != "commit":
        raise ObjectMissing(f"the object {oid[:12]} is a {found.kind}, not a commit")
    return parse_commit(oid, found.data)


def parse_commit(oid: str, data: bytes) -> Commit:
    """Take apart a commit object's content. Raises ObjectMissing when it has no tree."""
    head, _, message = data.partition(b"\n\n")
    lines = [line.decode("utf-8", "replace") for line in head.split(b"\n")]
    trees = [line[5:] for line in lines if line.startswith("tree ")]
    if not trees or not is_oid(trees[0]):
        raise ObjectMissing(f"the commit {oid[:12]} is damaged")
    times = [line.rsplit(" ", 2)[-2] for line in lines if line.startswith("committer ") and line.count(" ") > 2]
    subject = message.partition(b"\n")[0].decode("utf-8", "replace")
    return Commit(
        oid=oid,
        tree=trees[0],
        parents=tuple(line[7:] for line in lines if line.startswith("parent ") and is_oid(line[7:])),
        at=int(times[0]) if times and times[0].isdigit() else 0,
        subject=cut(clean(subject, one_line=True), _SUBJECT_LIMIT),
        author=next((line for line in lines if line.startswith("author ")), ""),
    )


def changed_by(objects: ObjectReader, commit: Commit) -> dict[bytes, Entry | None]:
    """What a commit changed against its first parent (everything, for a root); None is a deletion.

    A parent that is missing (shallow, collected) gives an empty mapping: what it changed cannot be known.
    """
    if not commit.parents:
        return changed_between(objects, None, commit.tree)
    try:
        parent = read_commit(objects, commit.parents[0])
    except ObjectMissing:
        return {}
    return changed_between(objects, parent.tree, commit.tree)


def changed_between(objects: ObjectReader, before: str | None, after: str) -> dict[bytes, Entry | None]:
    """What differs between two trees (`before` None: the empty one); empty when one of them cannot be read."""
    start = before or format_of(after).empty_tree
    try:
        return {change.path: change.after for change in difference(objects, start, after)}
    except UnlostError:
        return {}
