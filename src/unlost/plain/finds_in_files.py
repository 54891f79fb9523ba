"""What plain files outside the workspace hold: the repository's other work trees, copies of editors and agents."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from unlost.facts.paths import NEVER, REBUILDABLE
from unlost.facts.records import dataclass
from unlost.facts.trees import EXECUTABLE, LINK, REGULAR, Entry
from unlost.git.formats import ObjectFormat
from unlost.host.reading import Reader, read_regular
from unlost.plain.find import Find, FindPlace, Query
from unlost.traces.local_copies import LocalCopy

MOST_FILES: Final = 20_000
"""Files of one other work tree that are looked at."""
_LARGEST: Final = 4 << 20
_MOST_BYTES: Final = 512 << 20
_SKIPPED: Final = NEVER | REBUILDABLE


@dataclass(frozen=True, kw_only=True)
class _Content:
    """One content, and where it can be read again: below a work tree's root, or at an absolute path (root None)."""

    root: str | None
    path: bytes
    mode: str
    size: int


class _Files:
    """Contents that were read once to be named; they are read again when somebody wants them."""

    def __init__(self, naming: ObjectFormat) -> None:
        self._naming = naming
        self._known: dict[str, _Content] = {}
        self._left = _MOST_BYTES

    def sizes(self, oids: Iterable[str]) -> Mapping[str, int]:
        """The sizes of those contents that were met."""
        return {oid: self._known[oid].size for oid in oids if oid in self._known}

    def contents(self, oids: Iterable[str], largest: int) -> Iterator[tuple[str, bytes]]:
        """Those contents that were met and still stand."""
        for oid in oids:
            known = self._known.get(oid)
            data = None if known is None or known.size > largest else _read(known)
            if data is not None and self._naming.name_of(b"blob", data) == oid:
                yield oid, data

    def _meet(self, data: bytes, *, root: str | None, path: bytes, mode: str) -> Entry:
        oid = self._naming.name_of(b"blob", data)
        self._known.setdefault(oid, _Content(root=root, path=path, mode=mode, size=len(data)))
        self._left -= len(data)
        return Entry(mode, oid)


class InWorkTrees(_Files):
    """Files of the repository's other work trees.

    `missing` tells which content ids the repository does not have: an open query wants only those.
    """

    def __init__(
        self, roots: Iterable[str], naming: ObjectFormat, missing: Callable[[Iterable[str]], frozenset[str]]
    ) -> None:
        super().__init__(naming)
        self._roots = tuple(roots)
        self._missing = missing

    def finds(self, query: Query) -> Iterator[Find]:
        """Every file at the paths of a query."""
        found = self._all(query)
        if not query.is_open:
            yield from found
            return
        listed = list(found)
        uncommitted = self._missing({find.entry.oid for find in listed})
        yield from (find for find in listed if find.entry.oid in uncommitted)

    def _all(self, query: Query) -> Iterator[Find]:
        for root in self._roots:
            try:
                reader = Reader(root)
            except OSError:
                continue
            with reader:
                for path in _paths_in(root, query):
                    yield from self._file(reader, root, path)

    def _file(self, reader: Reader, root: str, path: bytes) -> Iterator[Find]:
        try:
            status = reader.status(path)
            if stat.S_ISLNK(status.st_mode):
                data, mode = reader.link_target(path), LINK
            else:
                read = reader.read(path, min(_LARGEST, self._left))
                data, mode = read or b"", EXECUTABLE if status.st_mode & 0o100 else REGULAR
                if read is None:
                    return
        except OSError:
            return
        entry = self._meet(data, root=root, path=path, mode=mode)
        name = os.fsencode(os.path.basename(root)).decode("utf-8", "backslashreplace")
        yield Find(path=path, place="worktree", ref=name, at=status.st_mtime, entry=entry)


class InCopies(_Files):
    """Copies that editors and agents keep, each told by its file below the user's home folder (`~/…`)."""

    def __init__(self, copies: Iterable[LocalCopy], naming: ObjectFormat, home: str) -> None:
        super().__init__(naming)
        self._copies = copies
        self._home = home

    def finds(self, query: Query) -> Iterator[Find]:
        """Every copy of the paths of a query."""
        for copy in self._copies:
            if not query.wants(copy.path) or (query.since is not None and copy.at < query.since):
                continue
            data = copy.read()
            if data is not None and len(data) <= self._left:
                entry = self._meet(data, root=None, path=os.fsencode(copy.file), mode=REGULAR)
                place: FindPlace = copy.keeper
                yield Find(path=copy.path, place=place, ref=self._told(copy.file), at=copy.at, entry=entry)

    def _told(self, file: str) -> str:
        """A file of the user's without the absolute path of the home folder; else its last three names."""
        home = self._home.rstrip("/") + "/"
        told = f"~/{file[len(home) :]}" if file.startswith(home) else "/".join(file.split("/")[-3:])
        return os.fsencode(told).decode("utf-8", "backslashreplace")


def _paths_in(root: str, query: Query) -> Iterator[bytes]:
    """Paths of files to look at; folders that a tool can make again are passed over."""
    top = os.fsencode(root)
    left = MOST_FILES
    for place in query.paths or (b"",):
        start = os.path.join(top, place) if place else top
        if not os.path.isdir(start) or os.path.islink(start):
            yield place
            continue
        for folder, folders, names in os.walk(start):
            folders[:] = [name for name in folders if name not in _SKIPPED]
            for name in names:
                if name in NEVER:
                    continue
                if left == 0:
                    return
                left -= 1
                yield os.path.join(folder, name)[len(top) + 1 :]


def _read(content: _Content) -> bytes | None:
    """The content as it stands now; None when it is gone or cannot be read."""
    try:
        if content.root is None:
            return read_regular(content.path, _LARGEST)
        with Reader(content.root) as reader:
            return reader.link_target(content.path) if content.mode == LINK else reader.read(content.path, _LARGEST)
    except OSError:
        return None
