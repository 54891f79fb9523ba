"""Trees and evidence in memory: doubles of `guard.sight.TreeReader` and `guard.sight.Evidence`."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from unlost.facts.trees import REGULAR, Change, Entry
from unlost.guard.sight import GoneCommit, GoneStash, Suspect, Trace

Content = str | bytes | tuple[str, str]
"""A content, or (mode, content)."""
Files = Mapping[str, Content | None]
"""Path to content; None is no file."""


class MemoryTrees:
    """Trees by name; contents by the SHA-1 that git would give them."""

    def __init__(self) -> None:
        self._trees: dict[str, dict[bytes, Entry]] = {"": {}}
        self._contents: dict[str, bytes] = {}

    def put(self, files: Files) -> str:
        """Keep a tree and return its name."""
        tree = {path.encode(): self.put_file(content) for path, content in files.items() if content is not None}
        name = hashlib.sha1(repr(sorted(tree.items())).encode(), usedforsecurity=False).hexdigest() if tree else ""
        self._trees[name] = tree
        return name

    def put_file(self, content: Content) -> Entry:
        """Keep a content and return its entry."""
        mode, text = content if isinstance(content, tuple) else (REGULAR, content)
        data = text.encode() if isinstance(text, str) else text
        oid = hashlib.sha1(b"blob %d\0%b" % (len(data), data), usedforsecurity=False).hexdigest()
        self._contents[oid] = data
        return Entry(mode, oid)

    def changes(self, before: str, after: str) -> tuple[Change, ...]:
        """Paths that differ, in bytewise order."""
        old, new = self._trees[before], self._trees[after]
        return tuple(
            Change(path, old.get(path), new.get(path))
            for path in sorted(old.keys() | new.keys())
            if old.get(path) != new.get(path)
        )

    def entry(self, tree: str, path: bytes) -> Entry | None:
        """One file of a tree."""
        return self._trees[tree].get(path)

    def content(self, oid: str, limit: int) -> bytes | None:
        """A content, None beyond the limit."""
        data = self._contents[oid]
        return data if len(data) <= limit else None


@dataclass
class MemoryEvidence:
    """Answers with what a test put in; `asked` are the paths it was asked about."""

    traces: dict[bytes, Trace] = field(default_factory=dict)
    on_disk: dict[bytes, Entry] = field(default_factory=dict)
    commits: tuple[GoneCommit, ...] = ()
    stashes: tuple[GoneStash, ...] = ()
    blobs: dict[str, bytes] = field(default_factory=dict)
    asked: list[bytes] = field(default_factory=list)

    def beside(self, paths: Iterable[bytes]) -> Mapping[bytes, Entry]:
        return {path: self.on_disk[path] for path in paths if path in self.on_disk}

    def trace(self, suspects: Sequence[Suspect]) -> Mapping[bytes, Trace]:
        self.asked += [suspect.path for suspect in suspects]
        return self.traces

    def gone_commits(self) -> tuple[GoneCommit, ...]:
        return self.commits

    def gone_stashes(self) -> tuple[GoneStash, ...]:
        return self.stashes

    def content(self, oid: str, limit: int) -> bytes | None:
        data = self.blobs.get(oid)
        return data if data is not None and len(data) <= limit else None
