"""A plan that a person names on the command line, read and ready to be run."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from unlost.cli.agent_choice import configured_agent
from unlost.cli.files import STDIN, read_named_file
from unlost.cli.invocation import Invocation
from unlost.facts.errors import FileInvalid, UsageError
from unlost.facts.records import dataclass, field, replace
from unlost.plan.facts import MAXIMUM_BYTES, AgentName, Plan
from unlost.plan.formats import OWN
from unlost.plan.importers.proving import with_checks
from unlost.plan.parse import PlanFile, plan_of, read_plan


@dataclass(frozen=True, kw_only=True)
class Order:
    """A plan to run, and the folder that its relative paths start from.

    `format` is what its file was written as; of another tool's list, `left_out` counts the entries that are no tasks.
    """

    plan: Plan
    folder: str
    format: str = OWN
    left_out: Mapping[str, int] = field(default_factory=dict)


def order_from_file(
    invocation: Invocation, file: str, agent: AgentName | None = None, checks: Sequence[str] = ()
) -> Order:
    """The plan in a file (`-`: on stdin), with another agent when one is named. Raises FileInvalid, UsageError.

    The list of another tool names no agent, so it is for that of the settings; `checks` are for such a list alone.
    """
    data = read_named_file(file, folder=invocation.folder, limit=MAXIMUM_BYTES)
    name = os.path.basename(file)
    read = read_plan(data, name=name)
    plan = finished(invocation, read, name=name, agent=agent, checks=checks)
    folder = invocation.folder if file == STDIN else os.path.dirname(os.path.join(invocation.folder, file))
    return Order(plan=plan, folder=os.path.abspath(folder), format=read.format, left_out=read.left_out)


def finished(
    invocation: Invocation,
    read: PlanFile,
    *,
    name: str,
    agent: AgentName | None = None,
    checks: Sequence[str] = (),
) -> Plan:
    """The plan of a file that was read, as it would be run: every command that names its digest takes this one."""
    try:
        plan = plan_of(read, name=name)
    except FileInvalid as error:
        if read.lines or not name.lower().endswith(".md"):
            raise
        raise FileInvalid(
            error.message, problems=error.problems, hint="unlost plan new writes a plan to fill in"
        ) from error
    if read.format != OWN:
        return with_checks(replace(plan, agent=configured_agent(invocation, use=agent)), checks)
    if checks:
        raise UsageError("a plan file says itself what checks it", hint="edit the plan")
    return plan if agent is None else replace(plan, agent=replace(plan.agent, use=agent))
