"""What is done about the work of an attempt that is not done, before the next one is paid for."""

from __future__ import annotations

from typing import Any

import pytest
from unit.unit_story import Deed, Story, plan

from unlost.unit import actions, events
from unlost.unit.handoff_events import HandoffRestored, HandoffRestoreIntended, HandoffVerified

WORK, OTHER = b"src/a", b"src/b"
DIED = Deed(tree="t1", failed=True)


def wiped(resume: str = "ask", *, held_back: tuple[bytes, ...] = ()) -> Story:
    """One task whose first attempt died; a person stopped the unit's supervisor there, and its work was wiped since."""
    story = Story(
        plan("one", resume=resume),
        deeds={("one", 1): DIED},
        recoverable={"wiped": (WORK, OTHER)},
        held_back=held_back,
    )
    story.play(until=actions.VerifyHandoff)
    story.tree = "wiped"
    return story


def acts(story: Story, *kinds: type) -> list[Any]:
    """The actions of these kinds that were carried out."""
    return [action for action in story.acted if isinstance(action, kinds)]


def test_an_attempt_that_is_not_done_is_looked_after_first() -> None:
    """H.27: between two attempts of a task its handoff is verified, and nothing is asked when all stands."""
    story = Story(plan("one"), deeds={("one", 1): DIED}).play()

    assert story.phase() == "done"
    assert [type(action).__name__ for action in acts(story, actions.RunAttempt, actions.VerifyHandoff)] == [
        "RunAttempt",
        "VerifyHandoff",
        "RunAttempt",
    ]


def test_a_finished_task_hands_nothing_over() -> None:
    """No look is paid for when every task is done at once."""
    assert Story(plan()).play().kinds(HandoffVerified) == []


def test_recoverable_work_waits_once_and_resume_goes_on_without() -> None:
    """H.27: under `ask` the unit blocks with the paths before another attempt; a plain resume starts it."""
    story = wiped().resume()
    (blocked,) = story.kinds(events.Blocked)

    assert (story.phase(), story.reason(), story.attempts()) == ("blocked", "recoverable", ["one"])
    assert (blocked.paths, blocked.count, blocked.task) == ((WORK, OTHER), 2, "one")
    assert story.resume().phase() == "done"
    assert story.attempts() == ["one", "one"]
    assert story.kinds(HandoffRestored) == []


def test_a_killed_supervisor_is_no_word_of_a_person() -> None:
    """A resume between the look and the wait waives nothing: the person was not told yet."""
    story = wiped()
    story.add(events.Resumed(by="a person", epoch=2, terms=story.state.terms, restore=False))
    story.play(until=actions.Block).resume()

    assert (story.phase(), story.reason(), story.attempts()) == ("blocked", "recoverable", ["one"])


def test_resume_with_restore_brings_it_back() -> None:
    """`--restore` is the person's word: back first, verified again, then the next attempt."""
    story = wiped().resume().resume(restore=True)

    assert story.phase() == "done"
    assert [restored.restored for restored in story.kinds(HandoffRestored)] == [(WORK, OTHER)]
    assert [verified.recoverable_count for verified in story.kinds(HandoffVerified)] == [2, 0]
    record = story.state.tasks[0].attempts[0].handoff
    assert record is not None
    assert record.restored == (WORK, OTHER)


def test_the_plan_may_say_always() -> None:
    """`[resume] restore = "always"`: nobody is asked."""
    story = wiped("always").resume()

    assert story.phase() == "done"
    assert len(story.kinds(HandoffRestored)) == 1
    assert story.kinds(events.Blocked) == []


def test_the_plan_may_say_never() -> None:
    """`never`: nothing is put back and nobody is asked; the prompt tells what is kept where."""
    story = wiped("never").resume()

    assert story.phase() == "done"
    assert story.kinds(HandoffRestored) == []
    assert story.kinds(events.Blocked) == []


@pytest.mark.parametrize("held_back", [(OTHER,), (WORK, OTHER)])
def test_what_did_not_come_back_waits_again(held_back: tuple[bytes, ...]) -> None:
    """A partial restore gates again; each `--restore` is one try, and a plain resume then goes on without."""
    story = wiped("always", held_back=held_back).resume()
    assert (story.reason(), story.kinds(events.Blocked)[-1].paths) == ("recoverable", held_back)
    story.resume(restore=True)
    assert (story.reason(), len(story.kinds(HandoffRestored)), story.attempts()) == ("recoverable", 2, ["one"])

    assert story.resume().phase() == "done"
    assert len(story.kinds(HandoffRestored)) == 2


def test_an_interrupted_restore_is_made_again() -> None:
    """Killed between intent and outcome, the same restore is asked for before anything is looked at again."""
    story = wiped("always")
    story.add(events.Resumed(by="a person", epoch=2, terms=story.state.terms, restore=False))
    story.play(until=actions.BringBack)
    story.add(HandoffRestoreIntended(task="one", attempt=1, paths=(WORK, OTHER)))
    story.tree = "half"
    story.resume()

    assert story.phase() == "done"
    assert [action.paths for action in acts(story, actions.BringBack)] == [(WORK, OTHER)]


def test_an_attempt_that_never_ran_hands_nothing_over() -> None:
    """The newest attempt in which an agent ran is looked after, not one that could not be started."""
    story = Story(plan("one"), deeds={("one", 1): DIED, ("one", 2): Deed(reason="not_started")})
    story.play().resume()

    assert [verified.attempt for verified in story.kinds(HandoffVerified)] == [1]
    assert story.attempts() == ["one", "one", "one"]
