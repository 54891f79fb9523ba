"""The story of a unit: where its work comes from and where it went, one moment a line (`show`). Pure.

Facts of events alone are told: ids, digests, counts, names of tasks and refs. What research, findings, questions or
reports say is a private body and never part of it (R.41).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from unlost.facts.records import dataclass
from unlost.ledger.events import Event
from unlost.unit import attempt_events, events, story_published, story_reviewed
from unlost.unit.origin_events import ProducerAccepted
from unlost.unit.research_events import ResearchSettled
from unlost.unit.review import is_repair
from unlost.unit.story_words import Chapter, Told, counted, named, short, words

MAXIMUM_MOMENTS: Final = 2_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Moment:
    """One line of the story: when (seconds since 1970), in which chapter, and what happened."""

    at: float
    chapter: Chapter
    what: str


def story_of(recorded: Iterable[Event]) -> tuple[Moment, ...]:
    """The story that these events of one unit tell, the oldest first; the newest ones when there are very many."""
    return tuple(_moments(recorded))[-MAXIMUM_MOMENTS:]


def _moments(recorded: Iterable[Event]) -> Iterator[Moment]:
    for event in recorded:
        payload = events.EVENTS.payload(event)
        tell = _TELL.get(type(payload))
        told = None if tell is None else tell(payload)
        if told is not None:
            yield Moment(at=event.at, chapter=told[0], what=told[1])


def _admitted(event: events.Admitted) -> Told:
    return "unit", f"asked for by {event.requester}: {', '.join(event.steps)}, {counted(len(event.tasks), 'task')}"


def _producer(event: ProducerAccepted) -> Told:
    made = event.producer
    return "research", (
        f"{made.attempt} is the producer: brief {short(made.brief)} at commit {short(made.commit)}, "
        f"{counted(len(made.sources), 'source')}"
    )


def _research(event: ResearchSettled) -> Told | None:
    if event.result == "ready":
        return None
    return "research", words(f"{event.result}{f' ({event.failure})' if event.failure else ''}")


def _attempt(event: attempt_events.AttemptIntended) -> Told:
    chapter: Chapter = "repair" if is_repair(event.task) else "code"
    told = f"{event.task} attempt {event.attempt}"
    if event.writer is not None:
        told += f": writer {event.writer.identity} on the brief of {event.writer.producer}"
        told += f", at {short(event.writer.head)}" if event.writer.head is not None else ""
    return chapter, told


def _ended(event: attempt_events.AttemptEnded) -> Told | None:
    if event.reason == "exited" and not event.failed:
        return None
    chapter: Chapter = "repair" if is_repair(event.task) else "code"
    return chapter, f"{event.task} attempt {event.attempt} ended: {words(event.reason)}"


def _settled(event: attempt_events.TaskSettled) -> Told:
    chapter: Chapter = "repair" if is_repair(event.task) else "code"
    where = f" at boundary {event.boundary}" if event.boundary is not None else ""
    reason = f" ({words(event.reason)})" if event.reason else ""
    return chapter, f"{event.task} {words(event.state)}{reason}{where}"


def _check(event: attempt_events.CheckEnded) -> Told | None:
    if event.task is not None and event.passed:
        return None
    result = "passed" if event.passed else "ran out of time" if event.timed_out else f"failed ({event.exit_code})"
    return "check", f"{event.name} {result}"


def _restored(event: events.RestoreDone) -> Told:
    return "wait", f"put back: {named(event.restored)}"


def _blocked(event: events.Blocked) -> Told:
    refusals = f": {', '.join(event.refusals)}" if event.refusals else ""
    paths = f": {named(event.paths)}" if event.paths else ""
    return "wait", words(f"blocked, {event.reason}{refusals}") + paths


def _accepted(event: events.ScopeAccepted) -> Told:
    return "wait", f"{event.by} accepted {named(event.paths)}"


def _revised(event: events.RevisionOpened) -> Told:
    return "unit", f"revision {event.revision} by {event.by} ({event.cause}), plan {short(event.digest)}"


def _over(event: events.Ended) -> Told:
    reason = f" ({event.reason})" if event.reason else ""
    return "unit", words(f"{event.phase}{reason}")


_TELL: Final[Mapping[type, Callable[[Any], Told | None]]] = {
    events.Admitted: _admitted,
    events.RevisionOpened: _revised,
    ResearchSettled: _research,
    ProducerAccepted: _producer,
    attempt_events.AttemptIntended: _attempt,
    attempt_events.AttemptEnded: _ended,
    attempt_events.TaskSettled: _settled,
    attempt_events.CheckEnded: _check,
    events.RestoreDone: _restored,
    events.Blocked: _blocked,
    events.Paused: lambda event: ("wait", f"paused, {words(event.reason)}"),
    events.QuestionAsked: lambda event: ("wait", f"{event.task or 'research'} asks a person ({event.question})"),
    events.QuestionAnswered: lambda event: ("wait", f"{event.by} answered {event.question}"),
    events.ScopeAccepted: _accepted,
    events.CheckAccepted: lambda event: ("wait", f"{event.by} accepted the definitions of {event.name}"),
    events.TreeAccepted: lambda event: ("wait", f"{event.by} accepted the tree {short(event.tree)}"),
    events.Resumed: lambda event: ("unit", f"resumed by {event.by}"),
    events.StopAsked: lambda event: ("unit", f"{event.by} asked for a stop"),
    events.Ended: _over,
    **story_reviewed.TELL,
    **story_published.TELL,
}
