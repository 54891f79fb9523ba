"""The user's index, read and rewritten as a copy: git never opens the one in the user's git dir.

A copy keeps the time of its original, for by it git tells which entries it may not trust (an edit of equal size in
the same second); git writes the new one with the work tree at hand, so that it marks such entries itself.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final

from unlost.facts.records import dataclass
from unlost.facts.trees import Entry
from unlost.git.call import Git
from unlost.git.parse import parse_names
from unlost.git.repository import Repository
from unlost.host.reading import read_regular

_LIMIT: Final = 1 << 30
_COPY: Final = "copied-index"
_SHARED: Final = "sharedindex."
_WRITING: Final = ("core.fsmonitor=false", "core.splitIndex=false", "core.hooksPath=/dev/null")


@dataclass(frozen=True, kw_only=True)
class Staged:
    """What an index holds: the entry of each path, and the paths that are unmerged."""

    entries: Mapping[bytes, Entry]
    unmerged: frozenset[bytes]


def copy_index(repository: Repository, git: Git) -> str:
    """Copy the index into a git dir of ours, with its time; returns the copy's path, and nothing is there without one.

    Raises OSError.
    """
    copy = os.path.join(git.git_dir, _COPY)
    if os.path.lexists(copy):
        os.unlink(copy)
    source = os.path.join(repository.git_dir, "index")
    data = read_regular(source, _LIMIT)
    if data is None:
        return copy
    status = os.stat(source)
    for name in os.listdir(repository.git_dir):
        if name.startswith(_SHARED):
            _write(os.path.join(git.git_dir, name), read_regular(os.path.join(repository.git_dir, name), _LIMIT) or b"")
    _write(copy, data)
    os.utime(copy, ns=(status.st_atime_ns, status.st_mtime_ns))
    return copy


def read_index(git: Git, copy: str) -> Staged:
    """Every entry of a copied index. Raises GitFailed."""
    if not os.path.exists(copy):
        return Staged(entries={}, unmerged=frozenset())
    entries: dict[bytes, Entry] = {}
    unmerged: set[bytes] = set()
    for row in parse_names(git.run("ls-files", "-s", "-z", variables={"GIT_INDEX_FILE": copy})):
        head, _, path = row.partition(b"\t")
        mode, oid, stage = head.decode("ascii").split(" ")
        if stage == "0":
            entries[path] = Entry(mode, oid)
        else:
            unmerged.add(path)
    return Staged(entries=entries, unmerged=frozenset(unmerged))


def rewrite_index(git: Git, copy: str, repository: Repository, changes: Mapping[bytes, Entry | None]) -> bytes:
    """The content of the index with these entries put (None: taken out); the others stay as they are. Raises GitFailed.

    `git` works on the git dir of ours that holds the copy, of a repository at `repository`.
    """
    zero = "0" * (2 * repository.object_format.width)
    rows = b"".join(
        (f"{entry.mode} {entry.oid}" if entry else f"0 {zero}").encode() + b"\t" + path + b"\0"
        for path, entry in sorted(changes.items())
    )
    over = Git(git.git_dir, home=git.home, work_tree=repository.root, inherit=git.inherit)
    over.run("update-index", "-z", "--index-info", stdin=rows, config=_WRITING, variables={"GIT_INDEX_FILE": copy})
    return read_regular(copy, _LIMIT) or b""


def _write(path: str, data: bytes) -> None:
    with open(path, "wb") as file:
        file.write(data)
