"""From wishes to steps: which paths differ, what must make room, and what must not be touched.

Nothing is taken away or replaced unless the snapshot of the present holds exactly what is there.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from itertools import pairwise

from unlost.facts.paths import check_path, folders_above, is_capturable
from unlost.facts.records import dataclass, field, replace
from unlost.facts.trees import LINK, NESTED, Entry
from unlost.git.formats import ObjectFormat
from unlost.host.folders import Folder
from unlost.snapshot.present import ABSENT, Present, files_below, look
from unlost.snapshot.wanted import Failure, Kept, Step, Wanted


@dataclass(frozen=True, kw_only=True)
class Decided:
    """Steps in the order they must be done, paths that are right already, and paths that must stay as they are."""

    steps: tuple[Step, ...]
    already: tuple[bytes, ...]
    failed: tuple[Failure, ...]


def decide_steps(root: Folder, wanted: Iterable[Wanted], *, kept: Kept, naming: ObjectFormat, folds: bool) -> Decided:
    """Compare each wanted path with what is there now; reads the folder, changes nothing.

    `naming`: the store's object format. `folds`: the file system takes names that differ in case alone for one.
    """
    wishes = sorted(wanted, key=lambda wish: wish.path)
    collided = colliding_paths((wish.path for wish in wishes if wish.entry is not None), folds=folds)
    # The same path wished for twice would be done in an order that nobody chose.
    collided |= {one.path for one, other in pairwise(wishes) if one.path == other.path}
    deciding = _Deciding(root, kept, naming)
    for wish in wishes:
        reason = _impossible(wish) or ("name_collision" if wish.path in collided else deciding.decide(wish))
        if reason is not None:
            deciding.failed.append(Failure(path=wish.path, reason=reason))
    return deciding.decided()


def colliding_paths(paths: Iterable[bytes], *, folds: bool) -> frozenset[bytes]:
    """Paths that cannot stand in one tree together: equal, one a folder of the other, or one name when folded."""
    by_name: dict[bytes, list[bytes]] = {}
    for path in paths:
        by_name.setdefault(_folded(path) if folds else path, []).append(path)
    collided = {path for same in by_name.values() if len(same) > 1 for path in same}
    for name, same in by_name.items():
        for folder in folders_above(name):
            if folder in by_name:
                collided.update(same, by_name[folder])
    return frozenset(collided)


def _folded(path: bytes) -> bytes:
    text = path.decode("utf-8", "surrogateescape")
    return unicodedata.normalize("NFC", text).casefold().encode("utf-8", "surrogateescape")


def _impossible(wish: Wanted) -> str | None:
    try:
        check_path(wish.path)
    except ValueError:
        return "invalid_path"
    return "nested_repository" if wish.entry is not None and wish.entry.mode == NESTED else None


def _step(path: bytes, present: Present, entry: Entry | None = None) -> Step:
    return Step(path=path, entry=entry, expected=present.traits, prove=None if present.settled else present.entry)


@dataclass
class _Deciding:
    """The state of one comparison."""

    root: Folder
    kept: Kept
    naming: ObjectFormat
    removals: dict[bytes, Step] = field(default_factory=dict)
    placements: list[Step] = field(default_factory=list)
    already: list[bytes] = field(default_factory=list)
    failed: list[Failure] = field(default_factory=list)

    def decided(self) -> Decided:
        """Removals first, for they make room; links last, so that nothing of ours ever walks into one."""
        files = [step for step in self.placements if step.entry is not None and step.entry.mode != LINK]
        links = [step for step in self.placements if step.entry is not None and step.entry.mode == LINK]
        return Decided(
            steps=(*self.removals.values(), *files, *links),
            already=tuple(self.already),
            failed=tuple(self.failed),
        )

    def decide(self, wish: Wanted) -> str | None:
        """Add the steps for one wish; a reason when it must fail, and then nothing was added."""
        present = look(self.root, wish.path, self.naming)
        if wish.entry is None:
            return self._decide_removal(wish.path, present)
        if present.entry == wish.entry:
            self.already.append(wish.path)
            return None
        reason = self._make_room(wish.path, present)
        if reason is None:
            step = _step(wish.path, present, entry=wish.entry)
            self.placements.append(replace(step, private=wish.private))
        return reason

    def _decide_removal(self, path: bytes, present: Present) -> str | None:
        if present.kind in ("absent", "blocked", "folder"):
            self.already.append(path)
            return None
        reason = self._not_ours(path, present)
        if reason is None:
            self.removals[path] = _step(path, present)
        return reason

    def _make_room(self, path: bytes, present: Present) -> str | None:
        """What has to go before a file can stand at a path: all of it may go, or nothing is taken."""
        if present.kind == "folder":
            in_the_way = tuple(files_below(self.root, path))
        elif present.kind == "blocked":
            assert present.blocker is not None
            in_the_way = (present.blocker,)
        elif present is ABSENT:
            return None
        else:
            return self._not_ours(path, present)
        moving: dict[bytes, Step] = {}
        for each in in_the_way:
            if each in self.removals:
                continue
            there = look(self.root, each, self.naming)
            reason = self._not_ours(each, there)
            if reason is not None:
                return reason
            moving[each] = replace(_step(each, there), displaced=True)
        self.removals.update(moving)
        return None

    def _not_ours(self, path: bytes, present: Present) -> str | None:
        """Why what is there must stay; None when the snapshot of the present holds exactly this."""
        if not is_capturable(path):
            return "nested_repository"
        if present.entry is None:
            return present.kind if present.kind in ("special", "unreadable") else "changed"
        captured = self.kept(path)
        if captured is None:
            return "not_captured"
        return None if captured == present.entry else "changed"
