"""A unit as JSON, its exit code and its next command."""

from __future__ import annotations

import json

import pytest
from unit.unit_story import Deed, Story, losing, plan

from unlost.unit.report import exit_code, next_command, outcome_of, unit_document

WIPED = Deed(tree="t2+three", lost=losing(b"caf\xe9.rs"))
KEYS = [
    *("schema", "unit", "title", "revision", "digest", "tree", "phase", "outcome", "reason", "requester", "workspace"),
    *("place", "tasks", "boundaries", "lost", "question", "spent", "budget", "next"),
]


def test_the_document_has_every_key_of_the_contract() -> None:
    """contracts.md: `unlost.unit/1` holds exactly these keys, and is JSON."""
    document = unit_document(Story(plan()).play().state)

    assert list(document) == KEYS
    assert list(document["tasks"][0]) == ["id", "state", "attempts", "claims"]
    assert list(document["boundaries"][0]) == ["n", "at", "kind", "snapshot", "verdict"]
    assert json.loads(json.dumps(document)) == document


def test_a_loss_is_named_with_where_it_was_last_seen() -> None:
    """G.15: the report names the lost path, the boundary and the snapshot, and what restores it."""
    state = Story(plan(), deeds={("two", 1): WIPED}).play().state
    document = unit_document(state)

    assert document["lost"][0]["path"] == {"bytes": "Y2Fm6S5ycw=="}
    assert document["lost"][0]["last_seen"] == {"boundary": 2, "snapshot": state.boundaries[2].taken.snapshot}
    assert document["boundaries"][-1]["verdict"] == "loss"
    assert document["tasks"][0]["state"] == "lost"
    assert document["next"] == "unlost restore --lost && unlost resume u-1"
    assert (document["outcome"], exit_code(state)) == (None, 4)


def test_neither_done_nor_partial_while_something_is_lost() -> None:
    """G.14: a unit that is stopped with an open loss is neither done nor partial, and ends with 4."""
    story = Story(plan(), deeds={("two", 1): WIPED}).play(until=None)
    story.stop()
    state = story.state

    assert (state.phase, outcome_of(state), exit_code(state)) == ("stopped", "stopped", 4)


@pytest.mark.parametrize(
    ("story", "outcome", "code", "command"),
    [
        (Story(plan()), "done", 0, None),
        (
            Story(plan(), deeds={("two", n): Deed() for n in (1, 2)}),
            "partial",
            1,
            "unlost amend u-1 --plan FILE --run",
        ),
        (Story(plan("one"), deeds={("one", n): Deed() for n in (1, 2)}), "failed", 1, None),
        (Story(plan(cost_usd=0.4)), None, 5, "unlost resume u-1 --raise-cost 5"),
        (
            Story(plan("one"), deeds={("one", 1): Deed(tree="x", outcome="blocked")}),
            None,
            3,
            'unlost answer u-1 "..."',
        ),
        (
            Story(plan("one"), deeds={("one", 1): Deed(tree="x", outside=(b"o",))}),
            None,
            3,
            "unlost accept --all --unit u-1 && unlost resume u-1",
        ),
    ],
)
def test_outcome_exit_code_and_next_command(story: Story, outcome: str, code: int, command: str | None) -> None:
    """contracts.md: each end and wait has its outcome, its exit code and the command that moves it on."""
    state = story.play().state

    assert outcome_of(state) == outcome
    assert exit_code(state) == code
    if command is not None or state.phase == "done":
        assert next_command(state) == command


def test_an_unknown_price_is_null() -> None:
    """Decision 14: spent.usd is null as soon as one price is unknown."""
    story = Story(plan("one"), deeds={("one", 1): Deed(tree="x", cost_usd=None)}).play()

    assert unit_document(story.state)["spent"] == {"usd": None, "tokens": 100, "turns": 1, "seconds": 1.0}


def test_the_text_of_a_question_needs_to_be_handed_in() -> None:
    """A question's text is private: lists carry its id and moment alone."""
    state = Story(plan("one"), deeds={("one", 1): Deed(tree="x", outcome="blocked")}).play().state

    assert set(unit_document(state)["question"]) == {"id", "asked_at"}
    assert unit_document(state, question="Which?")["question"]["text"] == "Which?"
