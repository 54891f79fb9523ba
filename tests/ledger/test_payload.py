"""Typed payloads: what goes in comes back, what was not declared is refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unlost.facts.records import dataclass, replace
from unlost.ledger.events import Event, Facts
from unlost.ledger.payload import Declared, Vocabulary
from unlost.ledger.protocol import LedgerUnavailable, StreamDamaged


@dataclass(frozen=True, kw_only=True)
class Part:
    path: bytes
    weight: float | None


@dataclass(frozen=True, kw_only=True)
class Other:
    weight: float | None


@dataclass(frozen=True, kw_only=True)
class Whole:
    name: str
    count: int
    sure: bool
    word: Literal["yes", "no"] | None
    parts: tuple[Part, ...]
    by_name: Mapping[str, int]
    later: int = 7
    one_of: Part | Other | None = None
    some: frozenset[bytes] = frozenset()


def _rename(facts: Facts) -> Facts:
    return {**{key: value for key, value in facts.items() if key != "title"}, "name": facts["title"]}


WORDS = Vocabulary({"whole": Declared(payload=Whole, upgrades=(_rename,))})
WHOLE = Whole(name="n", count=1, sure=True, word="yes", parts=(Part(path=b"\xff", weight=1.5),), by_name={"a": 1})


def _stored(facts: Mapping[str, Any], *, version: int = 2, kind: str = "whole") -> Event:
    return Event(
        stream="u-1",
        sequence=1,
        kind=kind,
        key="k",
        version=version,
        at=0.0,
        facts=facts,
        body_digest=None,
        body_size=None,
        digest="",
    )


@given(path=st.binary(), weight=st.none() | st.floats(allow_nan=False, allow_infinity=False), name=st.text())
def test_a_payload_survives_the_ledger(path: bytes, weight: float | None, name: str) -> None:
    """Any payload comes back equal, paths of any bytes included."""
    whole = Whole(name=name, count=1, sure=False, word="no", parts=(Part(path=path, weight=weight),), by_name={})

    assert whole == WORDS.payload(_stored(WORDS.new(whole, key="k").facts))


@pytest.mark.parametrize(
    "change",
    [
        {"extra": 1},
        {"count": "1"},
        {"count": True},
        {"sure": 1},
        {"word": "maybe"},
        {"parts": [{"path": "a"}]},
        {"parts": {}},
        {"parts": [{"path": 7, "weight": None}]},
        {"by_name": {"a": "b"}},
        {"name": None},
        {"one_of": {"is": "Whole"}},
        {"one_of": {"weight": 1.0}},
        {"some": ["a", 1]},
    ],
)
def test_what_was_not_declared_is_refused(change: dict[str, Any]) -> None:
    """Decoding is strict: unknown or missing keys and values of another type damage the stream, never pass."""
    with pytest.raises(StreamDamaged, match="u-1"):
        WORDS.payload(_stored({**WORDS.new(WHOLE, key="k").facts, **change}))


@pytest.mark.parametrize("one_of", [None, Part(path=b"\xfe", weight=None), Other(weight=2.0)])
def test_a_union_says_which_of_its_types_it_is(one_of: Part | Other | None) -> None:
    """A union of dataclasses and a set come back as what they were."""
    whole = replace(WHOLE, one_of=one_of, some=frozenset({b"b", b"\xff"}))

    assert whole == WORDS.payload(_stored(WORDS.new(whole, key="k").facts))


def test_a_payload_grows_by_fields_with_defaults() -> None:
    """What was recorded before a field existed reads as its default."""
    facts = {key: value for key, value in WORDS.new(WHOLE, key="k").facts.items() if key != "later"}

    assert WORDS.payload(_stored(facts)) == WHOLE


def test_older_facts_are_upgraded() -> None:
    """An event of an older version is read through the upgrade of each step."""
    facts = dict(WORDS.new(WHOLE, key="k").facts)
    old = {**{key: value for key, value in facts.items() if key != "name"}, "title": "n"}

    assert WORDS.new(WHOLE, key="k").version == 2
    assert WORDS.payload(_stored(old, version=1)) == WHOLE


@pytest.mark.parametrize(("kind", "version"), [("whole", 3), ("other", 1)])
def test_newer_events_ask_for_a_newer_unlost(kind: str, version: int) -> None:
    """An event that this unlost does not know is not guessed at."""
    with pytest.raises(LedgerUnavailable, match="newer"):
        WORDS.payload(_stored({}, kind=kind, version=version))
