"""The files of a new root, out of the packs, or as second names of what the old root holds unchanged.

The stage is a folder of ours alone whose name nobody can guess. Folders are made first and links last, so no file is
ever written through a link; a file exists once it is whole, or the whole stage is thrown away.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, Self

from unlost.facts.paths import check_path
from unlost.facts.records import dataclass
from unlost.facts.trees import EXECUTABLE, LINK, NESTED, REGULAR
from unlost.host.reading import Reader, write_all
from unlost.workspace.script.packs import LARGE, Extent, Pack, PackDamaged, tree_entries

_FOLDER: Final = "40000"
_CREATE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_PIECE: Final = 1 << 20
_LONGEST_LINK: Final = 4096


@dataclass(frozen=True, kw_only=True)
class File:
    """One path of a tree."""

    path: bytes
    mode: str
    oid: str


class Trees:
    """The trees of several packs; a context manager's worth of memory, for trees are small."""

    def __init__(self, packs: Iterable[Pack], object_format: str) -> None:
        self._format = object_format
        self._data: dict[str, bytes] = {}
        for pack in packs:
            for oid, extent in pack.of_kind("tree"):
                self._data[oid] = pack.read(oid, extent)

    def walk(self, tree: str) -> Iterator[File]:
        """Every file, link and nested repository below a tree. Raises PackDamaged when a tree is missing."""
        # No recursion: a tree may be two thousand folders deep.
        waiting = [(b"", tree)]
        while waiting:
            prefix, oid = waiting.pop()
            for mode, name, entry in tree_entries(self._content(oid), self._format):
                if mode == _FOLDER:
                    waiting.append((prefix + name + b"/", entry))
                else:
                    yield File(path=prefix + name, mode=mode, oid=entry)

    def _content(self, tree: str) -> bytes:
        data = self._data.get(tree)
        if data is not None:
            return data
        if tree == hashlib.new(self._format, b"tree 0\0", usedforsecurity=False).hexdigest():
            return b""
        raise PackDamaged(f"the tree {tree[:12]} is missing")


class OldRoot:
    """The root that is replaced, as a source of unchanged files; nothing in it is changed."""

    def __init__(self, parent: int, name: bytes | None) -> None:
        self._reader = None if name is None else Reader(name, folder=parent)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._reader is not None:
            self._reader.close()

    def link(self, file: File, size: int, pieces: Iterable[bytes], stage: int, object_format: str) -> bool:
        """Give the stage a second name for the old root's file when that has exactly this content and mode.

        Never for a file with other names already: what shares it from outside must not reach into the new root.
        """
        if self._reader is None:
            return False
        try:
            return self._linked(file, size, pieces, stage, object_format)
        except OSError:
            return False

    def _linked(self, file: File, size: int, pieces: Iterable[bytes], stage: int, object_format: str) -> bool:
        reader = self._reader
        assert reader is not None
        descriptor = reader.open(file.path)
        try:
            before = os.fstat(descriptor)
            executable = bool(before.st_mode & stat.S_IXUSR)
            alone = stat.S_ISREG(before.st_mode) and before.st_nlink == 1 and before.st_uid == os.geteuid()
            if not alone or before.st_size != size or executable != (file.mode == EXECUTABLE):
                return False
            same = (
                _oid_of(descriptor, size, object_format) == file.oid if size >= LARGE else _equals(descriptor, pieces)
            )
        finally:
            os.close(descriptor)
        if not same:
            return False
        holder, name = reader.locate(file.path)
        os.link(name, file.path, src_dir_fd=holder, dst_dir_fd=stage, follow_symlinks=False)
        after = os.stat(file.path, dir_fd=stage, follow_symlinks=False)
        if (after.st_ino, after.st_size, after.st_mtime_ns) == (before.st_ino, before.st_size, before.st_mtime_ns):
            return True
        # Another file took its name, or it was written to, since it was read.
        os.unlink(file.path, dir_fd=stage)
        return False


class Filling:
    """Puts files into a stage; remembers what each regular file looked like, for the new index."""

    def __init__(self, stage: int, old: OldRoot, object_format: str) -> None:
        self.seen: dict[bytes, tuple[str, os.stat_result]] = {}
        self.linked = 0
        self.written = 0
        self._stage = stage
        self._old = old
        self._format = object_format

    def fill(self, files: Mapping[bytes, File], packs: Iterable[Pack]) -> int:
        """Put every file there; how many nested repositories were passed over.

        Raises PackDamaged when a content is missing or damaged, ValueError for a path no root may have, OSError.
        """
        wanted: dict[str, list[File]] = {}
        for file in files.values():
            check_path(file.path)
            if file.mode in (REGULAR, EXECUTABLE, LINK):
                wanted.setdefault(file.oid, []).append(file)
            elif file.mode != NESTED:
                raise PackDamaged(f"an entry has the mode {file.mode}")
        self._make_folders(files)
        links: list[tuple[bytes, bytes]] = []
        for pack in packs:
            for oid, extent in pack.of_kind("blob"):
                for file in wanted.pop(oid, ()):
                    if file.mode == LINK:
                        links.append((file.path, self._target(pack, oid, extent)))
                    else:
                        self._place(pack, file, extent)
        if wanted:
            raise PackDamaged(f"{len(wanted)} contents are missing")
        for path, target in links:
            os.symlink(target, path, dir_fd=self._stage)
        return sum(1 for file in files.values() if file.mode == NESTED)

    def _make_folders(self, files: Mapping[bytes, File]) -> None:
        made: set[bytes] = set()
        for path in files:
            waiting, folder = [], path.rpartition(b"/")[0]
            while folder and folder not in made:
                waiting.append(folder)
                made.add(folder)
                folder = folder.rpartition(b"/")[0]
            for each in reversed(waiting):
                os.mkdir(each, dir_fd=self._stage)

    def _target(self, pack: Pack, oid: str, extent: Extent) -> bytes:
        if extent.size > _LONGEST_LINK:
            raise PackDamaged("a link is too long")
        return pack.read(oid, extent)

    def _place(self, pack: Pack, file: File, extent: Extent) -> None:
        large = extent.size >= LARGE
        pieces: Iterable[bytes] = () if large else [pack.read(file.oid, extent)]
        if self._old.link(file, extent.size, pieces, self._stage, self._format):
            self.linked += 1
            self.seen[file.path] = (file.oid, os.stat(file.path, dir_fd=self._stage, follow_symlinks=False))
            return
        mode = 0o777 if file.mode == EXECUTABLE else 0o666
        descriptor = os.open(file.path, _CREATE, mode, dir_fd=self._stage)
        try:
            for piece in pack.pieces(file.oid, extent) if large else pieces:
                write_all(descriptor, piece)
            self.seen[file.path] = (file.oid, os.fstat(descriptor))
        finally:
            os.close(descriptor)
        self.written += 1


def _equals(descriptor: int, pieces: Iterable[bytes]) -> bool:
    """Whether a file holds exactly these bytes."""
    for piece in pieces:
        found = b""
        while len(found) < len(piece):
            more = os.read(descriptor, len(piece) - len(found))
            if not more:
                return False
            found += more
        if found != piece:
            return False
    return not os.read(descriptor, 1)


def _oid_of(descriptor: int, size: int, object_format: str) -> str:
    """The object id of an open file's content."""
    digest = hashlib.new(object_format, b"blob %d\0" % size, usedforsecurity=False)
    while piece := os.read(descriptor, _PIECE):
        digest.update(piece)
    return digest.hexdigest()
