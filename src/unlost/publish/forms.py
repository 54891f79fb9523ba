"""What git would store for a file: line ends, `$Id$` and encodings as the person's git converts them.

Captured trees hold the bytes on disk; a commit holds what git makes of them. Git itself converts, in the empty
repository of ours that knows the person's text settings and no filter program. A file that goes through a filter of
the person's own (LFS, git-crypt) cannot be stored by us.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from unlost.facts.trees import EXECUTABLE, REGULAR, Entry
from unlost.git.call import Git
from unlost.git.configuration import Settings
from unlost.git.parse import parse_names
from unlost.publish.content import Contents

_ASKED: Final = ("text", "eol", "crlf", "filter", "ident", "working-tree-encoding")
_SILENT: Final = frozenset({"unspecified", "unset"})
_FILES: Final = frozenset({REGULAR, EXECUTABLE})


class Forms:
    """The stored forms of files in one work tree; `judge` is the git dir of ours that knows its text settings."""

    def __init__(self, judge: Git, settings: Settings, contents: Contents) -> None:
        self._judge = judge
        self._settings = settings
        self._contents = contents
        self._attributes: dict[bytes, dict[str, str]] = {}
        # Where the file system knows no exec bit, git keeps the one that is committed.
        self._modeless = settings.get("core.filemode", "true").lower() in ("false", "no", "off", "0")
        self._converts = settings.get("core.autocrlf", "false").lower() in ("true", "input", "yes", "on", "1")

    def learn(self, paths: Iterable[bytes]) -> None:
        """Ask for the attributes of these paths, in one process."""
        asked = [path for path in dict.fromkeys(paths) if path not in self._attributes]
        if not asked:
            return
        told = self._judge.run("check-attr", "-z", "--stdin", *_ASKED, stdin=b"".join(path + b"\0" for path in asked))
        self._attributes.update({path: {} for path in asked})
        items = iter(parse_names(told))
        for path, attribute, value in zip(items, items, items, strict=False):
            self._attributes.setdefault(path, {})[attribute.decode()] = value.decode("utf-8", "replace")

    def is_filtered(self, path: bytes) -> bool:
        """Whether a program of the person's own stands between the file and what git stores."""
        name = self._attribute(path, "filter")
        if name in _SILENT:
            return False
        return any(f"filter.{name}.{how}" in self._settings for how in ("clean", "process"))

    def stored(self, path: bytes, entry: Entry | None) -> Entry | None:
        """The entry as git would store it."""
        if entry is None or entry.mode not in _FILES:
            return entry
        if self._modeless:
            entry = Entry(REGULAR, entry.oid)
        if not self._may_convert(path):
            return entry
        data = self._contents.read(entry.oid)
        if not self._is_worth_asking(path, data):
            return entry
        oid = self._judge.run("hash-object", "-w", "--stdin", "--path", _argument(path), stdin=data).decode().strip()
        if oid == entry.oid:
            return entry
        return Entry(entry.mode, self._contents.write(self._judge.run("cat-file", "blob", oid)))

    def _may_convert(self, path: bytes) -> bool:
        spoken = any(self._attribute(path, name) not in _SILENT for name in _ASKED if name != "filter")
        return self._converts or spoken

    def _is_worth_asking(self, path: bytes, data: bytes) -> bool:
        if self._attribute(path, "working-tree-encoding") not in _SILENT:
            return True
        return b"\r\n" in data or (b"$Id" in data and self._attribute(path, "ident") not in _SILENT)

    def _attribute(self, path: bytes, name: str) -> str:
        known: Mapping[str, str] = self._attributes.get(path, {})
        return known.get(name, "unspecified")


def _argument(path: bytes) -> str:
    return path.decode("utf-8", "surrogateescape")
