"""Claude Code and Codex themselves, as programs and over ACP, against the scripted model (docs/agents.md)."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest
from kit.agents_table import (
    AGENTS,
    DENIES_BY_RULES,
    HAS_A_SANDBOX,
    HOME_BY_VARIABLES,
    LOADS_NO_SESSION_AT_ONCE,
    RETRIES_SILENTLY,
    TAKES_A_HOOK,
    TELLS_A_PRICE,
    TELLS_NO_TOKENS,
    TELLS_THE_RESET,
)
from kit.ground import eventually
from kit.misbehaviour import start_of
from kit.program import Program
from kit.real_agents import Stage, missing, variables
from kit.repository import Repository
from kit.researched import head_of, ready_brief
from kit.scripted_model import HANDING_OVER, RESEARCH, Step, scripted_model
from kit.walls import WHY_NOT

pytestmark = [pytest.mark.service, pytest.mark.slow]

EDIT = Step(text="I rename it.", command="sed -i.bak s/legacy_parse/parse_all/ main.rs && rm main.rs.bak")
RENAMED = b"fn main() {\n    parse_all();\n}\n"
WIPE = (
    Step(command="git checkout -- main.rs"),
    Step(command="echo '- parser renamed' >>docs/notes.md"),
)
UNGUARDED = 'guard_hook = false\npermissions = "all"'


@pytest.fixture(params=AGENTS)
def stage(request: pytest.FixtureRequest, repository: Repository, tmp_path: Path) -> Iterator[Stage]:
    """Each agent that is installed."""
    reason = missing(request.param)
    if reason:
        pytest.skip(reason)
    with scripted_model({}) as model:
        program = Program(folder=repository.root, variables=variables(request.param, model, tmp_path / "machine"))
        yield Stage(agent=request.param, model=model, program=program, folder=tmp_path)


def test_an_edit_is_done(stage: Stage, repository: Repository) -> None:
    """A task that edits a file is done; what it used is told, its price by the agents that know one."""
    done = stage.program("run", stage.plan({"edit": [EDIT]}), "--json").json

    assert (done["outcome"], done["tasks"][0]["state"]) == ("done", "done")
    assert repository.read("main.rs") == RENAMED
    assert done["spent"]["turns"] == 1
    assert done["spent"]["tokens"] == (0 if stage.agent in TELLS_NO_TOKENS else 2 * 1050)
    assert (done["spent"]["usd"] is not None) == (stage.agent in TELLS_A_PRICE)


def test_a_task_that_wipes_another_blocks(stage: Stage, repository: Repository) -> None:
    """G.9: without any hook the loss is found, the unit blocks, and one command brings the work back."""
    plan = stage.plan({"edit": [EDIT], "wipe": WIPE}, agent=UNGUARDED)
    blocked = stage.program("run", plan, "--json", code=4).json

    assert [(lost["path"], lost["state"]) for lost in blocked["lost"]] == [("main.rs", "reverted")]
    stage.program("restore", "--lost")
    done = stage.program("resume", "--json").json
    assert done["outcome"] == "done"
    assert repository.read("main.rs") == RENAMED


def test_a_wiped_task_is_restored_when_the_plan_says_so(stage: Stage, repository: Repository) -> None:
    """`on_loss = "restore"` puts the work back by itself and goes on to the end."""
    plan = stage.plan({"edit": [EDIT], "wipe": WIPE}, agent=UNGUARDED, head='guard = { on_loss = "restore" }')
    done = stage.program("run", plan, "--json").json

    assert done["outcome"] == "done"
    assert repository.read("main.rs") == RENAMED
    assert b"parser renamed" in repository.read("docs/notes.md")


def test_the_hook_refuses_to_wipe_another_task(stage: Stage, repository: Repository) -> None:
    """The attempt's own hook stops the command, the agent goes on, and nobody's settings file was written."""
    if stage.agent not in TAKES_A_HOOK | DENIES_BY_RULES:
        pytest.skip("over ACP no hook can be handed over for one run; the guard at the boundary holds")
    plan = stage.plan({"edit": [EDIT], "wipe": WIPE}, agent='permissions = "all"')
    done = stage.program("run", plan, "--json").json

    assert (done["outcome"], done["lost"]) == ("done", [])
    assert repository.read("main.rs") == RENAMED
    assert b"parser renamed" in repository.read("docs/notes.md")
    home = Path(stage.program.variables["HOME"])
    settings = [*home.rglob("*.json"), *home.rglob("*.toml")]
    assert [path.name for path in settings if b"hook_front" in path.read_bytes()] == []
    assert not (repository.root / ".claude").exists()


def test_a_cap_of_turns_holds(stage: Stage) -> None:
    """H.3: at the sixth of five calls the agent is interrupted and asked for its handoff: eight at most were begun."""
    tick = Step(command="echo {step} >>ticks.txt")
    # A supervisor that hears late on a busy machine must not find a ninth call: the seventh lasts until it is ended.
    endless = [*[tick] * 6, Step(command="sleep 600", for_ever=True)]
    # A busy machine takes its time to start the program again.
    head = 'budget = { turns = 5, attempts = 1, grace = "200s" }'
    plan = stage.plan({"endless": endless}, head=head)
    handoff = {"task": "endless", "iteration_cap": 5, "remaining_steps": ["the end"], "source": "handoff"}
    asked = Step(tool="submit_handoff", arguments={"handoff": handoff})
    stage.model.scenarios = {**stage.model.scenarios, HANDING_OVER: [asked]}
    failed = stage.program("run", plan, "--json", code=None).json

    assert failed["tasks"][0]["state"] != "done"
    assert 5 < failed["spent"]["turns"] <= 8
    handed = [json.loads(file.read_bytes()) for file in Path(os.environ["UNLOST_HOME"]).rglob("outbox/handoff.json")]
    assert handed == [handoff] or (not handed and stage.agent in LOADS_NO_SESSION_AT_ONCE)


def test_a_handoff_comes_over_mcp(stage: Stage) -> None:
    """Our tools are there from the first turn: the agent's handoff is taken, its report ends the task as it says."""
    handoff = {"task": "half", "iteration_cap": 5, "remaining_steps": ["the other half"], "source": "handoff"}
    report = {"outcome": "blocked", "reason": "it needs the other half"}
    steps = [
        EDIT,
        Step(tool="work_status"),
        Step(tool="submit_handoff", arguments={"handoff": handoff}),
        Step(tool="report_task", arguments=report),
    ]
    parked = stage.program("run", stage.plan({"half": steps}), "--json", code=3).json

    assert parked["phase"] == "parked"
    assert parked["question"]["text"] == "it needs the other half"
    assert parked["spent"]["turns"] == 4


def test_research_comes_over_mcp(stage: Stage, repository: Repository) -> None:
    """R.23: a researcher in its read-only copy hands its brief in over MCP; coding starts on it, once."""
    plan = stage.plan({"edit": [EDIT]}, head='workflow = { steps = ["research", "code"] }')
    handed = Step(tool="submit_research", arguments={"brief": ready_brief(head_of(repository))})
    stage.model.scenarios = {**stage.model.scenarios, RESEARCH: [Step(command="ls"), handed]}
    done = stage.program("run", plan, "--json").json

    assert (done["outcome"], done["research"]["state"]) == ("done", "ready")
    assert repository.read("main.rs") == RENAMED


def test_an_agent_behind_walls_does_its_task(stage: Stage, repository: Repository) -> None:
    """`sandbox = "bwrap"`: it edits and hands in over MCP, and sees nothing of our state; its home may be its own."""
    if WHY_NOT:
        pytest.skip(WHY_NOT)
    home = "own" if stage.agent in HOME_BY_VARIABLES else "user"
    keys = f'sandbox = "bwrap"\nhome = "{home}"\npermissions = "all"'
    look = Step(command='ls "$UNLOST_HOME" >seen.txt')
    steps = [look, EDIT, Step(tool="report_task", arguments={"outcome": "completed"})]
    done = stage.program("run", stage.plan({"edit": steps}, agent=keys), "--json").json

    assert done["outcome"] == "done"
    assert repository.read("main.rs") == RENAMED
    assert repository.read("seen.txt") == b"workspaces\n"


def test_a_person_is_asked_over_mcp(stage: Stage, repository: Repository) -> None:
    """`ask_human` parks the unit; after `unlost answer` the agent goes on with the answer."""
    asking = [Step(tool="ask_human", arguments={"question": "Tabs or spaces?"})]
    parked = stage.program("run", stage.plan({"style": asking}), "--json", code=3).json
    stage.model.scenarios = {"style": [EDIT, Step(tool="report_task", arguments={"outcome": "completed"})]}
    stage.program("answer", parked["unit"], "Tabs.")
    done = stage.program("resume", "--json", code=None)

    assert parked["question"]["text"] == "Tabs or spaces?"
    assert done.json["outcome"] == "done", done.err
    assert repository.read("main.rs") == RENAMED


@pytest.mark.parametrize("status", [401, 429, 500])
def test_a_failing_service_is_no_done_task(stage: Stage, status: int) -> None:
    """An error ends the attempt, whatever the agent's own word for it; a limit of the rate pauses the unit at once."""
    # An agent that tries again in silence is ended by its idleness; any other one may take its time to start.
    idle = "10s" if stage.agent in RETRIES_SILENTLY else "120s"
    head = f'budget = {{ attempts = 1, idle = "{idle}" }}'
    plan = stage.plan({"failing": [Step(status=status, for_ever=True)]}, head=head)
    failed = stage.program("run", plan, "--json", code=None)

    is_limit = status == 429 and stage.agent not in RETRIES_SILENTLY
    assert (failed.code, failed.json["phase"]) == ((5, "paused") if is_limit else (1, "failed")), failed.out
    assert failed.json["reason"] == "rate_limit" or not is_limit
    assert failed.json["tasks"][0]["state"] == ("running" if is_limit else "failed")


def test_a_reset_that_is_told_is_known(stage: Stage) -> None:
    """A usage limit pauses the unit at once, when its reset is too far away; that the agent told, and we know it."""
    if stage.agent not in TELLS_THE_RESET:
        pytest.skip("it does not tell when its provider takes more")
    if stage.agent == "claude":
        # It hears of usage limits with a login alone.
        del stage.program.variables["ANTHROPIC_API_KEY"]
        stage.program.variables["CLAUDE_CODE_OAUTH_TOKEN"] = "no-token"
    until = time.time() + 3 * 3600
    limited = Step(limited_until=until, for_ever=True)
    plan = stage.plan({"limited": [limited]}, head='limits = { max_wait = "1h" }')
    paused = stage.program("run", plan, "--json", code=5).json

    told = datetime.fromisoformat(paused["limit"]["resets_at"]).timestamp()
    assert (paused["phase"], paused["reason"]) == ("paused", "rate_limit")
    assert until - 1 <= told <= until + 60


def test_a_killed_supervisor_is_resumed_in_the_same_conversation(stage: Stage, repository: Repository) -> None:
    """The agent ends with its supervisor, killed by SIGKILL; `resume` carries on the conversation that it had begun."""
    steps = [EDIT, Step(command="touch begun; sleep 600"), Step(text="I am done.")]
    started = stage.program.start("run", stage.plan({"long": steps}))
    eventually((repository.root / "begun").exists, 240)
    started.send_signal(signal.SIGKILL)
    started.communicate(timeout=240)
    before = list(stage.model.asked)

    (repository.root / "begun").unlink()
    stage.model.scenarios = {"long": [EDIT, Step(command="echo '- renamed' >>docs/notes.md")]}
    done = stage.program("resume", "--json").json

    assert done["outcome"] == "done"
    assert done["tasks"][0]["attempts"] == 2
    goes_on = stage.model.asked[len(before)].turns > before[-1].turns
    assert goes_on or stage.agent in LOADS_NO_SESSION_AT_ONCE


def test_a_daemon_does_not_outlive_its_attempt(stage: Stage, tmp_path: Path) -> None:
    """What an agent leaves running, in a session of its own or not, is gone when its attempt is over."""
    pids = tmp_path / "machine" / "temporary" / "pids"
    # The agent's own shell may end what is left in it: by then the daemon must have a session of its own.
    daemon = f"setsid sh -c 'echo $$ >>{pids}; exec sleep 600' >/dev/null 2>&1 & until [ -s {pids} ]; do sleep 1; done"
    stage.program("run", stage.plan({"daemon": [Step(command=daemon), EDIT]}, agent='permissions = "all"'))

    started = pids.read_text(encoding="ascii").split()
    assert started
    assert [pid for pid in started if start_of(pid) is not None] == []


def test_an_agent_that_hangs_is_ended(stage: Stage) -> None:
    """An agent that says nothing for `idle` is ended, and its command with it."""
    hanging = stage.plan({"hanging": [Step(command="sleep 600")]}, head='budget = { idle = "3s", attempts = 1 }')
    failed = stage.program("run", hanging, "--json", code=None)

    assert failed.json["tasks"][0]["state"] != "done"
    assert failed.json["spent"]["seconds"] < 300


def test_edits_outside_the_workspace_are_refused(stage: Stage, repository: Repository) -> None:
    """`permissions = "edit"`: a file tool writes below the workspace and into the outbox, and nowhere else."""
    if stage.agent in HAS_A_SANDBOX:
        pytest.skip("its sandbox is its own, and lets temporary folders be written, where tests live")
    outside, inside = str(stage.folder / "outside.txt"), str(repository.root / "inside.txt")
    steps = [
        Step(file=outside, text="x"),
        Step(file=inside, text="x"),
    ]
    stage.program("run", stage.plan({"edit": steps}))

    assert not (stage.folder / "outside.txt").exists()
    assert repository.read("inside.txt") == b"x"
