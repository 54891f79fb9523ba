from __future__ import annotations

import pytest

from unlost.facts.errors import FileInvalid
from unlost.plan.not_yet import refuse_not_yet
from unlost.plan.parse import read_plan

READY = '[agent]\nuse = "command"\ncommand = ["x"]\n{agent}[[task]]\nid = "a"\ntext = "b"\n{tables}'


def refused(agent: str = "", tables: str = "") -> list[tuple[int | None, str]]:
    file = read_plan(READY.format(agent=agent, tables=tables).encode(), name="plan.toml")
    assert file.plan is not None, file.problems
    try:
        refuse_not_yet(file.plan, name="plan.toml", lines=file.lines)
    except FileInvalid as error:
        return [(problem.line, problem.what) for problem in error.problems]
    return []


def test_plan_of_what_is_built_passes() -> None:
    """A plan for an agent that can be run, with the budget, scope and guard keys of today, is not refused."""
    assert (
        refused(tables='[guard]\non_loss = "restore"\n[budget]\ncost_usd = 3.0\n[resume]\nrestore = "always"\n') == []
    )


def test_every_step_and_commit_mode_can_be_taken() -> None:
    """Commits, review and publishing are built: a plan may ask for each of them."""
    tables = (
        '[workflow]\nsteps = ["research", "code", "review", "publish"]\n[commit]\nmode = "each_task"\nhooks = true\n'
    )
    assert refused(tables=f'{tables}[publish]\nremote = "fork"\nbranch = "x"\n') == []


def test_agents_and_their_keys_of_later_are_refused() -> None:
    """An agent, a home or a sandbox that cannot be had stops the plan before anything starts."""
    assert refused(agent='home = "own"\nsandbox = "bwrap"\n') == [
        (4, 'agent.home = "own": not yet'),
        (5, 'agent.sandbox = "bwrap": not yet'),
    ]
    file = read_plan(b'[agent]\nuse = "gemini"\n[[task]]\nid = "a"\ntext = "b"\n', name="plan.toml")
    assert file.plan is not None
    with pytest.raises(FileInvalid, match="nothing was started") as caught:
        refuse_not_yet(file.plan, name="plan.toml", lines=file.lines)

    assert [problem.what for problem in caught.value.problems] == ['agent.use = "gemini": not yet']
    assert caught.value.hint is not None
