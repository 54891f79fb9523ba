"""Answer the question of a parked unit: the first authorised answer counts, and starts nothing by itself.

Recording an answer needs neither the workspace nor its lock, so it works from wherever the ledger can be reached.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Final

from unlost.engine.stream import UnitStream
from unlost.facts.errors import NeedsPerson, UnlostError, UsageError
from unlost.facts.quoting import clean, cut
from unlost.ledger.protocol import KeyTaken, Ledger, StreamMoved
from unlost.unit.events import EVENTS, QuestionAnswered
from unlost.unit.facts import Parked, UnitState
from unlost.unit.questions import Judgement, Offer, judge_offer

LIMIT: Final = 16 << 10
"""Bytes of an answer after redaction; more is cut, and the cut says so."""


def answer_question(ledger: Ledger, unit: str, offer: Offer, operators: Collection[str]) -> UnitState:
    """Record an answer and return the state after it; the very same answer again changes nothing and is no error.

    `offer.text` is as `kept_answer` gives it. Raises NeedsPerson or UsageError for an answer that does not count: then
    nothing was changed.
    """
    stream = UnitStream(ledger, unit)
    while True:
        state = stream.read() or stream.state
        judgement = judge_offer(state, offer, operators=operators, given=_given(stream))
        if judgement == "same":
            return state
        if judgement != "taken":
            raise _refusal(judgement, state, offer)
        assert isinstance(state.waiting, Parked)
        question = state.waiting.question
        answered = EVENTS.new(
            QuestionAnswered(question=question, by=offer.by), key=f"answer {question}", body=offer.text.encode()
        )
        try:
            ledger.append(unit, [answered], expect=state.sequence)
        except (StreamMoved, KeyTaken):
            continue  # Somebody answered, stopped or resumed meanwhile: judge again on what is so now.
        return stream.read() or stream.state


def kept_answer(text: str, redact: Callable[[str], str]) -> str:
    """An answer as it is stored and compared: redacted, cleaned, cut."""
    return cut(clean(redact(text)).strip(), LIMIT)


def _given(stream: UnitStream) -> str | None:
    answered = stream.state.answered
    return stream.body(answered[-1].answer).decode("utf-8", "replace") if answered else None


def _refusal(judgement: Judgement, state: UnitState, offer: Offer) -> UnlostError:
    unit = state.unit
    match judgement:
        case "foreign":
            return NeedsPerson(
                f"{offer.by} is neither the requester of {unit} nor an operator; nothing was changed",
                hint=f"{state.requester} can answer, and whoever [operators] names in the settings",
            )
        case "empty":
            return UsageError("the answer is empty; nothing was changed", hint=f'unlost answer {unit} "..."')
        case "older":
            return NeedsPerson(
                f"the answer is not to the question that {unit} asks now; nothing was changed",
                hint=f"unlost show {unit}",
            )
        case "answered":
            return NeedsPerson(
                f"the question of {unit} was answered by {state.answered[-1].by}; the first answer counts and nothing "
                "was changed",
                hint=f"unlost resume {unit}",
            )
        case "expired":
            return NeedsPerson(
                f"the question of {unit} expired unanswered; the answer came too late and nothing was changed, its "
                "brief and work are kept",
                hint=f"unlost amend {unit} --plan FILE --run",
            )
        case _:
            return UsageError(f"{unit} has asked nothing; nothing was changed", hint=f"unlost show {unit}")
