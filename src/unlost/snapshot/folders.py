"""Find ignored files and nested repositories without a parser of ignore rules, and mostly without looking.

Ignored are the names on disk that the baseline does not hold and that `git status` does not call untracked. A walk is
seldom needed: `status` opens each folder whose stamp changed and then must rewrite the private index (its untracked
cache changed), so an untouched index, the *seal*, proves that no folder it visits gained or lost a name. What it never
visits, ignored folders, are asked for their own stamps.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Final

from unlost.facts.paths import NEVER, REBUILDABLE, parent_of
from unlost.git.repository import locate_git_dir
from unlost.git.trees import TreeSource, folder_entries
from unlost.host.reading import Reader
from unlost.host.stamps import Stamp, settled_stamp
from unlost.snapshot.state import Seen, load_cache, save_cache

FolderStamp = tuple[int, int, int]
"""(modified ns, changed ns, inode) of a folder."""

_Listed = tuple[FolderStamp | None, tuple[bytes, ...], tuple[bytes, ...], bool]
"""(stamp unless doubtful, folders below, other names, whether it is a nested repository)."""

_EMPTY: Final[tuple[bytes, ...]] = ()


@dataclass(frozen=True, kw_only=True)
class Found:
    """Ignored files and nested repositories; `full` when there were more ignored files than are taken."""

    ignored: list[bytes]
    nested: list[bytes]
    full: bool


def recall(seen: Seen | None, seal: Stamp | None, reader: Reader) -> Found | None:
    """The last answer, when nothing can have changed it; else None."""
    if seen is None or seal is None or seen.seal != seal:
        return None
    for folder, stamp in seen.hidden.items():
        try:
            status = os.stat(folder, dir_fd=reader.root, follow_symlinks=False)
        except OSError:
            return None
        if stamp != _stamp(status):
            return None
    return Found(ignored=seen.ignored, nested=seen.nested, full=seen.full)


class FolderWalk:
    """One walk over every folder that may hold ignored files; a folder is listed again only when it changed."""

    def __init__(self, root: str, reader: Reader, trees: TreeSource, baseline: str, *, most: int, now: int) -> None:
        self._root = root
        self._reader = reader
        self._trees = trees
        self._baseline = baseline
        self._most = most
        self._now = now
        self._listed: dict[bytes, _Listed] = {}

    def walk(self, cache: str, untracked: frozenset[bytes]) -> Found:
        """Walk, with the listings of the last time in the file `cache`."""
        old = load_cache(cache)
        old = old if isinstance(old, dict) else {}
        ignored: list[bytes] = []
        nested: list[bytes] = []
        others = 0
        stack = [b""]
        while stack:
            folder = stack.pop()
            listed = self._look(folder, old.get(folder))
            if listed is None:
                continue
            self._listed[folder] = listed
            _, below, names, is_nested = listed
            if is_nested:
                nested.append(folder)
                continue
            prefix = folder + b"/" if folder else b""
            mine = [path for name in names if (path := prefix + name) not in untracked]
            others += len(mine)
            if others <= self._most:
                ignored += mine
            stack.extend(prefix + name for name in below)
        if self._listed != old:
            save_cache(cache, self._listed)
        return Found(ignored=ignored, nested=nested, full=others > self._most)

    def remember(self, found: Found, seal: Stamp | None, untracked: frozenset[bytes]) -> Seen:
        """What `recall` needs; a folder with a doubtful stamp makes the next capture walk again."""
        shown = {b""}
        for path in untracked:
            head = parent_of(path)
            while head not in shown:
                shown.add(head)
                head = parent_of(head)
        hidden = {
            folder: stamp
            for folder, (stamp, _, _, _) in self._listed.items()
            if stamp is not None and folder not in shown and not folder_entries(self._trees, self._baseline, folder)
        }
        sure = all(stamp is not None for stamp, _, _, _ in self._listed.values())
        return Seen(
            seal=seal if sure else None, hidden=hidden, ignored=found.ignored, nested=found.nested, full=found.full
        )

    def _look(self, folder: bytes, known: _Listed | None) -> _Listed | None:
        """The known listing while the folder's stamp stands, else a fresh one; None when it is gone or closed."""
        try:
            status = os.stat(folder or b".", dir_fd=self._reader.root, follow_symlinks=False)
        except OSError:
            return None
        if known is not None and known[0] == _stamp(status):
            return known
        sure = settled_stamp(status, self._now) is not None
        try:
            return self._list(folder, _stamp(status) if sure else None)
        except OSError:
            return None

    def _list(self, folder: bytes, stamp: FolderStamp | None) -> _Listed:
        """Read the folder through descriptors."""
        with os.scandir(self._reader.folder(folder)) as listing:
            entries = [(os.fsencode(entry.name), entry.is_dir(follow_symlinks=False)) for entry in listing]
        if folder and any(name == b".git" for name, _ in entries):
            if self._is_repository(folder):
                return stamp, _EMPTY, _EMPTY, True
            # It may become one without any change of this folder: `git init` fills `.git` after making it.
            stamp = None
        known = folder_entries(self._trees, self._baseline, folder)
        below = tuple(name for name, is_dir in entries if is_dir and name not in NEVER and name not in REBUILDABLE)
        others = tuple(name for name, is_dir in entries if not is_dir and name not in known and name not in NEVER)
        return stamp, below, others, False

    def _is_repository(self, folder: bytes) -> bool:
        return locate_git_dir(os.path.join(self._root, os.fsdecode(folder))) is not None


def _stamp(status: os.stat_result) -> FolderStamp:
    return status.st_mtime_ns, status.st_ctime_ns, status.st_ino
