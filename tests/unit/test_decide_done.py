"""When a task is done, when it is tried again, and when it is given up."""

from __future__ import annotations

import pytest
from unit.unit_story import Deed, Story, plan

from unlost.attempt.facts import EndReason
from unlost.facts.words import ReportOutcome
from unlost.unit import actions, attempt_events, events


def test_three_tasks_run_once_each_and_the_unit_is_done() -> None:
    """Each task has a boundary before it and one after it, and a finished task never runs again."""
    story = Story(plan()).play()

    assert story.phase() == "done"
    assert story.attempts() == ["one", "two", "three"]
    assert story.states() == ["done", "done", "done"]
    assert story.boundaries() == ["admission", *["before_task", "after_task"] * 3]


def test_checks_of_a_task_must_all_pass() -> None:
    """A task is done only when every check of it passes; all of them run, so that the next attempt hears of each."""
    story = Story(plan("one", task_checks=("a", "b")), verdicts={"one/a": [False, True]}).play()

    assert story.phase() == "done"
    assert story.attempts() == ["one", "one"]
    assert [check.name for check in story.kinds(attempt_events.CheckEnded)] == ["one/a", "one/b", "one/a", "one/b"]


def test_an_error_end_is_not_done_whatever_the_checks_say() -> None:
    """The adapter's error end alone makes an attempt not done; its checks are not even run."""
    story = Story(plan("one", task_checks=("a",)), deeds={("one", 1): Deed(tree="t1", failed=True)}).play()

    assert story.attempts() == ["one", "one"]
    assert len(story.kinds(attempt_events.CheckEnded)) == 1


def test_a_cap_is_an_end_like_another_only_when_the_agent_had_finished() -> None:
    """An attempt ended by a cap is done only when its agent had reported `completed`."""
    capped = Story(plan("one"), deeds={("one", 1): Deed(tree="t1", reason="turns")}).play()
    reported = Story(plan("one"), deeds={("one", 1): Deed(tree="t1", reason="turns", outcome="completed")}).play()

    assert capped.attempts() == ["one", "one"]
    assert reported.attempts() == ["one"]


def test_no_progress_stops_paying() -> None:
    """G.20: two attempts in a row, neither done, that end on the same tree fail the task; no third is paid."""
    story = Story(plan("one", attempts=9), deeds={("one", n): Deed() for n in range(1, 9)}).play()

    assert story.attempts() == ["one", "one"]
    assert (story.phase(), story.reason()) == ("failed", "no_progress")


@pytest.mark.parametrize("reason", ["supervisor_lost", "shim_lost", "stopped"])
def test_an_end_of_ours_says_nothing_about_progress(reason: EndReason) -> None:
    """G.20: an attempt that our kill or crash ended is not one of the two, and counts towards no cap."""
    deeds = {("one", 1): Deed(reason=reason, failed=True), ("one", 2): Deed(), ("one", 3): Deed(tree="t9")}
    story = Story(plan("one", attempts=2), deeds=deeds).play()

    assert story.attempts() == ["one", "one", "one"]
    assert story.phase() == "done"


def test_unchanged_is_not_done() -> None:
    """G.20: a task reported completed whose closing tree equals its opening tree is `unchanged`, not done."""
    story = Story(plan("one"), deeds={("one", 1): Deed(outcome="completed")}).play()

    assert [closed.result for closed in story.kinds(attempt_events.AttemptClosed)] == ["unchanged", "done"]


def test_no_change_needs_a_reason_and_a_passing_check() -> None:
    """G.20: with a report no_change, a reason and a passing check the task is done, state no_change."""
    deed = {("one", 1): Deed(outcome="no_change")}
    proven = Story(plan("one", task_checks=("a",)), deeds=deed).play()
    unproven = Story(plan("one"), deeds=deed).play()
    unreasoned = Story(
        plan("one", task_checks=("a",)), deeds={("one", 1): Deed(outcome="no_change", reasoned=False)}
    ).play()

    assert proven.states() == ["no_change"]
    assert proven.phase() == "done"
    assert unproven.attempts() == unreasoned.attempts() == ["one", "one"]


def test_work_of_an_earlier_attempt_counts() -> None:
    """The tree has to change in the task's attempts together: a second one may find that all is done."""
    deeds = {("one", 1): Deed(tree="t1", reason="supervisor_lost"), ("one", 2): Deed()}
    story = Story(plan("one"), deeds=deeds).play()

    assert story.states() == ["done"]


def test_attempts_are_capped() -> None:
    """A task whose attempts are used up fails, the unit with it; later tasks are skipped."""
    deeds = {("two", n): Deed(tree=f"t{n}", failed=True) for n in range(1, 9)}
    story = Story(plan(attempts=3), deeds=deeds).play()

    assert story.attempts() == ["one", "two", "two", "two"]
    assert story.states() == ["done", "failed", "skipped"]
    assert (story.phase(), story.reason()) == ("failed", "attempts")
    assert story.boundaries()[-1] == "attempt_end"


@pytest.mark.parametrize("outcome", ["blocked", "scope_change"])
def test_an_agent_that_asks_parks_the_unit(outcome: ReportOutcome) -> None:
    """A reported blocked or scope_change waits for a person; the answer starts one further attempt."""
    story = Story(plan("one"), deeds={("one", 1): Deed(tree="t1", outcome=outcome)}).play()

    assert story.phase() == "parked"
    assert story.attempts() == ["one"]
    story.now += 3600
    deadline = story.state.terms.deadline
    assert deadline is not None
    story.add(events.QuestionAnswered(question="q-1", by="a person"))
    story.play()

    assert story.attempts() == ["one", "one"]
    assert story.phase() == "done"
    assert story.state.terms.deadline == deadline + 3600


def test_resuming_is_no_answer() -> None:
    """R.14: a parked unit stays parked until somebody answers or stops it."""
    story = Story(plan("one"), deeds={("one", 1): Deed(tree="t1", outcome="blocked")}).play().resume()

    assert story.phase() == "parked"
    assert story.attempts() == ["one"]


def test_what_checks_change_is_put_on_record_after_the_task_is_closed() -> None:
    """Files that a check changed are captured in a boundary of their own: no claim of the task."""
    story = Story(plan("one", "two", task_checks=("a",)), check_writes={"one/a": "t1+report"}).play()

    assert story.boundaries()[:5] == ["admission", "before_task", "after_task", "checks", "before_task"]
    closing, checks = story.state.boundaries[2].taken, story.state.boundaries[3].taken
    assert (closing.tree, checks.tree) == ("t0+one", "t1+report")


def test_plan_checks_decide_the_end() -> None:
    """The plan's checks run when every task is done; one that fails ends the unit as failed, and starts no agent."""
    story = Story(plan("one", checks=("suite", "lint")), verdicts={"suite": [False]}).play()

    assert (story.phase(), story.reason()) == ("failed", "checks_failed")
    assert story.states() == ["done"]
    assert [check.name for check in story.kinds(attempt_events.CheckEnded)] == ["suite", "lint"]
    assert story.attempts() == ["one"]


def test_an_agent_that_cannot_be_started_waits_for_a_person() -> None:
    """A missing agent is not tried again and again: the unit blocks; resume tries once more."""
    deeds = {("one", n): Deed(reason="not_started", failed=True) for n in (1, 2)}
    story = Story(plan("one", attempts=1), deeds=deeds).play()

    assert (story.phase(), story.reason()) == ("blocked", "agent_not_started")
    story.resume()
    assert (story.phase(), story.attempts()) == ("blocked", ["one", "one"])
    story.resume()
    assert story.phase() == "done"


def test_a_supervisor_that_died_settles_before_anything_else() -> None:
    """Decision 12: an intent without an outcome is reconciled first; no second agent starts meanwhile."""
    story = Story(plan("one")).play(until=actions.RunAttempt)
    story.intend(actions.RunAttempt(task="one", number=1))
    story.acted.clear()
    story.resume()

    assert isinstance(story.acted[0], actions.SettleAttempt)
    assert isinstance(story.acted[1], actions.JudgeAttempt)
    assert story.attempts() == ["one", "one"]
    assert story.phase() == "done"
