"""One producer, one writer: recorded once, kept by everything that is said later, asked for before each agent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from engine.fake_publishing import FIRST
from engine.fake_research import COMMIT, READY
from engine.fake_world import Files, World
from engine.research_units import REQUESTER, UNIT, Researched, researched
from kit.memory_ledger import MemoryLedger, MemoryRows

from unlost.attempt.facts import Report
from unlost.engine.advance import advance
from unlost.engine.local import Admission, admit
from unlost.engine.revising import Revision, open_revision
from unlost.engine.stream import UnitStream
from unlost.ledger.events import Event, NewEvent
from unlost.ledger.protocol import Fence, KeyTaken, Ledger, StreamDamaged
from unlost.plan.facts import CommitRules, Plan, PublishRules, Workflow
from unlost.research.brief import brief_digest
from unlost.research.reading import stored_brief
from unlost.unit.attempt_events import AttemptIntended
from unlost.unit.commit_events import CommitEnded
from unlost.unit.events import EVENTS, Blocked, RevisionOpened
from unlost.unit.origin_events import PRODUCER_KEY, ProducerAccepted
from unlost.unit.publish_events import PublishDeferred, RequestKept

LATER = "b" * 40


@pytest.fixture
def ready(unit: Researched) -> Researched:
    """A unit whose research finds what it needs."""
    unit.world.research.brief = READY
    return unit


def committing(unit: Researched, **rules: Any) -> Researched:
    """The same unit with a commit after each task; its research looks at what commits move."""
    plan = replace(unit.admission.plan, commit=CommitRules(mode="each_task"), **rules)
    return Researched(world=unit.world, ledger=unit.ledger, admission=replace(unit.admission, plan=plan))


def test_the_accepted_research_is_the_one_producer(ready: Researched) -> None:
    """R.51, R.A12b: the pointer names the researcher, what it was bound to, its brief and its closure."""
    state = ready.run()
    producer = state.origin.producer
    record = state.research

    assert producer is not None
    assert record is not None
    brief = stored_brief(ready.ledger, UNIT, record.standing)
    assert brief is not None
    assert (producer.unit, producer.attempt, producer.commit) == (UNIT, record.identity, COMMIT)
    assert (producer.requester, producer.brief) == (REQUESTER, brief_digest(brief))
    assert producer.sources == tuple(record.settled.sources if record.settled else ())
    assert len(ready.events("producer.accepted")) == 1


def test_a_second_producer_is_refused(ready: Researched) -> None:
    """R.51, R.A12b: whoever offers another one, the ledger refuses its key, and a stream that holds two is damaged."""
    state = ready.run()
    producer = state.origin.producer
    assert producer is not None
    other = ProducerAccepted(producer=replace(producer, attempt="u-1-research-2-1"))
    with pytest.raises(KeyTaken):
        ready.ledger.append(UNIT, [EVENTS.new(other, key=PRODUCER_KEY)])
    assert ready.state.origin.producer == producer
    ready.ledger.append(UNIT, [EVENTS.new(other, key="another key")])
    with pytest.raises(StreamDamaged):
        _ = UnitStream(ready.ledger, UNIT).state


def test_each_coding_attempt_records_its_writer(ready: Researched) -> None:
    """R.52, R.A12a: every accepted coding attempt names the original producer and its brief, and where it began."""
    state = ready.run()
    writers = [EVENTS.payload(event).writer for event in ready.events("attempt.intended")]
    producer = state.origin.producer

    assert producer is not None
    assert len(writers) == 3
    assert {(writer.producer, writer.brief) for writer in writers} == {(producer.attempt, producer.brief)}
    assert {(writer.head, writer.branch, writer.kind) for writer in writers} == {(COMMIT, "refs/heads/main", "code")}
    assert state.origin.writer == writers[-1]
    assert state.origin.receipts == ()


def test_a_writer_of_another_producer_damages_the_stream(ready: Researched) -> None:
    """R.54, R.A12b, R.A12e: a pointer can be replaced by an accepted attempt alone, and only under the producer."""
    ready.run()
    [*_, last] = ready.events("attempt.intended")
    payload = EVENTS.payload(last)
    assert isinstance(payload, AttemptIntended)
    assert payload.writer is not None
    foreign = replace(payload, attempt=9, writer=replace(payload.writer, producer="u-9-research-1-1"))
    ready.ledger.append(UNIT, [EVENTS.new(foreign, key="attempt three 9 intended", body=b"x")])
    with pytest.raises(StreamDamaged):
        _ = UnitStream(ready.ledger, UNIT).state


def test_what_is_said_later_keeps_both_pointers(ready: Researched, plan: Plan) -> None:
    """R.54, R.A12e: a resume, an amendment, words about publishing: none creates, drops or replaces a pointer."""

    def fail(files: Files, number: int) -> Report | None:
        files[b"a"] = "a1"
        ready.world.research.states = {"a": "revoked"}
        return None

    ready.world.deeds["one"] = fail
    before = ready.run().origin
    ready.resume()
    stream, hands = UnitStream(ready.ledger, UNIT), ready.world.hands(ready.ledger)
    amended = researched(replace(plan, goal="Do it better."))
    open_revision(stream, hands, Revision(cause="amend", plan=amended, note=None, by=REQUESTER))
    said = (
        PublishDeferred(failure="auth", remote="origin", ref="refs/heads/x"),
        RequestKept(commit=LATER, digest="d" * 64, branch="x", address="https://example.org/pull/1"),
    )
    stream.record(*(EVENTS.new(payload, key=f"said {number}") for number, payload in enumerate(said)))

    assert isinstance(EVENTS.payload(ready.events("revision.opened")[0]), RevisionOpened)
    after = UnitStream(ready.ledger, UNIT).state.origin
    assert before.producer is not None
    assert before.writer is not None
    assert (after.producer, after.writer, after.receipts) == (before.producer, before.writer, before.receipts)


class Tampering(MemoryLedger):
    """A ledger in which somebody changes or loses rows on their way in."""

    def __init__(self, world: World, tamper: Callable[[NewEvent], NewEvent | None]) -> None:
        super().__init__(MemoryRows(), world.clock)
        self._tamper = tamper

    def append(
        self, stream: str, events: Sequence[NewEvent], *, expect: int | None = None, fence: Fence | None = None
    ) -> tuple[Event, ...]:
        kept = [changed for event in events if (changed := self._tamper(event)) is not None]
        return super().append(stream, kept, expect=expect, fence=fence)


def refusals_of(world: World, admission: Admission, plan: Plan, ledger: Ledger) -> tuple[str, ...]:
    """Why coding was refused on a ready brief; no agent ran."""
    world.research.brief = READY
    hands = world.hands(ledger)
    state = advance(admit(hands, replace(admission, plan=researched(plan))), hands)
    assert isinstance(state.waiting, Blocked)
    assert world.orders == []
    return state.waiting.refusals


def test_without_its_producer_no_agent_starts(world: World, admission: Admission, plan: Plan) -> None:
    """R.55, R.A12d: a unit whose record of the producer is missing refuses coding before any agent."""
    ledger = Tampering(world, lambda event: None if event.kind == "producer.accepted" else event)

    assert refusals_of(world, admission, plan, ledger) == ("missing_producer",)


@pytest.mark.parametrize("field", ["brief", "sources", "commit", "requester", "repository"])
def test_a_conflicting_producer_starts_no_agent(world: World, admission: Admission, plan: Plan, field: str) -> None:
    """R.55, R.A12d: a marker that does not fit the research that is there refuses, and says so."""

    def forge(event: NewEvent) -> NewEvent:
        if event.kind != "producer.accepted":
            return event
        facts: dict[str, Any] = {**event.facts["producer"], field: ["s-0"] if field == "sources" else "0" * 40}
        return replace(event, facts={"producer": facts})

    assert refusals_of(world, admission, plan, Tampering(world, forge)) == ("changed_producer",)


def test_own_commits_carry_the_head_on(ready: Researched) -> None:
    """R.33, R.56: after unlost's own commit of task one, task two starts on it: the receipt proves the head."""
    unit = committing(ready)
    commits, research = unit.world.commits, unit.world.research
    commits.moved = lambda head: setattr(research, "commit", head)
    state = unit.run()

    assert FIRST == COMMIT
    assert state.phase == "done"
    assert len(commits.log) == 3
    heads = [EVENTS.payload(event).writer.head for event in unit.events("attempt.intended")]
    assert heads == [COMMIT, commits.log[0][1], commits.log[1][1]]
    assert state.research is not None
    assert [receipt.producer for receipt in state.origin.receipts] == [state.research.identity] * 3


def test_a_head_that_only_words_speak_of_refuses(ready: Researched) -> None:
    """R.57, R.A12c: a request's address, a deferred publication, an intended commit are no receipts: no head credit."""
    unit = committing(ready)

    def moved(files: Files, number: int) -> Report | None:
        files[b"a"] = "a1"
        unit.world.research.commit = LATER
        stream = UnitStream(unit.ledger, UNIT)
        said = (
            PublishDeferred(failure="unknown", remote="origin", ref="refs/heads/main"),
            RequestKept(commit=LATER, digest="d" * 64, branch="main", address="https://example.org/pull/1"),
        )
        stream.record(*(EVENTS.new(payload, key=f"said {number}") for number, payload in enumerate(said)))
        return None

    unit.world.deeds["one"] = moved
    unit.world.commits.delivery_refusal = "index_locked"
    state = unit.run()

    assert isinstance(state.waiting, Blocked)
    assert state.waiting.refusals == ("moved_head",)
    assert unit.world.attempts() == ["one"]
    assert [EVENTS.payload(event).receipt for event in unit.events("commit.ended")] == [None]
    assert isinstance(EVENTS.payload(unit.events("commit.ended")[0]), CommitEnded)
    unit.world.research.commit = COMMIT
    unit.world.commits.delivery_refusal = None
    assert unit.resume().phase == "done"


def test_the_pointers_survive_in_real_sqlite(ready: Researched) -> None:
    """R.43, R.A9e, R.A12e: through spawn, settle, push and reread in a real file both pointers are as they were."""
    unit = committing(ready, workflow=Workflow(steps=("research", "code", "publish")), publish=PublishRules(branch="x"))
    unit.world.commits.needed = False
    ran = unit.run()
    reread = UnitStream(unit.ledger, UNIT).state

    assert reread.origin == ran.origin
    assert reread.origin.producer is not None
    assert reread.origin.writer is not None


def test_a_unit_without_research_needs_no_producer(world: World, admission: Admission) -> None:
    """R.28, R.A12d: a unit that was admitted without research gains no requirement and records no pointer."""
    ledger = MemoryLedger(MemoryRows(), world.clock)
    hands = world.hands(ledger)
    state = advance(admit(hands, admission), hands)

    assert state.phase == "done"
    assert (state.origin.producer, state.origin.writer) == (None, None)
