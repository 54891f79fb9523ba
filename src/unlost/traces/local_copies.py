"""Copies of files that editors and agents keep in the user's own folders, outside the repository."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Final, Literal

from unlost.facts.paths import check_path
from unlost.facts.records import dataclass
from unlost.host.reading import read_regular

Keeper = Literal["vscode", "claude"]

LARGEST_COPY: Final = 4 << 20
"""Bytes of a copy that is read; a larger one is not found."""
MOST_FOLDERS: Final = 20_000
"""Folders of one keeper that are looked into, the newest first."""


@dataclass(frozen=True, kw_only=True)
class LocalCopy:
    """One kept copy of a file below the root: `file` is its own absolute path, `at` is in seconds since 1970."""

    path: bytes
    keeper: Keeper
    file: str
    at: float

    def read(self) -> bytes | None:
        """Its content; None when it is gone, cannot be read, or is too large."""
        try:
            return read_regular(self.file, LARGEST_COPY)
        except OSError:
            return None


def path_below(root: str, file: str) -> bytes | None:
    """The path of an absolute file name below a root; None when it is outside, or is no file of a work tree."""
    top = os.fsencode(root.rstrip("/") + "/")
    whole = os.fsencode(file)
    if not whole.startswith(top):
        return None
    path = whole[len(top) :]
    try:
        check_path(path)
    except ValueError:
        return None
    return path


def newest_folders(parent: str) -> list[os.DirEntry[str]]:
    """The folders in a folder, the newest first, at most `MOST_FOLDERS`; none when it cannot be listed."""
    found: list[tuple[float, os.DirEntry[str]]] = []
    for entry in entries_of(parent):
        try:
            if entry.is_dir(follow_symlinks=False):
                found.append((entry.stat(follow_symlinks=False).st_mtime, entry))
        except OSError:
            continue
    return [entry for _, entry in sorted(found, key=lambda row: -row[0])[:MOST_FOLDERS]]


def entries_of(folder: str) -> Iterator[os.DirEntry[str]]:
    """The entries of a folder; none when it cannot be listed."""
    try:
        with os.scandir(folder) as entries:
            yield from entries
    except OSError:
        return


def json_object(data: bytes | None) -> dict[str, object]:
    """The JSON object in some bytes; an empty one for anything else."""
    try:
        value = json.loads(data) if data else {}
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
