"""Git's answers in their `-z` forms, taken apart; all names are bytes as they are on disk."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from unlost.facts.paths import is_capturable
from unlost.facts.records import dataclass
from unlost.facts.trees import Entry

_COULD_NOT_OPEN: Final = re.compile(rb"could not open directory '(.*)': ", re.DOTALL)
_COULD_NOT_LOOK: Final = re.compile(rb"^(?!warning: |error: |fatal: )(.+): (?:Permission denied|Input/output error)$")


class UnexpectedAnswer(ValueError):
    """Git answered in a form that this code does not know."""


@dataclass(frozen=True, kw_only=True)
class Status:
    """Paths that `git status --porcelain=v2` names: `tracked` differ from HEAD or the index, `untracked` are new.

    `nested` are untracked repositories. What lies in a reserved folder is left out.
    """

    tracked: tuple[bytes, ...]
    untracked: tuple[bytes, ...]
    nested: tuple[bytes, ...]


def parse_status(data: bytes) -> Status:
    """Take apart `status --porcelain=v2 -z --no-renames`. Raises UnexpectedAnswer."""
    tracked: list[bytes] = []
    records = data.split(b"\0")
    # Thousands of files may be untracked.
    new = [record[2:] for record in records if record[:2] == b"? "]
    if b"/." in data or b"? ." in data:
        new = [path for path in new if is_capturable(path)]
    for record in records:
        kind = record[:2]
        if kind == b"1 ":
            tracked.append(record.split(b" ", 8)[8])
        elif kind == b"u ":
            tracked.append(record.split(b" ", 10)[10])
        elif kind not in (b"? ", b""):
            raise UnexpectedAnswer("git status gave an unknown record")
    return Status(
        tracked=tuple(tracked),
        untracked=tuple(path for path in new if path[-1:] != b"/"),
        # With every untracked file listed, only a repository is named as a folder.
        nested=tuple(path[:-1] for path in new if path[-1:] == b"/"),
    )


def parse_complaints(data: bytes) -> tuple[bytes, ...]:
    """Folders and tracked files that git said on stderr it could not open; the only sign of them: it exits with 0."""
    found = (_COULD_NOT_OPEN.search(line) or _COULD_NOT_LOOK.search(line) for line in data.split(b"\n"))
    return tuple(match[1].rstrip(b"/") or b"." for match in found if match)


@dataclass(frozen=True, kw_only=True)
class ListedTree:
    """What `ls-tree -r -t` names: every folder's tree id, and every other path's entry."""

    trees: tuple[str, ...]
    files: tuple[tuple[bytes, Entry], ...]


def parse_tree_listing(data: bytes) -> ListedTree:
    """Take apart `ls-tree -r -t -z --full-tree`."""
    trees: list[str] = []
    files: list[tuple[bytes, Entry]] = []
    for row in parse_names(data):
        head, _, path = row.partition(b"\t")
        mode, kind, oid = head.decode("ascii").split(" ")
        if kind == "tree":
            trees.append(oid)
        else:
            files.append((path, Entry(mode, oid)))
    return ListedTree(trees=tuple(trees), files=tuple(files))


def parse_names(data: bytes) -> Iterator[bytes]:
    """Items that each end in NUL."""
    return (item for item in data.split(b"\0") if item)


def parse_config(data: bytes) -> dict[str, str]:
    """Take apart `config --list -z`: lower-case key to its last value; a key without a value is `true`."""
    found: dict[str, str] = {}
    for item in parse_names(data):
        key, equals, value = item.partition(b"\n")
        text = value.decode("utf-8", "surrogateescape") if equals else "true"
        found[key.decode("utf-8", "replace").lower()] = text
    return found
