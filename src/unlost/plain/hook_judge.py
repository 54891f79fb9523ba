"""What a discarding command would throw away, and whether it may: pure rules over paths.

A command may go on at once when all that it would discard is captured and nobody else's. The snapshot is the
guarantee; refusing is for work that somebody else counts on.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Final, Literal

from unlost.facts.quoting import path_text
from unlost.facts.records import dataclass
from unlost.plain.discards import Discard
from unlost.settings import DiscardMode

Ruling = Literal["pass", "save", "ask", "refuse"]

_WHOLE: Final = frozenset({"tree", "unclear"})
_BEYOND: Final = frozenset({"stash", "history"})
_REPOSITORY: Final = frozenset({b"", b".git"})
"""Places with which the repository itself goes: the root, and its `.git`."""
_GLOBS: Final = "*?["
_MOST_NAMED: Final = 5


@dataclass(frozen=True, kw_only=True)
class Work:
    """A path whose content is not in a commit: whether git knows the path, who counts on it, whether we have it."""

    path: bytes
    tracked: bool
    ignored: bool = False
    owner: str | None = None
    captured: bool = True


@dataclass(frozen=True, kw_only=True)
class Danger:
    """What is about to be thrown away: paths, or (`beyond`) commits and stash entries that no snapshot of files has."""

    work: tuple[Work, ...] = ()
    beyond: bool = False

    @property
    def counts(self) -> tuple[Work, ...]:
        """What somebody else counts on, or what is nowhere else."""
        return tuple(each for each in self.work if each.owner is not None or not each.captured)


def danger_of(discards: Iterable[Discard], folders: Sequence[str], *, root: str, work: Sequence[Work]) -> Danger:
    """What these commands would throw away of the work below `root`; `folders` are those that they may run in."""
    found: dict[bytes, Work] = {}
    beyond = False
    for discard in discards:
        if discard.kind in _BEYOND:
            beyond = True
            continue
        places = _places(discard, folders, root)
        beyond = beyond or (discard.kind == "removal" and bool(_REPOSITORY & {*places}))
        found |= {each.path: each for each in work if _concerns(discard, each, places)}
    return Danger(work=tuple(found.values()), beyond=beyond)


def reaches(discards: Iterable[Discard], folders: Sequence[str], *, root: str) -> bool:
    """Whether any of these commands can touch something below `root` at all."""
    return any(
        discard.kind in _BEYOND or discard.kind in _WHOLE or not discard.paths or _places(discard, folders, root)
        for discard in discards
    )


def rule(mode: DiscardMode, danger: Danger) -> Ruling:
    """What becomes of the command: nothing is ever thrown away unsaved, and `save` never stops it."""
    if not danger.work and not danger.beyond:
        return "pass"
    if mode != "save" and (danger.counts or danger.beyond):
        return mode
    return "save"


def named(work: Sequence[Work]) -> str:
    """The paths with their owners, as a sentence has them."""
    shown = [f"{path_text(each.path)} ({_owner(each)})" for each in work[:_MOST_NAMED]]
    more = len(work) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


def _owner(work: Work) -> str:
    if work.owner is None:
        return "nowhere else" if not work.captured else "uncommitted"
    return "a person's" if work.owner == "person" else f"task {work.owner}"


def _concerns(discard: Discard, work: Work, places: Sequence[bytes] | None) -> bool:
    if discard.kind == "untracked" and work.tracked:
        return False
    if work.ignored and discard.kind not in {"untracked", "removal"}:
        return False
    if discard.kind in _WHOLE or (discard.kind == "untracked" and not discard.paths):
        return True
    return any(not place or work.path == place or work.path.startswith(place + b"/") for place in places or ())


def _places(discard: Discard, folders: Sequence[str], root: str) -> tuple[bytes, ...]:
    """The paths below the root that the command names, in each folder that it may run in; empty for the root itself.

    A pattern counts as the folder that it starts in. Words that only the shell can read (`$NAME`) name nothing here.
    """
    found: dict[bytes, None] = {}
    for folder in folders:
        start = os.path.join(folder, discard.folder or "")
        for word in discard.paths:
            if word.startswith(":"):
                found[b""] = None
            elif "$" not in word:
                place = _below(os.path.join(start, os.path.expanduser(_before_glob(word))), root)
                found |= {} if place is None else {place: None}
    return tuple(found)


def _before_glob(word: str) -> str:
    position = next((at for at, character in enumerate(word) if character in _GLOBS), None)
    return word if position is None else word[: word.rfind("/", 0, position) + 1] or "."


def _below(path: str, root: str) -> bytes | None:
    """A path relative to the root; empty when it is the root or holds it, None when it lies elsewhere."""
    path = os.path.normpath(path)
    if path == root or root.startswith(path.rstrip("/") + "/"):
        return b""
    return os.fsencode(path[len(root) + 1 :]) if path.startswith(root + "/") else None
