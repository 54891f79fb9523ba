"""Who may answer a question, which answer counts, and when silence ends the wait (R.13, R.14, R.17): pure."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from unlost.facts.records import dataclass, replace
from unlost.unit.facts import Parked, Question, UnitState

Judgement = Literal[
    "taken",
    "same",  # the very answer that was given already
    "empty",
    "foreign",  # neither the requester nor a named operator
    "older",  # given before the question, or meant for another one
    "answered",  # another answer came first
    "expired",
    "nothing_asked",
]


@dataclass(frozen=True, kw_only=True, slots=True)
class Offer:
    """An answer as it comes in: whose, when (seconds since 1970), and for which question when the channel knows."""

    by: str
    text: str
    at: float
    question: str | None = None


def is_party(state: UnitState, who: str, operators: Collection[str]) -> bool:
    """Whether somebody may answer for a unit and read what is private in it: its requester, or a named operator."""
    return who == state.requester or who in operators


def judge_offer(state: UnitState, offer: Offer, *, operators: Collection[str], given: str | None) -> Judgement:
    """What an offered answer comes to; only `taken` changes anything.

    `given` is the text of the newest answer that the unit has had, None without one.
    """
    if not is_party(state, offer.by, operators):
        return "foreign"
    if not offer.text.strip():
        return "empty"
    waiting, last = state.waiting, state.answered[-1] if state.answered else None
    if isinstance(waiting, Parked) and not silence_over(state, offer.at):
        if _repeats(offer, last, given) and offer.question is not None:
            return "same"
        meant = offer.question in (None, waiting.question)
        return "taken" if meant and offer.at >= waiting.asked_at else "older"
    if isinstance(waiting, Parked) or state.reason == "question_expired":
        return "expired"
    if last is None:
        return "nothing_asked"
    return "same" if _repeats(offer, last, given) else "answered"


def silence_over(state: UnitState, now: float) -> bool:
    """Whether the open question has waited as long as it may; without a limit it waits for ever."""
    waiting = state.waiting
    return isinstance(waiting, Parked) and waiting.expires_at is not None and now >= waiting.expires_at


def as_of(state: UnitState, now: float) -> UnitState:
    """The state as a reader should see it now: a question whose time is over has ended the unit (R.14).

    Nobody need have been there to record it; whoever next drives the unit does.
    """
    return (
        replace(state, phase="expired", reason="question_expired", waiting=None) if silence_over(state, now) else state
    )


def _repeats(offer: Offer, last: Question | None, given: str | None) -> bool:
    return last is not None and offer.text == given and offer.question in (None, last.id)
