from __future__ import annotations

import os
from pathlib import Path

import pytest
from kit.program import Program

from unlost.agents.script import parse_script
from unlost.demo.material import LOST_FILE, PLAN, SCRIPT
from unlost.demo.stage import clear_away, set_up
from unlost.demo.story import ACTS, Act, check_ending, next_steps
from unlost.facts.errors import UnlostError
from unlost.plan.parse import parse_plan


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that temporary folders are made in."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr("tempfile.tempdir", None)
    return folder


def test_plan_and_script_are_what_they_say() -> None:
    """Three tasks; the agent throws a file away with `git checkout` in the third, once."""
    plan = parse_plan(PLAN.encode(), name="plan.toml")
    steps = parse_script(SCRIPT.encode(), name="agent.toml")

    thrown = [step for step in steps if step.kind == "git"]

    assert len(plan.tasks) == 3
    assert [step.fields["args"] for step in thrown] == [["checkout", "--", LOST_FILE]]
    assert thrown[0].only == {"task": plan.tasks[2].id, "attempt": 1}


@pytest.mark.slow
def test_the_demo_shows_loss_restore_and_finished_plan(program: Program, temporary: Path) -> None:
    """The boundary trips, the report names the file, it comes back byte for byte, the plan ends done."""
    told = program("demo").out

    blocked, restored, done = (told.index(f"$ unlost {' '.join(act.arguments)}") for act in ACTS)
    assert "blocked (loss)" in told[blocked:restored]
    assert "lost      main.rs  reverted" in told[blocked:restored]
    assert "legacy_parse" in told[blocked:restored]
    assert "parse_all" in told[restored:done]
    assert "Drop the legacy parser  done" in told[done:]
    assert "unlost run -- your-agent" in told[done:]
    assert list(temporary.iterdir()) == []


@pytest.mark.slow
def test_the_demo_as_json_touches_nothing_of_the_persons(program: Program, temporary: Path) -> None:
    """Each act's own document; finished tasks ran once; the person's state home stays empty."""
    document = program("demo", "--json", "--keep").json

    run, restore, resume = (act["answer"] for act in document["acts"])
    assert [lost["path"] for lost in run["lost"]] == [LOST_FILE]
    assert restore["restored"] == [LOST_FILE]
    assert [task["state"] for task in resume["tasks"]] == ["done"] * 3
    assert [task["attempts"] for task in resume["tasks"]] == [1, 1, 1]
    assert document["seconds"] > 0
    assert not Path(os.environ["UNLOST_HOME"], "ledger.db").exists()
    assert [path.name.startswith("unlost-demo-") for path in temporary.iterdir()] == [True]


def test_the_stage_is_a_repository_of_its_own(temporary: Path) -> None:
    """One commit, plan and script beside the work tree, and all of it goes again."""
    stage = set_up()
    folder = Path(stage.folder)

    assert (folder / "repository" / ".git").is_dir()
    assert sorted(path.name for path in folder.iterdir()) == ["agent.toml", "plan.toml", "repository"]
    assert stage.environment(colored=False)["UNLOST_HOME"].startswith(stage.folder)

    clear_away(stage)
    assert list(temporary.iterdir()) == []


def test_a_story_that_goes_wrong_is_an_error() -> None:
    """An act that ends with another code than the story says fails the demo instead of pretending."""
    act = Act(tells=(), arguments=("run", "plan.toml"), exit_code=4)

    check_ending(act, 4)
    with pytest.raises(UnlostError, match="ended with 0, not 4"):
        check_ending(act, 0)


def test_the_closing_says_what_to_type() -> None:
    """The last lines are commands for the person's own repository."""
    assert any("unlost run -- your-agent" in line for line in next_steps())
