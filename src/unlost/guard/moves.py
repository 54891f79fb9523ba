"""Where the content of claims went: renamed files, merged files, functions that moved to another file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from unlost.facts.trees import LINK, NESTED, Change, Entry
from unlost.guard.facts import Claim, Move
from unlost.guard.sight import Sight
from unlost.hunks.fate import added_lines
from unlost.hunks.text import Text, is_telling

_MOST_TEXTS: Final = 400
"""Arrivals beyond this number are looked at for exact contents only."""
_RESEMBLES: Final = 0.5
"""The share of a file's lines that make another one its rewritten self."""
_A_COPY: Final = 0.5
"""A file that holds this share of the lines that were not the claim's own is a copy of the file: a backup, no move."""


class Arrival(NamedTuple):
    """A text that came to a path, and what was there before."""

    text: Text
    before: Text

    def brought(self, line: bytes) -> bool:
        """Whether a normal line stands here that did not, or more often than it did."""
        return self.text.whole(line) > self.before.whole(line)


class _Arrivals:
    """All arrivals by path, in order; each line is looked for once, whoever asks, and in all texts together first."""

    def __init__(self, arrivals: Mapping[bytes, Arrival]) -> None:
        self.by_path = arrivals
        self._joined = b"\n".join(arrival.text.joined for arrival in arrivals.values())
        self._bringing: dict[bytes, frozenset[bytes]] = {}

    def bringing(self, line: bytes) -> frozenset[bytes]:
        """The paths that brought a normal line."""
        if line not in self._bringing:
            self._bringing[line] = (
                frozenset(path for path, arrival in self.by_path.items() if arrival.brought(line))
                if line in self._joined
                else frozenset()
            )
        return self._bringing[line]


def find_moves(
    suspects: Sequence[tuple[Claim, Entry | None]], arrivals: Iterable[Change], sight: Sight
) -> dict[bytes, Move]:
    """For each suspect (its claim, and what stands there now) whose content another path came to hold: that path.

    `arrivals` are the changes since the last boundary. An exact content explains one claim alone; a text may take
    in the lines of several claims as long as they are different lines.
    """
    come = [change for change in arrivals if change.after is not None and change.after.mode != NESTED]
    moves = _exact_moves([claim for claim, now in suspects if now is None or _gave_way_to_a_link(claim, now)], come)
    explained = {move.to for move in moves.values()}
    texts = _Arrivals(_texts_of([change for change in come if change.path not in explained], sight))
    carried: set[tuple[bytes, tuple[bytes, ...]]] = set()
    for claim, now in suspects if texts.by_path else ():
        if claim.path in moves or claim.entry is None or not claim.captured:
            continue
        to = _edited_move(claim, now, texts, sight, carried)
        if to is not None:
            moves[claim.path] = Move(to=to, edited=True)
        elif now is None and claim.base is None and (to := _resembling(claim, texts, sight)) is not None:
            moves[claim.path] = Move(to=to, edited=True, whole=False)
    return moves


def _resembling(claim: Claim, arrivals: _Arrivals, sight: Sight) -> bytes | None:
    """The path that took in half of a new file's lines or more: git would call that a rename, too."""
    mine = sight.text(claim.entry)
    lines = added_lines(Text(b""), mine) if mine is not None else ()
    shares = Counter(path for line in lines for path in arrivals.bringing(line) if path != claim.path)
    if not shares:
        return None
    path, count = shares.most_common(1)[0]
    return path if count >= _RESEMBLES * len(lines) else None


def _exact_moves(gone: Iterable[Claim], come: Sequence[Change]) -> dict[bytes, Move]:
    by_content: dict[str, list[bytes]] = {}
    for change in come:
        if change.after is not None and (change.before is None or change.before.oid != change.after.oid):
            by_content.setdefault(change.after.oid, []).append(change.path)
    moves: dict[bytes, Move] = {}
    for claim in gone:
        places = by_content.get(claim.entry.oid) if claim.entry is not None else None
        if places and not _is_empty(claim.entry):
            name = claim.path.rpartition(b"/")[2]
            # The same name in another folder explains best; else the first in order.
            place = next((place for place in places if place.rpartition(b"/")[2] == name), places[0])
            places.remove(place)
            moves[claim.path] = Move(to=place, edited=False)
    return moves


def _gave_way_to_a_link(claim: Claim, now: Entry) -> bool:
    """Whether a link stands where the file was: `mv a d/a; ln -s d/a a` moves it as much as without the link."""
    return now.mode == LINK and claim.entry is not None and claim.entry.mode != LINK


def _is_empty(entry: Entry | None) -> bool:
    return entry is not None and entry.oid in _EMPTY_BLOBS


_EMPTY_BLOBS: Final = frozenset(
    {
        "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
        "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
    }
)
"""The empty blob, by SHA-1 and by SHA-256."""


def _texts_of(come: Sequence[Change], sight: Sight) -> dict[bytes, Arrival]:
    arrivals: dict[bytes, Arrival] = {}
    for change in come[:_MOST_TEXTS]:
        after = change.after
        text = None if after is None or after.mode == LINK else sight.text(after)
        if text is not None and text.data:
            arrivals[change.path] = Arrival(text=text, before=sight.text(change.before) or Text(b""))
    return arrivals


def _edited_move(
    claim: Claim,
    now: Entry | None,
    arrivals: _Arrivals,
    sight: Sight,
    carried: set[tuple[bytes, tuple[bytes, ...]]],
) -> bytes | None:
    """The path that came to hold every line the claim added, which the claim's own path lacks now."""
    mine, old, here = sight.text(claim.entry), sight.text(claim.base), sight.text(now)
    if mine is None or old is None or here is None or (now is not None and claim.base is None):
        return None
    lines = added_lines(old, mine)
    if not lines or (now is not None and any(here.holds_more_of(line, old) for line in lines)):
        return None
    bringing = {line: arrivals.bringing(line) - {claim.path} for line in lines}
    if not all(bringing.values()):
        return None
    whole = frozenset.intersection(*bringing.values())
    for path in arrivals.by_path if whole else ():
        if path not in whole or (path, lines) in carried:
            continue
        if now is None or not _is_copy(mine, lines, arrivals.by_path[path].text):
            carried.add((path, lines))
            return path
    return _spread(mine, lines, bringing, arrivals.by_path, now, carried)


def _spread(
    mine: Text,
    lines: tuple[bytes, ...],
    bringing: Mapping[bytes, frozenset[bytes]],
    arrivals: Mapping[bytes, Arrival],
    now: Entry | None,
    carried: set[tuple[bytes, tuple[bytes, ...]]],
) -> bytes | None:
    """Of several paths that took in the lines together, as when a file is split, the one that took most."""
    shares: dict[bytes, int] = {}
    left = set(lines)
    asked = frozenset[bytes]().union(*bringing.values())
    for path in (path for path in arrivals if path in asked):
        brought = {line for line, paths in bringing.items() if path in paths}
        if now is None or not _is_copy(mine, lines, arrivals[path].text):
            shares[path] = len(brought)
            left -= brought
    if left or not shares:
        return None
    most = max(shares, key=lambda path: shares[path])
    if (most, lines) in carried:
        return None
    carried.add((most, lines))
    return most


def _is_copy(mine: Text, lines: Sequence[bytes], text: Text) -> bool:
    own = set(lines)
    others = [line for line in mine.counts if is_telling(line) and line not in own]
    return bool(others) and sum(line in text.counts for line in others) >= _A_COPY * len(others)
