"""A plan in a line or two: what names it, and what it was made of."""

from __future__ import annotations

from unlost.cli.ordered import Order
from unlost.cli.render.amounts import count
from unlost.cli.render.row import row
from unlost.plan.facts import Plan
from unlost.plan.formats import OWN
from unlost.plan.importers.assembling import SAID_TO_BE_DONE, told_left_out


def told_order(order: Order, digest: str) -> str:
    """`plan      9f86d0…`, and below it what was made of another tool's list."""
    lines = [row("plan", digest)]
    if order.format != OWN:
        lines.append(row("imported", f"from {order.format} · {_made(order)} · agent {order.plan.agent.use}"))
    return "\n".join(lines)


def ticked(plan: Plan) -> int:
    """How many tasks are entries that somebody says are done."""
    return sum(task.text.startswith(SAID_TO_BE_DONE) for task in plan.tasks)


def _made(order: Order) -> str:
    parts = [count(len(order.plan.tasks), "task")]
    if proven := ticked(order.plan):
        parts.append(f"{proven} said to be done, to be proven")
    if left_out := told_left_out(order.left_out):
        parts.append(f"left out: {left_out}")
    return " · ".join(parts)
