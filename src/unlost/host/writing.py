"""Writing into open folders: new files and links that are whole when they appear, and removal.

Everything here creates; what replaces an existing name is a rename (`host.renaming`). So a hard link, a link
or a half-written file can never be written through.
"""

from __future__ import annotations

import contextlib
import os
import stat
from typing import Final

from unlost.host.folders import Folder
from unlost.host.reading import write_all

_CREATE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
# Never setuid, setgid, sticky or writable for all: the rest of a mode is the user's umask's to say.
_ALLOWED_BITS: Final = 0o775


def write_new_file(folder: Folder, name: bytes, data: bytes, *, mode: int | None, executable: bool = False) -> None:
    """Create a file of these bytes; a failure (a full disk) leaves no file behind.

    `mode` sets the permission bits; None leaves them to the umask, with execution where `executable`.
    FileExistsError when something has the name. Not durable before `sync_file`.
    """
    descriptor = os.open(name, _CREATE, 0o777 if executable else 0o666, dir_fd=folder.descriptor)
    try:
        try:
            write_all(descriptor, data)
            if mode is not None:
                os.fchmod(descriptor, mode & _ALLOWED_BITS)
        finally:
            os.close(descriptor)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name, dir_fd=folder.descriptor)
        raise


def write_new_link(folder: Folder, name: bytes, target: bytes) -> None:
    """Create a link; its target is data and is neither followed nor checked."""
    os.symlink(target, name, dir_fd=folder.descriptor)


def sync_file(folder: Folder, name: bytes) -> None:
    """Make one file's bytes durable."""
    descriptor = folder.open_file(name)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def remove_name(folder: Folder, name: bytes) -> bool:
    """Remove a file or link; False when nothing had the name. OSError (EISDIR, EPERM) for a folder."""
    try:
        os.unlink(name, dir_fd=folder.descriptor)
    except FileNotFoundError:
        return False
    return True


def remove_empty_folders(root: Folder, path: bytes) -> None:
    """Remove the folder at a path and those above it, below the root, as long as each is empty."""
    while path:
        try:
            holder, name = root.holding(path)
        except OSError:
            return
        with holder:
            try:
                os.rmdir(name, dir_fd=holder.descriptor)
            except FileNotFoundError:
                pass
            except OSError:
                return
        path = path.rpartition(b"/")[0]


def remove_hollow_tree(folder: Folder, name: bytes) -> bool:
    """Remove a folder that holds nothing but folders, at any depth; False, and nothing removed, when it holds more."""
    found = [name]
    for path in found:
        with folder.below(path) as here:
            for each in here.names():
                status = here.status(each)
                if status is None or not stat.S_ISDIR(status.st_mode):
                    return False
                found.append(path + b"/" + each)
    for path in reversed(found):
        holder, last = folder.holding(path)
        with holder:
            try:
                os.rmdir(last, dir_fd=holder.descriptor)
            except OSError:
                return False
    return True


def remove_tree(folder: Folder, name: bytes) -> None:
    """Remove a folder of unlost's own and all below it, of any depth; harmless when it is gone.

    Works by path from `folder` with one descriptor open at a time: a tree 2,000 folders deep exhausts neither
    the stack nor the descriptors.
    """
    waiting = [name]
    while waiting:
        path = waiting[-1]
        try:
            here = folder.below(path)
        except FileNotFoundError:
            waiting.pop()
            continue
        with here:
            os.fchmod(here.descriptor, 0o700)
            inner = _remove_files(here)
        if inner:
            waiting.extend(path + b"/" + each for each in inner)
            continue
        waiting.pop()
        holder, last = folder.holding(path)
        with holder:
            os.rmdir(last, dir_fd=holder.descriptor)


def _remove_files(folder: Folder) -> list[bytes]:
    """Remove all that is no folder; the names of the folders."""
    inner: list[bytes] = []
    for name in folder.names():
        status = folder.status(name)
        if status is not None and stat.S_ISDIR(status.st_mode):
            inner.append(name)
        else:
            remove_name(folder, name)
    return inner
