"""Git's own lock on the user's index, held by us in a way that a later process knows for ours.

The lock file appears with our mark in it, at once: a name of our own is linked to it. What stands under the other names
is the index as it was and as it was put, while a delivery goes on; all of them go with the lock.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from unlost.git.repository import Repository
from unlost.host.reading import read_regular, write_all

MARK: Final = b"unlost puts a commit here. When no unlost runs, this file may go.\n"
"""What stands in a lock of ours."""

_LOCK: Final = "index.lock"
_OWN_LOCK: Final = "unlost-index.lock"
NEW_INDEX: Final = "unlost-index.new"
OLD_INDEX: Final = "unlost-index.old"
PUT_INDEX: Final = "unlost-index.put"
_LEAVINGS: Final = (_OWN_LOCK, NEW_INDEX, OLD_INDEX, PUT_INDEX)
_INDEX_LIMIT: Final = 1 << 30


class IndexLocked(Exception):
    """Somebody else holds the index."""


@contextmanager
def index_held(repository: Repository) -> Iterator[None]:
    """Hold `index.lock` as git does: whoever makes the file holds it. It appears with our mark in it, at once."""
    own, lock = place_of(repository, _OWN_LOCK), place_of(repository, _LOCK)
    if holds_our_lock(repository):
        sweep(repository)
    write_new(own, MARK)
    try:
        second_name(own, lock)
    except FileExistsError as error:
        raise IndexLocked from error
    finally:
        os.unlink(own)
    try:
        yield
    finally:
        sweep(repository)


def take_index_back(repository: Repository) -> None:
    """Put the old index in place again, unless git has written another one since."""
    index, put, old = (place_of(repository, name) for name in ("index", PUT_INDEX, OLD_INDEX))
    written = read_regular(put, _INDEX_LIMIT)
    if written is not None and written == read_regular(index, _INDEX_LIMIT):
        if os.path.exists(old):
            os.rename(old, index)
        else:
            os.unlink(index)


def holds_our_lock(repository: Repository) -> bool:
    """Whether the lock that stands there is one of ours, living or left behind."""
    try:
        return read_regular(place_of(repository, _LOCK), len(MARK)) == MARK
    except OSError:
        return False


def sweep(repository: Repository) -> None:
    """Remove what is ours in the user's git dir, the lock last."""
    for name in _LEAVINGS:
        place = place_of(repository, name)
        if os.path.lexists(place):
            os.unlink(place)
    if holds_our_lock(repository):
        os.unlink(place_of(repository, _LOCK))


def place_of(repository: Repository, name: str) -> str:
    """The path of a file in the user's git dir."""
    return os.path.join(repository.git_dir, name)


def second_name(path: str, name: str) -> None:
    """Have a file under a second name, at once where the file system can. Raises FileExistsError."""
    try:
        os.link(path, name)
    except FileExistsError:
        raise
    except OSError:
        write_new(name, read_regular(path, _INDEX_LIMIT) or b"", over=False)


def write_new(path: str, data: bytes, *, over: bool = True) -> None:
    """Write a file that is not there, durably; with `over` what is there goes first. Raises FileExistsError."""
    if over and os.path.lexists(path):
        os.unlink(path)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
    try:
        write_all(descriptor, data)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
