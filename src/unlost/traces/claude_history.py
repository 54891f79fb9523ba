"""The file history of Claude Code: the content of each file before and after its edits.

    file-history/<session>/<first 16 digits of the sha256 of the absolute path>@v<number>    the content
    projects/<root, each sign that is no letter or digit as a dash>/<session>.jsonl          which path each is of

The digest alone proves a path that somebody names; transcripts name those that nothing else knows any more.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Iterator
from typing import Final

from unlost.traces.local_copies import LocalCopy, entries_of, json_object, newest_folders, path_below

_BACKUP: Final = re.compile(r"([0-9a-f]{16})@v\d{1,9}")
_NO_SIGN: Final = re.compile(r"[^A-Za-z0-9]")
_RECORDS: Final = (b'"file-history-snapshot"', b'"file-history-delta"')
_MOST_TRANSCRIPTS: Final = 200
_MOST_BYTES: Final = 256 << 20
_LONGEST_LINE: Final = 16 << 20


def claude_copies(folder: str, root: str, known: Iterable[bytes]) -> Iterator[LocalCopy]:
    """What the file history in Claude Code's folder keeps of files below a root.

    `known` are paths that some other trace names; transcripts of this root add theirs.
    """
    if not os.path.isdir(os.path.join(folder, "file-history")):
        return
    paths = {digest_of(root, path): path for path in (*_told_paths(folder, root), *known)}
    for session in newest_folders(os.path.join(folder, "file-history")):
        for entry in entries_of(session.path):
            match = _BACKUP.fullmatch(entry.name)
            if match is None or match[1] not in paths:
                continue
            try:
                at = entry.stat(follow_symlinks=False).st_mtime
            except OSError:
                continue
            yield LocalCopy(path=paths[match[1]], keeper="claude", file=entry.path, at=at)


def digest_of(root: str, path: bytes) -> str:
    """How the file history names a file."""
    return hashlib.sha256(os.path.join(os.fsencode(root), path)).hexdigest()[:16]


def _told_paths(folder: str, root: str) -> Iterator[bytes]:
    """Every path below the root that a transcript of it says was backed up; the newest transcripts are read."""
    project = os.path.join(folder, "projects", _NO_SIGN.sub("-", root))
    files = [entry for entry in entries_of(project) if entry.name.endswith(".jsonl")]
    left = _MOST_BYTES
    for entry in sorted(files, key=_age, reverse=True)[:_MOST_TRANSCRIPTS]:
        for line in _lines(entry.path, left):
            left -= len(line)
            if any(record in line for record in _RECORDS):
                yield from _paths_in(line, root)


def _paths_in(line: bytes, root: str) -> Iterator[bytes]:
    """The paths of one record: absolute, or relative to the root."""
    record = json_object(line)
    snapshot = record.get("snapshot")
    tracked = snapshot.get("trackedFileBackups") if isinstance(snapshot, dict) else None
    for name in (*(tracked if isinstance(tracked, dict) else ()), record.get("trackingPath")):
        path = path_below(root, os.path.join(root, name)) if isinstance(name, str) else None
        if path is not None:
            yield path


def _lines(path: str, most: int) -> Iterator[bytes]:
    """The lines of a transcript, up to so many bytes; one that is over-long comes in pieces, which parse as nothing."""
    try:
        with open(path, "rb") as file:
            while most > 0 and (line := file.readline(_LONGEST_LINE)):
                most -= len(line)
                yield line
    except OSError:
        return


def _age(entry: os.DirEntry[str]) -> float:
    try:
        return entry.stat().st_mtime
    except OSError:
        return 0.0
