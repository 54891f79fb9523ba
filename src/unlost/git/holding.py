"""Whether a repository holds an object: its folders read as data, no process."""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator
from typing import Final

from unlost.git.packed import packs_name
from unlost.host.reading import read_regular

_ALTERNATES_LIMIT: Final = 1 << 16
_DEEPEST_ALTERNATE: Final = 5
_BEGINNING: Final = 512
_HEADER: Final = 32
_KINDS: Final = (b"blob ", b"tree ", b"commit ", b"tag ")


def holds_object(common_dir: str, oid: str) -> bool:
    """Whether an object is there, loose, packed or in an alternate; its content is not proved."""
    return any(_folder_holds(folder, oid) for folder in object_folders(os.path.join(common_dir, "objects")))


def object_folders(folder: str, depth: int = 0) -> Iterator[str]:
    """A folder of objects and those that it names as alternates; a name in quotes is not read, and leads nowhere."""
    yield folder
    if depth == _DEEPEST_ALTERNATE:
        return
    try:
        listed = read_regular(os.path.join(folder, "info", "alternates"), _ALTERNATES_LIMIT)
    except OSError:
        return
    for line in (listed or b"").splitlines():
        if line and not line.startswith(b"#"):
            yield from object_folders(os.path.join(folder, os.fsdecode(line)), depth + 1)


def _folder_holds(folder: str, oid: str) -> bool:
    return is_loose(folder, oid) or packs_name(folder, oid)


def is_loose(folder: str, oid: str) -> bool:
    """Whether a loose object is there and begins like one: an empty or garbled file is what a lost disk leaves."""
    try:
        descriptor = os.open(os.path.join(folder, oid[:2], oid[2:]), os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return zlib.decompressobj().decompress(os.read(descriptor, _BEGINNING), _HEADER).startswith(_KINDS)
    except (OSError, zlib.error):
        return False
    finally:
        os.close(descriptor)
