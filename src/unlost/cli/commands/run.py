"""`unlost run PLAN` and `unlost run --goal TEXT`: carry out a plan under supervision."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final, get_args

import click

from unlost.cli.agent_choice import configured_agent
from unlost.cli.detaching import outliving_the_terminal, run_detached
from unlost.cli.files import STDIN, read_named_file
from unlost.cli.following import answer_unit, open_supervisor
from unlost.cli.invocation import Command, Invocation
from unlost.cli.ordered import Order, order_from_file
from unlost.cli.render.amounts import count
from unlost.cli.render.plan import told_order
from unlost.cli.tending import tend_at
from unlost.cli.worktree import enter_worktree
from unlost.facts.errors import NeedsPerson, UsageError
from unlost.facts.records import dataclass, replace
from unlost.plan.digest import plan_digest
from unlost.plan.facts import MAXIMUM_BYTES, AgentName, GuardRules, Plan, ResumeRules
from unlost.plan.goal import Goal, plan_from_goal

_OF_A_GOAL: Final = ("checks", "paths", "attempts", "deadline", "cost_usd")


@dataclass(frozen=True, kw_only=True)
class Manner:
    """How a plan is to be carried out, whatever it says itself; `worktree` is the empty text for one without a name."""

    approve: str | None
    note: str | None
    worktree: str | None
    restore: bool
    detach: bool
    fresh: bool


@click.command(
    "run",
    cls=Command,
    dry_run=True,
    examples=(
        "unlost run plan.toml",
        "unlost run plan.toml --worktree",
        "unlost run plan.toml --detach",
        "unlost run --goal 'Drop the legacy parser' --check 'pytest -q' --agent command",
        "unlost run -- your-agent --its --own --options",
    ),
)
@click.argument("plan", required=False, type=click.Path())
@click.option("--goal", metavar="TEXT|-", help="Make a plan of one task from this text; `-` reads it from stdin.")
@click.option(
    "--agent",
    type=click.Choice(get_args(AgentName)),
    metavar="NAME",
    help="The agent to use, over the plan's or the settings'.",
)
@click.option(
    "--check",
    "checks",
    metavar="CMD",
    multiple=True,
    help="With --goal or another tool's list: a command that must succeed.",
)
@click.option("--paths", metavar="GLOB", multiple=True, help="With --goal: what the agent may change.")
@click.option("--attempts", type=click.IntRange(min=1), metavar="N", help="With --goal: attempts at most.")
@click.option("--deadline", metavar="8h", help="With --goal: how long it may take.")
@click.option("--cost-usd", type=float, metavar="X", help="With --goal: what it may cost.")
@click.option("--approve", metavar="DIGEST", help="Run only if the plan has this digest; else exit 3.")
@click.option("--note", metavar="TEXT", help="A note of yours for every prompt.")
@click.option(
    "--worktree",
    is_flag=False,
    flag_value="",
    metavar="[NAME]",
    help="Work in a linked worktree beside this one, on a branch unlost/NAME.",
)
@click.option("--restore", is_flag=True, help="Put lost work back and go on, instead of stopping.")
@click.option("--fresh", is_flag=True, help="Let no attempt carry on an earlier one's conversation.")
@click.option("--detach", is_flag=True, help="Go on in the background: no terminal is needed, none can end it.")
@click.pass_obj
def command(
    invocation: Invocation,
    /,
    *,
    plan: str | None,
    goal: str | None,
    agent: AgentName | None,
    **options: object,
) -> int:
    """Run a command, a plan or a goal between boundaries.

    PLAN is a file; `unlost plan new` writes one, and the lists of other tools are read as they are: superpowers plans,
    spec-kit and OpenSpec tasks, Task Master's tasks.json, Ralph's prd.json, beads, any Markdown check list.

    Every task runs in the present work tree; after each, all earlier work is proved to be there still. When some is
    gone the run stops with exit 4 and names the command that brings it back; `unlost resume` goes on.

    After `--`, a command of your own runs in our place, with boundaries before and after it.
    """
    limits = {name: options.pop(name) for name in _OF_A_GOAL}
    manner = Manner(**options)  # type: ignore[arg-type]  # click made each of its declared type
    if (plan is None) == (goal is None):
        hint = "PLAN goes before --worktree" if manner.worktree and plan is None else "`unlost run --help`"
        raise UsageError("name a plan file, or give --goal TEXT, or a command after `--`", hint=hint)
    checks = limits["checks"] if plan is not None else ()
    if plan is not None and any(value for name, value in limits.items() if name != "checks"):
        raise UsageError("a plan file says itself what it may change and cost", hint="edit the plan")
    order = (
        _from_goal(invocation, goal, agent, limits)
        if goal is not None
        else order_from_file(invocation, plan or "", agent, checks)  # type: ignore[arg-type]  # as click made it
    )
    digest = plan_digest(order.plan)
    if invocation.dry_run:
        return _show_plan(invocation, order, digest)
    if manner.approve is not None and manner.approve != digest:
        raise NeedsPerson(
            f"the plan's digest is {digest}, not the approved one; nothing was started",
            hint="`unlost run PLAN -n` shows what would run",
        )
    invocation.terminal.talk(told_order(order, digest))
    return _carry_out(invocation, order, manner)


def _carry_out(invocation: Invocation, order: Order, manner: Manner) -> int:
    wanted = _restoring(order.plan) if manner.restore else order.plan
    with open_supervisor(invocation) as supervisor, outliving_the_terminal(invocation, supervisor):
        if manner.worktree is not None or wanted.workspace.mode == "worktree":
            enter_worktree(invocation, supervisor, wanted, manner.worktree or None)
        unit = supervisor.run(
            wanted, plan_folder=order.folder, note=manner.note, fresh=manner.fresh, carry_out=not manner.detach
        )
        if manner.detach:
            return run_detached(invocation, supervisor, unit.id)
        code = answer_unit(invocation, unit)
    tend_at(invocation, invocation.target)
    return code


def _from_goal(invocation: Invocation, text: str, agent: AgentName | None, limits: Mapping[str, object]) -> Order:
    if text == STDIN:
        text = read_named_file(STDIN, folder=invocation.folder, limit=MAXIMUM_BYTES).decode("utf-8", "replace")
    choice = configured_agent(invocation, use=agent)
    goal = Goal(text=text, **limits)  # type: ignore[arg-type]  # click made each of its declared type
    return Order(plan=plan_from_goal(goal, agent=choice), folder=os.path.abspath(invocation.folder))


def _restoring(plan: Plan) -> Plan:
    """The plan with both of its restores on, for this run."""
    return replace(plan, resume=ResumeRules(restore="always"), guard=GuardRules(on_loss="restore"))


def _show_plan(invocation: Invocation, order: Order, digest: str) -> int:
    tasks = [{"id": task.id, "checks": [check.name for check in task.checks]} for task in order.plan.tasks]
    document = {"schema": "unlost.plan/1", "digest": digest, "tasks": tasks, "problems": [], "format": order.format}
    invocation.answer(document, f"{told_order(order, digest)}\n{count(len(tasks), 'task')}; nothing was started (-n)")
    return 0
