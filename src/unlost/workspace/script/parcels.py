"""Several files as one that travels: every transfer costs a place several processes."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from typing import Final

from unlost.host.folders import Folder
from unlost.host.reading import write_all

PARCEL: Final = b"parcel"
_PIECE: Final = 4 << 20
_LONGEST_HEAD: Final = 1 << 12


class ParcelDamaged(Exception):
    """A parcel does not hold what its head says."""


def pack_parcel(folder: Folder, names: Iterable[bytes]) -> None:
    """Make the parcel of these files of a folder: one line of JSON with names and sizes, then their bytes.

    The files go into it: each is removed once it is copied.
    """
    sizes = {name: os.stat(name, dir_fd=folder.descriptor).st_size for name in names}
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
    target = os.open(PARCEL, flags, 0o600, dir_fd=folder.descriptor)
    try:
        write_all(target, json.dumps([[name.decode("ascii"), size] for name, size in sizes.items()]).encode() + b"\n")
        for name, size in sizes.items():
            source = folder.open_file(name)
            try:
                _copy(source, target, size)
            finally:
                os.close(source)
            os.unlink(name, dir_fd=folder.descriptor)
    finally:
        os.close(target)


def unpack_parcel(folder: Folder, names: Iterable[bytes]) -> None:
    """Make the files again, and remove the parcel; harmless when that was done before.

    Raises ParcelDamaged when it holds other files than these, or is torn.
    """
    if folder.status(PARCEL) is None:
        return
    source = folder.open_file(PARCEL)
    try:
        head = os.pread(source, _LONGEST_HEAD, 0).partition(b"\n")[0]
        parts = json.loads(head)
        if [name.encode("ascii") for name, _ in parts] != list(names):
            raise ParcelDamaged("it holds other files")
        os.lseek(source, len(head) + 1, os.SEEK_SET)
        for name, size in parts:
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
            target = os.open(name, flags, 0o600, dir_fd=folder.descriptor)
            try:
                _copy(source, target, size)
            finally:
                os.close(target)
    except (ValueError, TypeError) as error:
        raise ParcelDamaged("its head is damaged") from error
    finally:
        os.close(source)
    os.unlink(PARCEL, dir_fd=folder.descriptor)


def _copy(source: int, target: int, size: int) -> None:
    """Copy so many bytes from where the source stands; memory holds one piece."""
    while size:
        piece = os.read(source, min(size, _PIECE))
        if not piece:
            raise ParcelDamaged("it is torn")
        write_all(target, piece)
        size -= len(piece)
