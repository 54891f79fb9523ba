"""The record of a workspace: its stream in the ledger, folded into claims.

The fold is kept in a cache beside the workspace's other caches. It names the event up to which it goes, by number and
digest; when that event is not in the stream any more, or the cache is damaged, everything is folded again.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping
from typing import Final

from unlost.facts.quoting import canonical_json
from unlost.facts.records import asdict, dataclass, field, replace
from unlost.guard.claims import IsScratch, with_boundary, with_word, without_boundaries
from unlost.guard.facts import Boundary, Claims
from unlost.guard.record import Found, claim_rows, claims_head, claims_of, found_from_json
from unlost.guard.sight import TreeReader
from unlost.host.reading import read_regular, write_atomically
from unlost.ledger.events import Event, NewEvent
from unlost.ledger.protocol import Fence, Ledger
from unlost.plain.events import EVENTS, BoundariesDropped, BoundaryTaken, Word, WordGiven, word_from_body

_LARGEST_CACHE: Final = 256 << 20
_PROVEN_WHOLE: Final = 500
"""Events up to which a stream is read and proven whole; that takes some ten milliseconds at most."""
_SCHEMA: Final = "unlost.claims/2"


@dataclass(frozen=True, kw_only=True)
class SpokenWord:
    """A word that was given: its key and place in the stream, and after how many boundaries it came."""

    key: str
    sequence: int
    boundaries: int
    given: WordGiven


@dataclass(frozen=True, kw_only=True)
class Told:
    """What a stream tells, up to its event `sequence`."""

    claims: Claims = field(default_factory=Claims)
    numbers: Mapping[str, int] = field(default_factory=dict)
    words: tuple[SpokenWord, ...] = ()
    sequence: int = 0
    digest: str = ""


class Record:
    """Reads and writes the stream of one workspace. Raises what the ledger and the snapshots raise.

    With a `fence` it is a supervisor's: once another writer took over, nothing more is recorded (FencedOut).
    """

    def __init__(self, ledger: Ledger, workspace: str, trees: TreeReader, *, cache: str, is_scratch: IsScratch) -> None:
        self.workspace = workspace
        self.fence: Fence | None = None
        self._ledger = ledger
        self._trees = trees
        self._cache = cache
        self._is_scratch = is_scratch

    def read(self) -> Told:
        """Everything that was recorded so far."""
        kept = self._load()
        # A short stream is proven whole each time, of a long one what came since the cache; `doctor` proves it all.
        start = kept.sequence - 1 if kept.sequence > _PROVEN_WHOLE else 0
        events = self._ledger.read(self.workspace, after=max(0, start))
        new = tuple(event for event in events if event.sequence > kept.sequence)
        is_of_this_stream = any((event.sequence, event.digest) == (kept.sequence, kept.digest) for event in events)
        if kept.sequence and (not is_of_this_stream or any(_takes_back(event) for event in new)):
            kept, new = Told(), self._ledger.read(self.workspace)
        told = self._folded(kept, new)
        if new:
            write_atomically(self._cache, _cache_bytes(told))
        return told

    def read_until(self, number: int) -> Told:
        """What was recorded up to a boundary, that one included."""
        events = list(self._ledger.read(self.workspace))
        last = max(
            (index for index, event in enumerate(events) if event.facts.get("number") == number),
            default=len(events) - 1,
        )
        return self._folded(Told(), events[: last + 1], dropped=_dropped(events))

    def events(self) -> tuple[Event, ...]:
        """The whole stream."""
        return self._ledger.read(self.workspace)

    def body(self, event: Event) -> bytes | None:
        """The private body of an event."""
        return self._ledger.body(self.workspace, event.sequence)

    def word(self, sequence: int) -> Word:
        """What a word said; empty when its body is gone."""
        body = self._ledger.body(self.workspace, sequence)
        return Word(entries={}, before={}) if body is None else word_from_body(body)

    def append(self, event: NewEvent, *, after: Told, claims: Claims) -> Event:
        """Record an event that was decided from `after` and makes `claims` of it.

        Raises StreamMoved when somebody else was faster; then nothing was recorded.
        """
        stored = self._ledger.append(self.workspace, [event], expect=after.sequence, fence=self.fence)[0]
        if event.kind == "boundary.taken":
            numbers = {**after.numbers, stored.key: int(event.facts["number"])}
            told = replace(after, claims=claims, numbers=numbers, sequence=stored.sequence, digest=stored.digest)
            write_atomically(self._cache, _cache_bytes(told))
        return stored

    def drop(self, numbers: Iterable[int], *, key: str) -> None:
        """Record that the snapshots of these boundaries are about to be let go; before it happens, never after."""
        gone = BoundariesDropped(numbers=tuple(sorted(numbers)))
        self._ledger.append(self.workspace, [EVENTS.new(gone, key=key)])

    def say(self, given: WordGiven, body: bytes, *, key: str) -> Event:
        """Record a person's word."""
        event = EVENTS.new(given, key=key, body=body)
        return self._ledger.append(self.workspace, [event], fence=self.fence)[0]

    def _folded(self, told: Told, events: Iterable[Event], *, dropped: frozenset[int] = frozenset()) -> Told:
        events = tuple(events)
        revoked = _revoked(events)
        dropped |= _dropped(events)
        told = replace(told, claims=without_boundaries(told.claims, dropped))
        for event in events:
            payload = EVENTS.payload(event)
            if isinstance(payload, BoundaryTaken) and payload.number in dropped:
                told = replace(told, numbers={**told.numbers, event.key: payload.number})
            elif isinstance(payload, BoundaryTaken):
                told = self._with_boundary(told, event, payload)
            elif isinstance(payload, WordGiven):
                told = self._with_word(told, event, payload, revoked=event.sequence in revoked)
            told = replace(told, sequence=event.sequence, digest=event.digest)
        return told

    def _with_boundary(self, told: Told, event: Event, taken: BoundaryTaken) -> Told:
        body = self.body(event)
        found = Found() if body is None else found_from_json(json.loads(body))
        claims = with_boundary(
            told.claims,
            boundary_of(taken, found),
            found.findings,
            reader=self._trees,
            is_scratch=self._is_scratch,
            lost_commits=found.lost_commits,
            lost_stashes=found.lost_stashes,
        )
        return replace(told, claims=claims, numbers={**told.numbers, event.key: taken.number})

    def _with_word(self, told: Told, event: Event, given: WordGiven, *, revoked: bool) -> Told:
        spoken = SpokenWord(key=event.key, sequence=event.sequence, boundaries=len(told.claims.boundaries), given=given)
        body = self.body(event)
        claims = told.claims
        if body is not None and not revoked:
            word = word_from_body(body)
            claims = with_word(claims, word.entries, word.commits)
        return replace(told, claims=claims, words=(*told.words, spoken))

    def _load(self) -> Told:
        data = read_regular(self._cache, _LARGEST_CACHE)
        if data is None:
            return Told()
        try:
            return _told(data)
        except (ValueError, KeyError, TypeError):
            # A damaged cache, or one of another version, costs only a fold.
            return Told()


def boundary_of(taken: BoundaryTaken, found: Found) -> Boundary:
    """A boundary as the guard knows it."""
    return Boundary(
        number=taken.number,
        kind=taken.kind,
        snapshot=taken.snapshot,
        tree=taken.tree,
        base=taken.base,
        private=taken.private,
        at=taken.at,
        label=found.label,
        unit=taken.unit,
        task=taken.task,
        attempt=taken.attempt,
        opened_by=taken.opened_by,
        skipped=found.skipped,
    )


def _takes_back(event: Event) -> bool:
    return event.kind == "word.given" and event.facts.get("kind") == "undone"


def _dropped(events: Iterable[Event]) -> frozenset[int]:
    """The numbers of boundaries whose snapshots were let go: they cannot be folded in any more."""
    numbers = (event.facts["numbers"] for event in events if event.kind == "boundaries.dropped")
    return frozenset(number for each in numbers for number in each)


def _revoked(events: Iterable[Event]) -> set[int]:
    """Sequences of words that were undone before another boundary, and of those undos: as if never spoken."""
    spoken: dict[str, int] = {}
    revoked: set[int] = set()
    for event in events:
        if event.kind == "boundary.taken":
            spoken.clear()
        elif _takes_back(event) and event.facts["of"] in spoken:
            revoked |= {event.sequence, spoken.pop(event.facts["of"])}
        elif event.kind == "word.given":
            spoken[event.key] = event.sequence
    return revoked


def _cache_bytes(told: Told) -> bytes:
    """One line of everything but the claims, then the claims: most commands need only the first."""
    rows = claim_rows(told.claims)
    head = {
        "schema": _SCHEMA,
        "sequence": told.sequence,
        "digest": told.digest,
        "numbers": dict(told.numbers),
        "words": [asdict(word) for word in told.words],
        "claims": claims_head(told.claims),
        "rows": zlib.crc32(rows),
    }
    return canonical_json(head) + b"\n" + rows


def _told(data: bytes) -> Told:
    """What a cache holds. Raises ValueError, KeyError, TypeError for a damaged one and one of another version."""
    line, _, rows = data.partition(b"\n")
    facts = json.loads(line)
    if facts["schema"] != _SCHEMA or facts["rows"] != zlib.crc32(rows):
        raise ValueError("the cache is of another version, or not whole")
    return Told(
        claims=claims_of(facts["claims"], rows),
        numbers=facts["numbers"],
        words=tuple(SpokenWord(**{**word, "given": WordGiven(**word["given"])}) for word in facts["words"]),
        sequence=facts["sequence"],
        digest=facts["digest"],
    )
