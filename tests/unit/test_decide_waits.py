"""What stops a unit, and how it goes on."""

from __future__ import annotations

from dataclasses import replace

import pytest
from unit.unit_story import FINE, Deed, Story, losing, plan

from unlost.unit import actions, attempt_events, events
from unlost.unit.lease import extended
from unlost.unit.proof import ClaimCounts, Proof

WIPED = Deed(tree="t2+three", lost=losing(b"main.rs"))


def test_a_loss_blocks_at_its_boundary() -> None:
    """G.13, G.14: a trip ends the run at that boundary as blocked; no further attempt, check or task runs."""
    story = Story(plan(task_checks=("a",)), deeds={("two", 1): WIPED}).play()

    assert (story.phase(), story.reason()) == ("blocked", "loss")
    assert story.attempts() == ["one", "two"]
    assert story.states() == ["done", "running", "waiting"]
    assert story.boundaries()[-1] == "attempt_end"
    blocked = story.kinds(events.Blocked)[0]
    assert (blocked.paths, blocked.count, blocked.task) == ((b"main.rs",), 1, "two")
    assert [check.name for check in story.kinds(attempt_events.CheckEnded)] == ["one/a"]


def test_after_a_restore_the_same_attempt_is_judged_again() -> None:
    """After a block that was restored the same attempt is judged, checked and done; no other one is paid for."""
    story = Story(plan(task_checks=("a",)), deeds={("three", 1): WIPED}).play()
    story.proof = FINE
    story.resume()

    assert story.phase() == "done"
    assert story.attempts() == ["one", "two", "three"]
    assert [judged.round for judged in story.kinds(attempt_events.AttemptJudged)] == [1, 1, 1, 2]


def test_resuming_with_the_loss_still_there_blocks_again() -> None:
    """A loss stays open until its content is back: resuming is not restoring."""
    story = Story(plan(), deeds={("three", 1): WIPED}).play().resume().resume()

    assert story.phase() == "blocked"
    assert story.attempts() == ["one", "two", "three"]
    assert story.boundaries()[-3:] == ["attempt_end", "resumed", "resumed"]


def test_a_loss_found_before_a_task_blocks_and_the_task_opens_anew() -> None:
    """What was lost between two tasks blocks; what a person restores then is no claim of the next task."""
    story = Story(plan("one", "two")).play(until=actions.RunAttempt)
    story.play(until=actions.CloseAttempt)
    story.proof = losing(b"a")
    story.play()

    assert story.phase() == "blocked"
    assert story.state.task("two").opened is None
    story.proof, story.tree = FINE, "t1+restored"
    story.resume()
    opened = story.state.task("two").opened
    assert opened is not None
    assert opened.tree == "t1+restored"
    assert story.phase() == "done"


def test_a_plan_may_let_the_unit_restore() -> None:
    """`on_loss = "restore"` restores by merge and goes on; the attempt is judged on what that gives."""
    story = Story(plan(on_loss="restore"), deeds={("two", 1): WIPED}).play()

    assert story.phase() == "done"
    assert [restore.paths for restore in story.kinds(events.RestoreIntended)] == [(b"main.rs",)]
    assert story.attempts() == ["one", "two", "three"]


def test_restoring_by_itself_is_bounded() -> None:
    """Twice a unit, once a path: whatever wipes the same work again meets a person."""
    deeds = {("one", 1): Deed(tree="t1", lost=losing(b"a")), ("two", 1): Deed(tree="t2", lost=losing(b"a"))}
    again = Story(plan(on_loss="restore"), deeds=deeds).play()
    names = {("one", 1): b"a", ("two", 1): b"b", ("three", 1): b"c"}
    often = Story(
        plan(on_loss="restore"), deeds={key: Deed(tree=key[0], lost=losing(path)) for key, path in names.items()}
    ).play()

    assert again.phase() == often.phase() == "blocked"
    assert len(again.kinds(events.RestoreIntended)) == 1
    assert len(often.kinds(events.RestoreIntended)) == 2


def test_resume_with_restore_is_the_persons_word() -> None:
    """`resume --restore` restores without the plan having said so."""
    story = Story(plan(), deeds={("two", 1): WIPED}).play().resume(restore=True)

    assert story.phase() == "done"
    assert len(story.kinds(events.RestoreDone)) == 1


def test_paths_outside_the_scope_block_and_nothing_is_reverted() -> None:
    """N.27: paths outside the scope are named and the unit blocks, work kept; accepted, the attempt is judged again."""
    story = Story(plan("one"), deeds={("one", 1): Deed(tree="t1", outside=(b"etc/x",))}).play()

    assert (story.phase(), story.reason()) == ("blocked", "out_of_scope")
    assert story.kinds(events.Blocked)[0].paths == (b"etc/x",)
    story.resume()
    assert story.phase() == "blocked"
    story.add(events.ScopeAccepted(paths=(b"etc/x",), by="a person"))
    story.resume()
    assert story.phase() == "done"
    assert story.attempts() == ["one"]


@pytest.mark.parametrize(
    ("proof", "reason"),
    [
        (Proof(unproved=1, claims={"one": ClaimCounts()}), "unproved"),
        (Proof(elsewhere=1, claims={"one": ClaimCounts()}), "head_moved"),
    ],
)
def test_what_cannot_be_judged_waits(proof: Proof, reason: str) -> None:
    """Content that is only on another branch, or cannot be read, is no loss; but nothing is paid for until it is."""
    story = Story(plan(), deeds={("one", 1): Deed(tree="t1", lost=proof)}).play()

    assert (story.phase(), story.reason()) == ("blocked", reason)


def test_a_deadline_ends_the_unit_with_its_work_kept() -> None:
    """The deadline ends a unit before another attempt is paid; what is done by then is judged first."""
    story = Story(plan(deadline=100.0)).play(until=actions.RunAttempt)
    story.now += 200
    story.run(actions.RunAttempt(task="one", number=1))
    story.play()

    assert (story.phase(), story.reason()) == ("expired", "deadline")
    assert story.states() == ["done", "skipped", "skipped"]


def test_a_cost_cap_pauses_before_the_next_attempt() -> None:
    """With the cost cap reached the unit pauses; a raised cap goes on without repeating anything."""
    story = Story(plan(cost_usd=1.0)).play()

    assert (story.phase(), story.reason()) == ("paused", "cost")
    assert story.attempts() == ["one", "two"]
    story.resume()
    assert story.phase() == "paused"
    story.resume(terms=extended(story.state.terms, cost_usd=5.0))
    assert story.phase() == "done"
    assert story.attempts() == ["one", "two", "three"]


def test_an_unknown_price_is_never_zero() -> None:
    """Decision 14: with a cost cap and no price known the run pauses; each resume is a person's word for one more."""
    deeds = {(name, 1): Deed(tree=name, cost_usd=None) for name in ("one", "two", "three")}
    capped = Story(plan(cost_usd=1.0), deeds=deeds).play()
    free = Story(plan(), deeds=deeds).play()

    assert (capped.phase(), capped.reason()) == ("paused", "price_unknown")
    assert capped.state.spent.known_usd is None
    capped.resume()
    assert capped.attempts() == ["one", "two"]
    assert free.phase() == "done"


def test_a_token_cap_pauses() -> None:
    """A token cap works like the cost cap; 0 is no cap."""
    assert Story(plan(tokens=100)).play().reason() == "tokens"


def test_stop_ends_where_the_unit_is() -> None:
    """G.18: stop judges what the attempt left and proves every claim once more before the end is reported."""
    story = Story(plan()).play(until=actions.CloseAttempt)
    story.add(events.StopAsked(by="a person"))
    story.play()

    assert story.phase() == "stopped"
    assert story.boundaries()[-1] == "attempt_end"
    assert story.states() == ["failed", "skipped", "skipped"]


def test_stopping_a_waiting_unit_proves_it_first() -> None:
    """G.18: a blocked unit that is stopped gets a last boundary only when something could have changed since."""
    story = Story(plan(), deeds={("two", 1): WIPED}).play()
    story.add(events.StopAsked(by="a person"))
    story.play()

    assert story.phase() == "stopped"
    assert story.state.proof.trouble == "loss"


def test_a_unit_that_is_over_rests() -> None:
    """Nothing happens to a unit after its end."""
    story = Story(plan()).play()
    length = len(story.said)
    story.play()

    assert len(story.said) == length


def test_a_check_that_loses_work_blocks() -> None:
    """A check that reverts finished work is found at the boundary after it."""
    story = Story(plan("one", "two", task_checks=("a",)), check_writes={"one/a": "broken"})
    story.play(until=actions.CloseAttempt)
    story.proof = losing(b"a")
    story.play()

    assert story.phase() == "blocked"
    assert story.boundaries()[-1] == "checks"


def test_the_paused_tree_must_be_found(story_of_revision_two: Story) -> None:
    """N.26: a revision whose first attempt would find another tree than the one admitted blocks, no agent started."""
    story = story_of_revision_two
    story.tree = "changed meanwhile"
    story.play()

    assert (story.phase(), story.reason()) == ("blocked", "paused_tree")
    assert story.attempts() == ["one", "one", "one"]
    story.add(events.TreeAccepted(tree="changed meanwhile", by="a person"))
    story.resume()
    assert story.phase() == "done"


def test_a_revision_counts_attempts_anew(story_of_revision_two: Story) -> None:
    """A failed unit goes on as the new revision: kept tasks stay done, attempts count anew, numbers go on."""
    story = story_of_revision_two.play()

    assert story.phase() == "done"
    assert story.state.revision == 2
    assert [attempt.attempt for attempt in story.kinds(attempt_events.AttemptIntended)] == [1, 2, 3, 4, 1]


def test_only_checks_are_left_to_run() -> None:
    """N.28: when every task is done and a check failed, a revision with better checks starts no agent."""
    story = Story(plan("one", checks=("suite",)), verdicts={"suite": [False, True]}).play()
    story.add(_revision(story, kept=("one",)))
    story.play()

    assert story.phase() == "done"
    assert story.attempts() == ["one"]


@pytest.mark.parametrize("name", ["one/a", "suite"])
def test_a_changed_definition_is_no_pass_until_accepted(name: str) -> None:
    """N.R7: a check that passes by definitions that were changed blocks; a person accepts exactly these contents."""
    story = Story(plan("one", checks=("suite",), task_checks=("a",)), redefined={name: "digest-1"}).play()

    assert (story.phase(), story.reason()) == ("blocked", "definition_changed")
    assert story.kinds(events.Blocked)[0].paths == (b"tests/x",)
    story.add(events.CheckAccepted(name=name, definitions="another", by="a person"))
    story.resume()
    assert story.phase() == "blocked"
    story.add(events.CheckAccepted(name=name, definitions="digest-1", by="a person"))
    story.resume()
    assert story.phase() == "done"
    assert story.attempts() == ["one"]


def test_a_failed_check_is_no_matter_of_its_definitions() -> None:
    """N.R7: a check that fails is failed, whatever was changed: nobody is asked to accept it."""
    story = Story(plan("one", task_checks=("a",)), redefined={"one/a": "d"}, verdicts={"one/a": [False, True]})
    story.play()

    assert story.attempts() == ["one", "one"]
    assert story.reason() == "definition_changed"


@pytest.fixture
def story_of_revision_two() -> Story:
    """A unit that failed in its first task and was amended."""
    deeds = {("one", n): Deed(tree=f"t{n}", failed=True) for n in (1, 2, 3)}
    story = Story(plan("one", "two", attempts=3), deeds=deeds).play()
    story.add(_revision(story, kept=()))
    return story


def _revision(story: Story, *, kept: tuple[str, ...]) -> events.RevisionOpened:
    return events.RevisionOpened(
        revision=2,
        cause="amend",
        title="A better plan",
        digest="d2",
        previous_digest="d1",
        by="a person",
        tasks=tuple(task.id for task in story.plan.tasks),
        kept=kept,
        terms=replace(story.state.terms),
        paused_tree=story.tree,
        snapshot="s",
    )
