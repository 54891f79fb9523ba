"""The events of a workspace's stream: boundaries, and a person's words on what stands.

Facts are public and hold no path: paths with their contents' ids, labels and reasons are in private bodies.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal

from unlost.facts.quoting import canonical_json, path_from_json, path_json
from unlost.facts.records import dataclass
from unlost.facts.trees import Entry
from unlost.facts.words import BoundaryKind, VerdictWord
from unlost.ledger.payload import Declared, Vocabulary

WordKind = Literal["accepted", "restored", "rewound", "undone", "redone"]


@dataclass(frozen=True, kw_only=True, slots=True)
class BoundaryTaken:
    """A boundary. Body: label, findings, lost commits and stashes (`guard.record`)."""

    number: int
    kind: BoundaryKind
    snapshot: str
    tree: str
    base: str
    private: str
    at: float
    unit: str | None
    task: str | None
    attempt: str | None
    opened_by: int | None
    files: int
    claims: int
    lost: int
    verdict: VerdictWord


@dataclass(frozen=True, kw_only=True, slots=True)
class WordGiven:
    """A person accepted, restored, rewound, undid or redid. Body: paths with what stands there since, and why.

    `kept` is the snapshot of what stood before, `source` the one that was restored from. `of` is the key of the word
    that an undo or redo is about.
    """

    kind: WordKind
    paths: int
    kept: str
    source: str | None
    of: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class BoundariesDropped:
    """The snapshots of these boundaries outlived their time and are let go: nothing is held against them any more."""

    numbers: tuple[int, ...]


EVENTS: Final = Vocabulary(
    {
        "boundary.taken": Declared(payload=BoundaryTaken),
        "word.given": Declared(payload=WordGiven),
        "boundaries.dropped": Declared(payload=BoundariesDropped),
    }
)


@dataclass(frozen=True, kw_only=True)
class Word:
    """The body of `WordGiven`: what stands at each path since, accepted commits, and why."""

    entries: Mapping[bytes, Entry | None]
    before: Mapping[bytes, Entry | None]
    commits: tuple[str, ...] = ()
    why: str = ""


def word_body(word: Word) -> bytes:
    """A word as the body of its event."""
    return canonical_json(
        {
            "paths": [
                [path_json(path), _entry_json(word.before.get(path)), _entry_json(entry)]
                for path, entry in sorted(word.entries.items())
            ],
            "commits": list(word.commits),
            "why": word.why,
        }
    )


def word_from_body(body: bytes) -> Word:
    """What `word_body` wrote. Raises ValueError, KeyError, TypeError for anything else."""
    facts = json.loads(body)
    rows = [(path_from_json(path), _entry(before), _entry(after)) for path, before, after in facts["paths"]]
    return Word(
        entries={path: after for path, _, after in rows},
        before={path: before for path, before, _ in rows},
        commits=tuple(facts["commits"]),
        why=facts["why"],
    )


def paths_of(word: Word) -> Iterable[bytes]:
    """The paths of a word, in bytewise order."""
    return sorted(word.entries)


def _entry_json(entry: Entry | None) -> Any:
    return None if entry is None else [entry.mode, entry.oid]


def _entry(row: Any) -> Entry | None:
    return None if row is None else Entry(*row)
