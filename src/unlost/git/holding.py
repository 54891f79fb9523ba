"""Whether a repository holds an object: its folders read as data, no process."""

from __future__ import annotations

import mmap
import os
import struct
from collections.abc import Iterator
from typing import Final

from unlost.host.reading import read_regular

_ALTERNATES_LIMIT: Final = 1 << 16
_DEEPEST_ALTERNATE: Final = 5
_INDEX_MAGIC: Final = b"\xfftOc\x00\x00\x00\x02"
_NAMES_AT: Final = len(_INDEX_MAGIC) + 256 * 4


def holds_object(common_dir: str, oid: str) -> bool:
    """Whether an object is there, loose, packed or in an alternate; its content is not proved."""
    return any(_folder_holds(folder, oid) for folder in _object_folders(os.path.join(common_dir, "objects")))


def _object_folders(folder: str, depth: int = 0) -> Iterator[str]:
    yield folder
    if depth == _DEEPEST_ALTERNATE:
        return
    try:
        listed = read_regular(os.path.join(folder, "info", "alternates"), _ALTERNATES_LIMIT)
    except OSError:
        return
    for line in (listed or b"").splitlines():
        if line and not line.startswith(b"#"):
            yield from _object_folders(os.path.join(folder, os.fsdecode(line)), depth + 1)


def _folder_holds(folder: str, oid: str) -> bool:
    if os.path.isfile(os.path.join(folder, oid[:2], oid[2:])):
        return True
    packs = os.path.join(folder, "pack")
    try:
        names = os.listdir(packs)
    except OSError:
        return False
    raw = bytes.fromhex(oid)
    return any(_index_names(os.path.join(packs, name), raw) for name in names if name.endswith(".idx"))


def _index_names(path: str, raw: bytes) -> bool:
    """Whether a pack index (version 2, what every git since 1.5.2 writes) names an object."""
    try:
        with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as index:
            if index[: len(_INDEX_MAGIC)] != _INDEX_MAGIC or len(index) < _NAMES_AT:
                return False
            fan_out = struct.unpack_from(">256I", index, len(_INDEX_MAGIC))
            low, high = (fan_out[raw[0] - 1] if raw[0] else 0), fan_out[raw[0]]
            while low < high:
                middle = (low + high) // 2
                at = _NAMES_AT + middle * len(raw)
                name = index[at : at + len(raw)]
                if name == raw:
                    return True
                low, high = (middle + 1, high) if name < raw else (low, middle)
    except (OSError, ValueError):
        # Gone between listing and opening (a repack), or empty.
        return False
    return False
