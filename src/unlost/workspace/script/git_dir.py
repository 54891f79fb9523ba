"""A new `.git` for a new root, without git: one commit at depth 1, HEAD on its branch, the index as the commit has it.

No remote, hook, setting or reflog of the origin (design.md, section 4). The index knows what the files that are as the
commit has them look like on disk, so that the first `git status` reads none of them.
"""

from __future__ import annotations

import hashlib
import os
import struct
from collections.abc import Iterable, Mapping
from typing import Final

from unlost.facts.paths import check_path
from unlost.host.folders import Folder
from unlost.host.writing import write_new_file
from unlost.workspace.script.content import File, Trees
from unlost.workspace.script.packs import BASE, ENDINGS, Pack, PackDamaged

Seen = Mapping[bytes, tuple[str, os.stat_result]]
"""What stands on disk: path to (object id, status)."""

_CONFIG: Final = "[core]\n\trepositoryformatversion = {version}\n\tfilemode = true\n\tbare = false\n"
_SHA256: Final = "[extensions]\n\tobjectFormat = sha256\n"
_NAME_BITS: Final = 0xFFF
_ROUND: Final = 8


def make_git_dir(
    root: Folder,
    source: Folder,
    pack: Pack | None,
    trees: Trees,
    *,
    object_format: str,
    head: str | None,
    branch: str | None,
    seen: Seen,
) -> None:
    """Make `.git` in a root. The base pack is moved there out of `source`.

    Raises PackDamaged when the commit is not whole.
    """
    with begin_git_dir(root, object_format, head=head, branch=branch) as git:
        if head is None or pack is None:
            return
        commit = pack.read(head, pack.extents[head]) if head in pack.extents else b""
        tree = commit.partition(b"\n")[0].removeprefix(b"tree ").decode("ascii", "replace")
        files = sorted(trees.walk(tree), key=lambda file: file.path)
        if any(file.mode != "160000" and file.oid not in pack.extents for file in files):
            raise PackDamaged("the commit is not whole")
        write_shallow(git, head, commit)
        for ending in ENDINGS:
            with git.below(b"objects/pack") as packs:
                name = f"pack-{pack.checksum}.{ending}".encode()
                os.rename(f"{BASE}.{ending}".encode(), name, src_dir_fd=source.descriptor, dst_dir_fd=packs.descriptor)
                os.chmod(name, 0o444, dir_fd=packs.descriptor)
        _put(git, b"index", index_of(files, seen, object_format))


def begin_git_dir(root: Folder, object_format: str, *, head: str | None, branch: str | None) -> Folder:
    """Make `.git` in a root, without objects and index; the caller closes it. Raises ValueError for no branch."""
    git = root.inner(b".git", create=True)
    try:
        for path in (b"objects/info", b"objects/pack", b"refs/heads", b"refs/tags"):
            git.below(path, create=True).close()
        _put(git, b"config", configuration(object_format))
        _set_head(git, head, branch)
    except BaseException:
        git.close()
        raise
    return git


def configuration(object_format: str) -> bytes:
    """The whole configuration of a new git dir."""
    version = 1 if object_format == "sha256" else 0
    return (_CONFIG.format(version=version) + (_SHA256 if version else "")).encode("ascii")


def write_shallow(git: Folder, head: str, commit: bytes) -> None:
    """Say that a commit's parents are not here, where it has any."""
    if b"\nparent " in commit.partition(b"\n\n")[0]:
        _put(git, b"shallow", head.encode("ascii") + b"\n")


def index_of(files: Iterable[File], seen: Seen, object_format: str) -> bytes:
    """An index of version 2 of these files, sorted by path; statuses only where the content on disk is theirs."""
    parts, count = [], 0
    for file in files:
        stands = seen.get(file.path)
        status = None if stands is None or stands[0] != file.oid else stands[1]
        parts.append(_index_entry(file, status))
        count += 1
    body = b"".join((struct.pack(">4sII", b"DIRC", 2, count), *parts))
    return body + hashlib.new(object_format, body, usedforsecurity=False).digest()


def _index_entry(file: File, status: os.stat_result | None) -> bytes:
    facts = (0,) * 10 if status is None else _facts(status)
    times_and_node, owner_and_size = facts[:6], facts[6:9]
    head = (
        struct.pack(">6I", *times_and_node) + struct.pack(">I", int(file.mode, 8)) + struct.pack(">3I", *owner_and_size)
    )
    entry = head + bytes.fromhex(file.oid) + struct.pack(">H", min(len(file.path), _NAME_BITS)) + file.path
    return entry + b"\0" * (_ROUND - len(entry) % _ROUND)


def _facts(status: os.stat_result) -> tuple[int, ...]:
    """ctime, mtime (seconds, nanoseconds each), device, inode, user, group, size: 32 bits each."""
    second = 1_000_000_000
    values = (
        *divmod(status.st_ctime_ns, second),
        *divmod(status.st_mtime_ns, second),
        status.st_dev,
        status.st_ino,
        status.st_uid,
        status.st_gid,
        status.st_size,
    )
    return tuple(value & 0xFFFFFFFF for value in values)


def _set_head(git: Folder, head: str | None, branch: str | None) -> None:
    if branch is None:
        _put(git, b"HEAD", (head or "0" * 40).encode() + b"\n")
        return
    name = os.fsencode(branch)
    check_path(name)
    if not name.startswith(b"refs/heads/") or name.endswith(b".lock") or b"\n" in name:
        raise ValueError("not a branch")
    _put(git, b"HEAD", b"ref: " + name + b"\n")
    if head is not None:
        holder, last = git.holding(name, create=True)
        with holder:
            _put(holder, last, head.encode() + b"\n")


def _put(folder: Folder, name: bytes, data: bytes) -> None:
    # Made durable with everything else, before the root has its name.
    write_new_file(folder, name, data, mode=0o644)
