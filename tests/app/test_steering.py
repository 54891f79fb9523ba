"""Revisions of a real unit: amend, recover, and the tree they start from."""

from __future__ import annotations

from dataclasses import replace

import pytest
from app.supervising import Bench, plan_of

from unlost.app.steering import Amendment, amend, recover, take_tree
from unlost.facts.errors import NeedsPerson
from unlost.plan.digest import plan_digest

pytestmark = pytest.mark.slow

RENAME = "    sed -i.bak s/legacy_parse/parse_all/ main.rs && rm main.rs.bak"
HEAD = "[budget]\nattempts = 1\n"
NOTE = "An earlier coding attempt already changed the files listed below"


@pytest.fixture
def failing(bench: Bench) -> Bench:
    """A unit whose first task is done and whose second has failed."""
    work = bench.work({"rename": RENAME, "fails": "    echo bad >>lib.rs"}, head=HEAD)
    text = work.plan.read_text()
    work.plan.write_text(text.replace('id = "fails"\n', 'id = "fails"\ncheck = [["grep", "-q", "good", "lib.rs"]]\n'))
    unit = bench.run(work)
    assert (unit.phase, unit.outcome) == ("failed", "partial")
    return bench


def _amendment(bench: Bench, *, run: bool, script: str = "    echo good >>lib.rs") -> Amendment:
    work = bench.work({"rename": RENAME, "fails": script}, head=HEAD, name="better")
    text = work.plan.read_text()
    work.plan.write_text(text.replace('id = "fails"\n', 'id = "fails"\ncheck = [["grep", "-q", "good", "lib.rs"]]\n'))
    return Amendment(plan=plan_of(work), plan_folder=str(work.plan.parent), note="Mind the gap.", run=run)


def test_amend_and_run_goes_on_without_redoing(failing: Bench) -> None:
    """N.8, N.T1: the done task is not repeated, and the next attempt hears of exactly the two changed files."""
    amendment = _amendment(failing, run=True)
    with failing.supervisor() as supervisor:
        unit = amend(supervisor, None, amendment)
        prompt = supervisor.prompt(unit.id, "fails", 2).decode()

    assert (unit.outcome, unit.state.revision) == ("done", 2)
    assert unit.document["digest"] == plan_digest(amendment.plan)
    assert [len(task.attempts) for task in unit.state.tasks] == [1, 2]
    assert NOTE in prompt
    assert '- "lib.rs"\n- "main.rs"' in prompt
    assert prompt.index("Mind the gap.") < prompt.index(NOTE)


def test_amend_alone_starts_nothing(failing: Bench) -> None:
    """Without `run` the revision is on record and proven; `resume` starts it."""
    with failing.supervisor() as supervisor:
        opened = amend(supervisor, None, _amendment(failing, run=False))
        assert [len(task.attempts) for task in opened.state.tasks] == [1, 1]
        done = supervisor.resume()

    assert (opened.state.revision, done.outcome) == (2, "done")


def test_another_tree_than_the_admitted_one_stops(failing: Bench) -> None:
    """N.26: exit 3, no agent started; the tree that is named is taken, any other is not."""
    with failing.supervisor() as supervisor:
        amend(supervisor, None, _amendment(failing, run=False))
        failing.repository.write("docs/notes.md", "edited meanwhile\n")
        blocked = supervisor.resume()
        assert (blocked.document["reason"], blocked.exit_code) == ("paused_tree", 3)
        with pytest.raises(NeedsPerson):
            take_tree(supervisor, None, "0" * 40)
        take_tree(supervisor, None, blocked.state.tree_now)
        done = supervisor.resume()

    assert done.outcome == "done"
    assert [len(task.attempts) for task in done.state.tasks] == [1, 2]


def test_recover_proves_and_keeps_the_plan(failing: Bench) -> None:
    """Decision 18: recover opens the next revision with the same digest and starts no agent."""
    with failing.supervisor() as supervisor:
        before = supervisor.show()
        opened = recover(supervisor, None)

    assert opened.state.revision == 2
    assert opened.document["digest"] == before.document["digest"]
    assert opened.document["boundaries"][-1]["kind"] == "resumed"
    assert [len(task.attempts) for task in opened.state.tasks] == [1, 1]


def test_an_amendment_needs_its_approved_digest(failing: Bench) -> None:
    """With `--approve`, another digest is refused and nothing is changed."""
    with failing.supervisor() as supervisor:
        with pytest.raises(NeedsPerson):
            amend(supervisor, None, replace(_amendment(failing, run=True), approve="0" * 64))
        assert supervisor.show().state.revision == 1
