from __future__ import annotations

from pathlib import Path

import pytest
from cli.conftest import Unlost
from kit.plans import PlannedWork
from kit.repository import Repository

RENAME = "    sed -i.bak s/legacy_parse/parse_all/ main.rs && rm main.rs.bak"
TASKS = {"rename": RENAME, "notes": "    echo '- renamed' >>docs/notes.md"}
WIPING = {"rename": RENAME, "wipe": "    git checkout -- main.rs\n    echo x >>lib.rs"}


@pytest.fixture
def work(tmp_path: Path) -> PlannedWork:
    """Two tasks that lose nothing."""
    return PlannedWork.write(tmp_path / "plan", TASKS)


def test_a_run_tells_what_happens_and_answers_with_the_unit(unlost: Unlost, work: PlannedWork) -> None:
    """Events on stderr as they happen, the unit on stdout at the end; status and show tell it afterwards."""
    told = unlost("run", str(work.plan))
    unit = unlost("status", "--json").json["units"][0]

    assert "task      rename  attempt 1" in told.err
    assert "done      notes  boundary" in told.err
    assert "done      rename  1 attempt · 1 claim stands" in told.out
    assert unlost("show", unit["unit"][:6], "--json").json["outcome"] == "done"
    assert unlost("status", unit["unit"], "--json").json["schema"] == "unlost.unit/1"
    assert unit["unit"] in unlost("status").out


def test_a_dry_run_prints_the_digest_and_starts_nothing(unlost: Unlost, work: PlannedWork) -> None:
    """`run -n --json` prints what `plan check` prints; another digest than the approved one is exit 3."""
    planned = unlost("run", str(work.plan), "-n", "--json").json

    assert planned["digest"] == unlost("plan", "check", str(work.plan), "--json").json["digest"]
    assert planned["digest"] in unlost("run", str(work.plan), "--approve", "0" * 64, code=3).err
    assert work.attempts() == []
    unlost("run", str(work.plan), "--approve", planned["digest"])
    assert work.attempts() == ["rename", "notes"]


def test_the_prompt_of_an_attempt_can_be_read_back(unlost: Unlost, work: PlannedWork) -> None:
    """Decision 7: the exact bytes that were sent; an attempt that never was is exit 2."""
    unit = unlost("run", str(work.plan), "--json").json["unit"]

    assert "rename" in unlost("show", unit, "--prompt", "rename/1", "--body").out
    told = unlost("show", unit, "--prompt", "rename/1", "--json").json
    assert (told["bytes"] > 0, "prompt" in told) == (True, False)
    unlost("show", unit, "--prompt", "rename/9", code=2)
    unlost("show", unit, "--prompt", "rename", code=2)


def test_a_unit_that_is_open_here_need_not_be_named(unlost: Unlost, tmp_path: Path) -> None:
    """`show` without a name tells of the unit that is open here, its prompts too, and exits as it does by name."""
    work = PlannedWork.write(tmp_path / "plan", WIPING)
    unit = unlost("run", str(work.plan), "--json", code=4).json["unit"]

    assert unlost("show", "--json", code=4).json == unlost("show", unit, "--json", code=4).json
    assert (
        unlost("show", "--prompt", "rename/1", "--body").out
        == unlost("show", unit, "--prompt", "rename/1", "--body").out
    )
    assert unit in unlost("show", "--prompt", "rename/9", code=2).err


@pytest.mark.parametrize(
    "arguments",
    [
        ("run",),
        ("run", "missing.toml"),
        ("run", "PLAN", "--goal", "more"),
        ("run", "PLAN", "--check", "true"),
        ("run", "PLAN", "--agent", "nobody"),
        ("resume", "--extend", "soon"),
        ("resume",),
        ("show",),
        ("show", "--body"),
        ("stop", "u-123456"),
        ("watch",),
    ],
)
def test_a_wrong_command_line_starts_nothing(unlost: Unlost, work: PlannedWork, arguments: tuple[str, ...]) -> None:
    """Exit 2 with a hint; no agent was started."""
    unlost("mark")
    told = unlost(*(str(work.plan) if word == "PLAN" else word for word in arguments), code=2)

    assert "hint:" in told.err
    assert work.attempts() == []


def test_a_goal_is_a_plan_of_one_task(repository: Repository, unlost: Unlost, tmp_path: Path) -> None:
    """The agent of the settings works on the goal; its check decides."""
    agent = tmp_path / "agent.sh"
    agent.write_text("#!/bin/sh\necho 'pub fn parse_all() {}' >>lib.rs\n")
    agent.chmod(0o755)
    folder = tmp_path / "config" / "unlost"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text(f'[agent]\nuse = "command"\ncommand = ["{agent}"]\n')

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
        done = unlost("run", "--goal", "Add parse_all", "--check", "grep -q parse_all lib.rs", "--json").json

    assert done["outcome"] == "done"
    assert [task["id"] for task in done["tasks"]] == ["goal"]


def test_restore_goes_on_without_a_person(repository: Repository, unlost: Unlost, tmp_path: Path) -> None:
    """`run --restore` puts a loss back by itself and finishes the plan."""
    work = PlannedWork.write(tmp_path / "plan", WIPING)

    done = unlost("run", str(work.plan), "--restore", "--json").json

    assert done["outcome"] == "done"
    assert b"parse_all" in repository.read("main.rs")


def test_watch_tells_a_waiting_unit_and_leaves(unlost: Unlost, tmp_path: Path) -> None:
    """Watching a unit that waits tells its past and ends with the unit's own exit code; stop then ends it."""
    work = PlannedWork.write(tmp_path / "plan", WIPING)
    unlost("run", str(work.plan), code=4)

    watched = unlost("watch", code=4)
    stopped = unlost("stop", "--json", code=4).json

    assert "blocked   loss  main.rs" in watched.err
    assert stopped["phase"] == "stopped"


def test_a_path_outside_the_scope_is_accepted_by_a_person(
    repository: Repository, unlost: Unlost, tmp_path: Path
) -> None:
    """N.27: a unit that changed a path outside its scope waits; `accept --all --unit` and `resume` go on."""
    work = PlannedWork.write(
        tmp_path / "plan", {"rename": RENAME + "\n    echo more >>lib.rs"}, head='[scope]\npaths = ["main.rs"]\n'
    )
    blocked = unlost("run", str(work.plan), "--json", code=3).json

    assert blocked["reason"] == "out_of_scope"
    unlost("accept", "--all", "--unit", blocked["unit"], code=3)
    assert "accepted  lib.rs" in unlost("accept", "--all", "--unit", blocked["unit"], "-y").out
    assert unlost("resume", "--json").json["outcome"] == "done"
