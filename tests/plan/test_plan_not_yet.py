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


@pytest.mark.parametrize(
    ("tables", "line", "what"),
    [
        ('[workflow]\nsteps = ["code", "review"]\n', 8, 'workflow.steps 2 = "review": not yet'),
        ('[commit]\nmode = "at_end"\n', 8, 'commit.mode = "at_end": not yet'),
        ("[commit]\nhooks = true\n", 8, "commit.hooks = true: not yet"),
        ("[review]\nrounds = 1\n", 8, "review.rounds = 1: not yet"),
        ('[publish]\nbranch = "x"\n', 8, 'publish.branch = "x": not yet'),
    ],
)
def test_key_of_later_is_refused_and_named(tables: str, line: int, what: str) -> None:
    """A key whose meaning is not built is told with its line, never ignored."""
    assert refused(tables=tables) == [(line, what)]


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
