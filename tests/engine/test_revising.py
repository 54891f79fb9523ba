"""Revisions: what stays done, what a later attempt is told, and the tree that it must find."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from engine.fake_world import Files, Killed, World, writes

from unlost.attempt.facts import Report
from unlost.engine import revising, step
from unlost.engine.advance import advance
from unlost.engine.local import Admission, Resumption, admit, resume
from unlost.engine.ports import Captured
from unlost.engine.revising import Revision, accept_tree, open_revision
from unlost.engine.stream import UnitStream
from unlost.engine.telling import tell
from unlost.facts.errors import NeedsPerson
from unlost.ledger.protocol import Ledger
from unlost.plan.digest import plan_digest
from unlost.plan.facts import Budget, Plan, Scope, Task
from unlost.unit.attempt_events import RetainedWork
from unlost.unit.facts import UnitState

NOTE = "An earlier coding attempt already changed the files listed below"


def _fails(files: Files, number: int) -> Report | None:
    files[b"b"] = f"b{number}"
    return Report(outcome="completed", reason="", paths=())


@pytest.fixture
def failed(world: World, ledger: Ledger, admission: Admission) -> UnitStream:
    """A unit whose task two never passes its check; task one is done."""
    world.deeds["two"] = _fails
    world.verdicts["two/1"] = lambda files: files[b"b"] == "good"
    plan = replace(admission.plan, budget=Budget(attempts=2))
    hands = world.hands(ledger)
    stream = admit(hands, replace(admission, plan=plan))
    assert advance(stream, hands).phase == "failed"
    return stream


def _amended(stream: UnitStream, **changes: object) -> Revision:
    plan: Plan = replace(stream.plan, **changes)  # type: ignore[arg-type]  # a test names the fields it changes
    return Revision(cause="amend", plan=plan, note=None, by="a person")


def _run(stream: UnitStream, world: World, ledger: Ledger, revision: Revision) -> UnitState:
    hands = world.hands(ledger)
    open_revision(stream, hands, revision)
    return advance(stream, hands)


def test_amend_goes_on_without_redoing(world: World, ledger: Ledger, failed: UnitStream) -> None:
    """N.1, N.8, N.T1: after amend and run, done tasks stay done, and the note names exactly the two changed files."""
    world.deeds["two"] = writes(b"b", "good")
    state = _run(failed, world, ledger, _amended(failed, goal="Do it better."))
    prompt = world.orders[3].prompt.decode()

    assert state.phase == "done"
    assert state.revision == 2
    assert world.attempts() == ["one", "two", "two", "two", "three"]
    assert NOTE in prompt
    assert prompt.count('- "a"\n- "b"\n') == 1
    assert "Do it better." in prompt


def test_the_ledger_shows_what_was_told(world: World, ledger: Ledger, failed: UnitStream) -> None:
    """N.23, N.24, N.T7: the note is in the recorded prompt, and its counts in an event that names no path."""
    world.deeds["two"] = writes(b"b", "good")
    _run(failed, world, ledger, _amended(failed, goal="x"))
    events = ledger.read("u-1")
    told = [event for event in events if event.kind == "attempt.retained_work"]
    intent = [event for event in events if event.kind == "attempt.intended"][3]

    assert {key: told[0].facts[key] for key in ("given", "files", "listed", "excluded")} == {
        "given": True,
        "files": 2,
        "listed": 2,
        "excluded": 0,
    }
    assert NOTE.encode() in (ledger.body("u-1", intent.sequence) or b"")
    assert "retained_work" in intent.facts["notes"]
    assert '"b"' not in json.dumps(dict(told[0].facts))


def test_the_plan_and_its_digest_know_nothing_of_the_note(world: World, ledger: Ledger, failed: UnitStream) -> None:
    """N.22, N.T6: the digest is the plan's, byte for byte, whether or not the note was given."""
    revision = _amended(failed, goal="x")
    world.deeds["two"] = writes(b"b", "good")
    state = _run(failed, world, ledger, revision)

    assert state.digest == plan_digest(revision.plan)
    assert revision.plan == UnitStream(ledger, "u-1").plan


def test_the_list_comes_from_the_compared_capture(
    world: World, ledger: Ledger, failed: UnitStream, monkeypatch: pytest.MonkeyPatch
) -> None:
    """N.15: the note's paths come from the capture that the paused-tree check compared; none is taken after it."""
    world.deeds["two"] = writes(b"b", "good")
    hands = world.hands(ledger)
    open_revision(failed, hands, _amended(failed, goal="x"))
    calls: list[str] = []
    capture = hands.watch.capture

    def counted(label: str) -> Captured:
        calls.append("capture")
        return capture(label)

    def told(*arguments: Any, **given: Any) -> Any:
        calls.append("told")
        return tell(*arguments, **given)

    monkeypatch.setattr(hands.watch, "capture", counted)
    monkeypatch.setattr("unlost.engine.attempting.tell", told)
    advance(failed, hands)
    before = calls[: calls.index("told")]
    intended = [event for event in ledger.read("u-1") if event.kind == "attempt.intended"][3]

    assert before.count("capture") <= 1
    assert intended.facts["tree"] in {taken.tree for _, taken in world.boundaries.values()}


def test_an_unchanged_tree_gets_no_note(world: World, ledger: Ledger, admission: Admission) -> None:
    """N.3, N.T2: a later revision on a tree without changes has no note."""
    world.deeds["one"] = lambda files, number: None
    hands = world.hands(ledger)
    stream = admit(hands, admission)
    assert advance(stream, hands).reason == "no_progress"
    world.deeds["one"] = writes(b"a", "a1")
    _run(stream, world, ledger, _amended(stream, goal="x"))

    assert NOTE.encode() not in world.orders[2].prompt
    assert not [told for told in world.told if isinstance(told, RetainedWork) and told.task == "one"]


def test_both_notes_when_both_apply(world: World, ledger: Ledger, failed: UnitStream) -> None:
    """N.5, N.6, N.7, N.T8: operator note, automatic-resume note, retained-work note: all there, in that order."""
    world.deeds["two"] = writes(b"b", "good")
    world.dies_while_running = True
    hands = world.hands(ledger)
    open_revision(failed, hands, replace(_amended(failed, goal="x"), note="Mind the gap."))
    with pytest.raises(Killed):
        advance(failed, hands)
    advance(UnitStream(ledger, "u-1"), world.hands(ledger))
    prompt = world.orders[4].prompt.decode()
    places = [prompt.index(text) for text in ("Mind the gap.", "## Automatic resume", NOTE)]

    assert places == sorted(places)


def test_many_files_are_bounded(world: World, ledger: Ledger, failed: UnitStream) -> None:
    """N.17, N.T4: 25 changed paths are listed as 20 and `and 5 more`."""
    world.files.update({f"n{number:02}".encode(): "x" for number in range(23)})
    world.deeds["two"] = writes(b"b", "good")
    _run(failed, world, ledger, _amended(failed, goal="x"))

    assert "and 5 more" in world.orders[3].prompt.decode()


def test_hostile_names_stay_in_their_string(world: World, ledger: Ledger, failed: UnitStream) -> None:
    """N.20, N.T5: a quote, a newline, a bidi mark or bytes that are no UTF-8 cannot leave the JSON string."""
    names = [b'q"uote', b"new\nline", "bi\u202edi".encode(), b"\xff", b"\x1b[31m", "\u2028".encode()]
    world.files.update(dict.fromkeys(names, "x"))
    world.deeds["two"] = writes(b"b", "good")
    _run(failed, world, ledger, _amended(failed, goal="x"))
    prompt = world.orders[3].prompt.decode()

    listed = [line[2:] for line in prompt[prompt.index(NOTE) :].splitlines() if line.startswith('- "')]
    assert {json.loads(line).encode("utf-8", "surrogateescape") for line in listed} >= set(names)
    assert all(line.isascii() and line.isprintable() for line in listed)


def test_only_paths_in_scope_are_listed(world: World, ledger: Ledger, failed: UnitStream) -> None:
    """N.19: a changed path out of scope is counted as excluded and never named."""
    world.files[b"elsewhere"] = "x"
    world.deeds["two"] = writes(b"b", "good")
    _run(failed, world, ledger, _amended(failed, scope=Scope(paths=("a", "b", "c"))))
    told = next(told for told in world.told if isinstance(told, RetainedWork))

    assert (told.files, told.excluded) == (2, 1)
    assert b"elsewhere" not in world.orders[3].prompt


def test_the_paused_tree_must_be_found(world: World, ledger: Ledger, failed: UnitStream) -> None:
    """N.26: another tree than the admitted one stops before any agent; accepting it by name goes on."""
    world.deeds["two"] = writes(b"b", "good")
    hands = world.hands(ledger)
    open_revision(failed, hands, _amended(failed, goal="x"))
    world.files[b"c"] = "edited meanwhile"
    state = advance(failed, hands)

    assert (state.phase, state.reason) == ("blocked", "paused_tree")
    assert len(world.orders) == 3
    with pytest.raises(NeedsPerson):
        accept_tree(failed, hands, "0" * 40, by="a person")
    accept_tree(failed, hands, hands.watch.capture("").tree, by="a person")
    state = resume(failed, hands, Resumption(by="a person", epoch=2))
    assert state.phase == "done"


def test_recover_opens_a_revision_with_the_same_plan(world: World, ledger: Ledger, failed: UnitStream) -> None:
    """Decision 18, R.50: recover keeps plan, digest and deadline, and only lets attempts count anew."""
    world.deeds["two"] = writes(b"b", "good")
    before = failed.state
    world.clock.wait(60)
    state = _run(failed, world, ledger, Revision(cause="recover", plan=failed.plan, note=None, by="a person"))

    assert (state.phase, state.revision, state.digest) == ("done", 2, before.digest)
    assert state.terms.deadline == before.terms.deadline
    assert world.attempts() == ["one", "two", "two", "two", "three"]


def test_only_checks_are_left(world: World, ledger: Ledger, admission: Admission) -> None:
    """N.4, N.28: when every task is done, a revision that changes only checks starts no agent and gives no note."""
    world.verdicts["suite"] = lambda files: False
    hands = world.hands(ledger)
    stream = admit(hands, admission)
    assert advance(stream, hands).reason == "checks_failed"
    state = _run(stream, world, ledger, _amended(stream, checks=()))

    assert state.phase == "done"
    assert world.attempts() == ["one", "two", "three"]
    assert not [told for told in world.told if isinstance(told, RetainedWork)]


def test_a_changed_task_is_reopened_and_a_removed_one_forgotten(
    world: World, ledger: Ledger, failed: UnitStream
) -> None:
    """contracts.md: tasks match by id; a done task whose text changed is done again, a removed one is not run."""
    tasks = (replace(failed.plan.tasks[0], text="Do one differently."), Task(id="four", text="New."))
    world.deeds |= {"one": writes(b"a", "a2"), "four": writes(b"d", "d1")}
    state = _run(failed, world, ledger, _amended(failed, tasks=tasks))

    assert state.phase == "done"
    assert [task.id for task in state.tasks] == ["one", "four"]
    assert world.attempts() == ["one", "two", "two", "one", "four"]


def test_what_is_done_cannot_be_amended(world: World, ledger: Ledger, admission: Admission) -> None:
    """A unit that is done or stopped keeps its revision."""
    hands = world.hands(ledger)
    stream = admit(hands, admission)
    advance(stream, hands)

    with pytest.raises(NeedsPerson):
        open_revision(stream, hands, _amended(stream, goal="x"))


@pytest.mark.parametrize("point", ["revision.captured", "revision.opened"])
def test_amend_survives_a_kill(
    world: World, ledger: Ledger, failed: UnitStream, monkeypatch: pytest.MonkeyPatch, point: str
) -> None:
    """Killed while amending, the same amendment said again comes to the same end."""
    revision = _amended(failed, goal="x")
    world.deeds["two"] = writes(b"b", "good")
    monkeypatch.setattr(step, "crash_point", _dying_at(point))
    with pytest.raises(Killed):
        revising.open_revision(failed, world.hands(ledger), revision)
    monkeypatch.setattr(step, "crash_point", _dying_at("nowhere"))
    stream = UnitStream(ledger, "u-1")
    if stream.state.revision == 1:
        open_revision(stream, world.hands(ledger), revision)
    state = advance(stream, world.hands(ledger))

    assert (state.phase, state.revision) == ("done", 2)


def _dying_at(name: str) -> Callable[[str], None]:
    def crash_point(point: str) -> None:
        if point == name:
            raise Killed

    return crash_point
