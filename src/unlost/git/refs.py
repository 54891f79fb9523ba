"""Refs of a store of ours, in git's files format: read and created in process, changed and deleted by git.

Safe because nobody but unlost writes into the store, and whoever changes refs of one workspace holds its capture
lock. A ref is created in one step that fails when the name exists.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from typing import Final

from unlost.facts.errors import UnlostBug
from unlost.git.call import Git
from unlost.host.ids import new_nonce
from unlost.host.reading import read_regular, sync_folder, write_all

_PACKED_LIMIT: Final = 256 << 20
_TEMPORARY: Final = "tmp_ref_"
_OID: Final = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


def is_oid(text: str) -> bool:
    """Whether a text is a whole object id."""
    return _OID.fullmatch(text) is not None


def create_ref(store: str, name: str, oid: str, *, durable: bool) -> None:
    """Create a ref. Raises FileExistsError when there is one of that name."""
    path = os.path.join(store, name)
    # Among the objects: a file that a crash leaves there is no ref to anybody, and git's prune removes it.
    temporary = os.path.join(store, "objects", _TEMPORARY + new_nonce())
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        try:
            write_all(descriptor, oid.encode() + b"\n")
            if durable:
                os.fsync(descriptor)
        finally:
            os.close(descriptor)
        try:
            os.link(temporary, path)
        except FileNotFoundError:
            os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
            os.link(temporary, path)
    finally:
        os.unlink(temporary)
    if durable:
        sync_folder(os.path.dirname(path))


def read_ref(store: str, name: str) -> str | None:
    """The id a ref holds; None when there is none, or none that is whole."""
    data = read_regular(os.path.join(store, name), 256)
    if data is not None:
        oid = data.decode("ascii", "replace").strip()
        return oid if is_oid(oid) else None
    return packed_refs(store).get(name)


def list_refs(store: str, prefix: str) -> dict[str, str]:
    """Every ref below a prefix such as `refs/snap/w-…`, full name to id; torn ones are left out."""
    found = {name: oid for name, oid in packed_refs(store).items() if name.startswith(f"{prefix}/")}
    for name in _loose_names(store, prefix):
        data = read_regular(os.path.join(store, name), 256) or b""
        oid = data.decode("ascii", "replace").strip()
        if is_oid(oid):
            found[name] = oid
    return found


def packed_refs(folder: str) -> dict[str, str]:
    """What the `packed-refs` of a git dir holds, read as data."""
    return parse_packed_refs(read_regular(os.path.join(folder, "packed-refs"), _PACKED_LIMIT) or b"")


def parse_packed_refs(data: bytes) -> dict[str, str]:
    """Full name to id; peeled lines, comments and anything odd are passed over."""
    found: dict[str, str] = {}
    for line in data.split(b"\n"):
        oid, _, name = line.partition(b" ")
        if name and line[:1] not in b"#^" and is_oid(text := oid.decode("ascii", "replace")):
            found[name.decode("utf-8", "surrogateescape")] = text
    return found


def delete_refs(git: Git, refs: Mapping[str, str]) -> None:
    """Delete refs that still hold these ids, all or none. Raises GitFailed."""
    _transact(git, (f"delete {name}\0{oid}\0" for name, oid in refs.items()))


def move_ref(git: Git, name: str, oid: str, *, expected: str | None) -> None:
    """Set a ref that holds `expected` (None: that does not exist). Raises GitFailed."""
    _transact(git, (f"update {name}\0{oid}\0{expected or '0' * len(oid)}\0",))


def _transact(git: Git, orders: Iterator[str] | tuple[str, ...]) -> None:
    data = "".join(orders).encode("utf-8", "surrogateescape")
    if b"\n" in data:
        raise UnlostBug("a ref name with a newline")
    if data:
        git.run("update-ref", "--stdin", "-z", stdin=data)


def _loose_names(folder: str, prefix: str) -> Iterator[str]:
    try:
        listing = sorted(os.scandir(os.path.join(folder, prefix)), key=lambda entry: entry.name)
    except (FileNotFoundError, NotADirectoryError):
        return
    for entry in listing:
        name = f"{prefix}/{entry.name}"
        if entry.is_dir(follow_symlinks=False):
            yield from _loose_names(folder, name)
        elif not entry.name.endswith(".lock"):
            yield name
