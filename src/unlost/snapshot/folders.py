"""Find ignored files and nested repositories without a parser of ignore rules, and mostly without looking.

Ignored are the names on disk that the baseline does not hold and that `git status` does not call untracked. A walk is
seldom needed: `status` opens each folder whose stamp changed and then must rewrite the private index (its untracked
cache changed), so an untouched index, the *seal*, proves that no folder it visits gained or lost a name. What it never
visits, ignored folders (*hidden*), are asked for their own stamps. A folder that holds tracked files may be ignored as
well; which are is asked of git when an ignore file changed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Final

from unlost.facts.paths import NEVER, REBUILDABLE, folders_above
from unlost.facts.records import dataclass
from unlost.git.formats import format_of
from unlost.git.repository import locate_git_dir
from unlost.git.trees import FOLDER, TreeSource, find, folder_entries
from unlost.host.reading import Reader
from unlost.host.stamps import Stamp, settled_stamp
from unlost.snapshot.state import Seen, load_cache, save_cache

FolderStamp = tuple[int, int, int]
"""(modified ns, changed ns, inode) of a folder."""

AskIgnored = Callable[[], Iterable[bytes]]
"""Asks git for the tracked files that an ignore rule names."""

# Plain tuples, because marshal writes nothing else.
_Listed = tuple[FolderStamp | None, tuple[bytes, ...], tuple[bytes, ...], bool, bool]
"""(stamp unless doubtful, folders below, other names, is a nested repository, has an ignore file)."""

_IGNORE_FILE: Final = b".gitignore"
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
        self._shadowed: set[bytes] = set()

    def walk(self, cache: str, untracked: frozenset[bytes], outer_rules: Stamp | None, ask: AskIgnored) -> Found:
        """Walk, with the answers of the last time in the file `cache`; `outer_rules` is of our own ignore file."""
        saved = load_cache(cache)
        old, rules, shadowed = saved if isinstance(saved, tuple) and len(saved) == 3 else ({}, None, [])
        found = self._walk(old, untracked)
        present = (self._baseline, outer_rules, self._rules())
        self._shadowed = set(shadowed)
        if present != rules or any(stamp is None for _, stamp in present[2]):
            self._shadowed = {folder for path in ask() for folder in folders_above(path)}
        if self._listed != old or present != rules:
            save_cache(cache, (self._listed, present, sorted(self._shadowed)))
        return found

    def remember(self, found: Found, seal: Stamp | None, untracked: frozenset[bytes]) -> Seen:
        """What `recall` needs; a folder with a doubtful stamp makes the next capture walk again."""
        shown = {folder for path in untracked for folder in folders_above(path)} | {b""}
        hidden = {
            folder: listed[0]
            for folder, listed in self._listed.items()
            if listed[0] is not None and self._is_hidden(folder, shown)
        }
        sure = all(listed[0] is not None for listed in self._listed.values())
        return Seen(
            seal=seal if sure else None, hidden=hidden, ignored=found.ignored, nested=found.nested, full=found.full
        )

    def _is_hidden(self, folder: bytes, shown: set[bytes]) -> bool:
        """Whether `status` may pass a folder by: it is ignored, or holds neither tracked nor untracked files."""
        if folder in self._shadowed:
            return True
        if folder in shown:
            return False
        # Asked of the folder above: to read every folder's own tree would take longer than git's whole look.
        tracked = find(self._trees, self._baseline, folder)
        return tracked is None or tracked.mode != FOLDER or tracked.oid == format_of(tracked.oid).empty_tree

    def _walk(self, old: dict[bytes, _Listed], untracked: frozenset[bytes]) -> Found:
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
            _, below, names, is_nested, _ = listed
            if is_nested:
                nested.append(folder)
                continue
            prefix = folder + b"/" if folder else b""
            mine = [path for name in names if (path := prefix + name) not in untracked]
            others += len(mine)
            if others <= self._most:
                ignored += mine
            stack.extend(prefix + name for name in below)
        return Found(ignored=ignored, nested=nested, full=others > self._most)

    def _rules(self) -> list[tuple[bytes, Stamp | None]]:
        """Every ignore file with its stamp, None when it may have changed since without a sign."""
        found: list[tuple[bytes, Stamp | None]] = []
        for folder in sorted(folder for folder, listed in self._listed.items() if listed[4]):
            path = folder + b"/" + _IGNORE_FILE if folder else _IGNORE_FILE
            status = self._reader.status_or_none(path)
            found.append((path, settled_stamp(status, self._now) if status else None))
        return found

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
                return stamp, _EMPTY, _EMPTY, True, False
            # It may become one without any change of this folder: `git init` fills `.git` after making it.
            stamp = None
        known = folder_entries(self._trees, self._baseline, folder)
        below = tuple(name for name, is_dir in entries if is_dir and name not in NEVER and name not in REBUILDABLE)
        others = tuple(name for name, is_dir in entries if not is_dir and name not in known and name not in NEVER)
        return stamp, below, others, False, any(name == _IGNORE_FILE for name, _ in entries)

    def _is_repository(self, folder: bytes) -> bool:
        return locate_git_dir(os.path.join(self._root, os.fsdecode(folder))) is not None


def _stamp(status: os.stat_result) -> FolderStamp:
    return status.st_mtime_ns, status.st_ctime_ns, status.st_ino
