"""What is at a path of the work tree now: read by descriptor, hashed as git would hash the raw bytes."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from typing import Final, Literal, NamedTuple

from unlost.facts.paths import is_reserved
from unlost.facts.records import dataclass
from unlost.facts.trees import EXECUTABLE, LINK, REGULAR, Entry
from unlost.git.formats import ObjectFormat
from unlost.host.folders import Folder
from unlost.host.stamps import file_clock, settled_stamp

Kind = Literal["absent", "file", "link", "folder", "special", "blocked", "unreadable"]
_PIECE: Final = 1 << 20


class FileTraits(NamedTuple):
    """What tells one state of a file from another without reading it; `modified` in nanoseconds.

    The change time is left out: a rename alters it, and restoring renames.
    """

    device: int
    inode: int
    mode: int
    size: int
    modified: int


@dataclass(frozen=True, kw_only=True)
class Present:
    """What one path holds.

    `entry` and `traits` are there for files and links. `blocked`: a file or link stands where a folder of the
    path should be, and `blocker` is its path. `settled`: a write after this look must show in the traits; it would
    not when the file was written in the same tick of the file system's clock.
    """

    kind: Kind
    entry: Entry | None = None
    traits: FileTraits | None = None
    blocker: bytes | None = None
    settled: bool = True


ABSENT: Final = Present(kind="absent")


def traits_of(status: os.stat_result) -> FileTraits:
    """The traits of a status that was taken without following links."""
    return FileTraits(status.st_dev, status.st_ino, status.st_mode, status.st_size, status.st_mtime_ns)


def look(root: Folder, path: bytes, naming: ObjectFormat) -> Present:
    """What a path below the root holds now; `naming` is the object format of the store."""
    folder, _, name = path.rpartition(b"/")
    try:
        holder = root.below(folder)
    except FileNotFoundError:
        return ABSENT
    except OSError as error:
        return _blocked(root, folder, error)
    with holder:
        try:
            return look_in(holder, name, naming)
        except OSError:
            return Present(kind="unreadable")


def look_in(holder: Folder, name: bytes, naming: ObjectFormat) -> Present:
    """What a name in an open folder holds now. OSError when it cannot be read."""
    status = holder.status(name)
    if status is None:
        return ABSENT
    if stat.S_ISDIR(status.st_mode):
        return Present(kind="folder")
    if stat.S_ISLNK(status.st_mode):
        oid = naming.name_of(b"blob", holder.link_target(name))
        return Present(kind="link", entry=Entry(LINK, oid), traits=traits_of(status))
    if not stat.S_ISREG(status.st_mode):
        return Present(kind="special")
    return _look_at_file(holder, name, naming)


def files_below(root: Folder, path: bytes) -> Iterator[bytes]:
    """Every path below a folder that is no folder itself, in no order that may be relied on.

    Reserved folders (`.git` and its kin) are given as a path, not entered: nothing in them is ours to move.
    """
    waiting = [path]
    while waiting:
        here = waiting.pop()
        with root.below(here) as folder:
            for name in folder.names():
                status = folder.status(name)
                inner = here + b"/" + name
                if status is not None and stat.S_ISDIR(status.st_mode) and not is_reserved(name):
                    waiting.append(inner)
                elif status is not None:
                    yield inner


def _look_at_file(holder: Folder, name: bytes, naming: ObjectFormat) -> Present:
    now = file_clock()
    descriptor = holder.open_file(name)
    try:
        before = os.fstat(descriptor)
        hasher = naming.new(b"blob %d\0" % before.st_size)
        while piece := os.read(descriptor, _PIECE):
            hasher.update(piece)
        after = os.fstat(descriptor)
    finally:
        os.close(descriptor)
    if not stat.S_ISREG(after.st_mode) or traits_of(before) != traits_of(after):
        # Somebody is writing it: no content that a snapshot holds can be said to be this one.
        return Present(kind="unreadable")
    mode = EXECUTABLE if after.st_mode & 0o100 else REGULAR
    return Present(
        kind="file",
        entry=Entry(mode, hasher.hexdigest()),
        traits=traits_of(after),
        settled=settled_stamp(after, now) is not None,
    )


def _blocked(root: Folder, folder: bytes, error: OSError) -> Present:
    """Which component of a folder's path is a file or link."""
    if error.errno not in (errno.ENOTDIR, errno.ELOOP):
        return Present(kind="unreadable")
    parts = folder.split(b"/")
    for count in range(1, len(parts) + 1):
        blocker = b"/".join(parts[:count])
        try:
            root.below(blocker).close()
        except OSError:
            return Present(kind="blocked", blocker=blocker)
    # It became a folder between the two walks; the caller looks again when it asks again.
    return Present(kind="unreadable")
