"""A plan that a person names on the command line, read and ready to be run."""

from __future__ import annotations

import os
from dataclasses import replace

from unlost.cli.files import STDIN, read_named_file
from unlost.cli.invocation import Invocation
from unlost.facts.records import dataclass
from unlost.plan.facts import MAXIMUM_BYTES, AgentName, Plan
from unlost.plan.parse import plan_of, read_plan


@dataclass(frozen=True, kw_only=True)
class Order:
    """A plan to run, and the folder that its relative paths start from."""

    plan: Plan
    folder: str


def order_from_file(invocation: Invocation, file: str, agent: AgentName | None = None) -> Order:
    """The plan in a file (`-`: on stdin), with another agent when one is named. Raises FileInvalid, UsageError."""
    data = read_named_file(file, folder=invocation.folder, limit=MAXIMUM_BYTES)
    name = os.path.basename(file)
    read = read_plan(data, name=name)
    plan = plan_of(read, name=name)
    if agent is not None:
        plan = replace(plan, agent=replace(plan.agent, use=agent))
    folder = invocation.folder if file == STDIN else os.path.dirname(os.path.join(invocation.folder, file))
    return Order(plan=plan, folder=os.path.abspath(folder))
