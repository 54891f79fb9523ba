"""A unit's maintenance in its document: pure."""

from __future__ import annotations

from typing import Any

from unlost.facts.quoting import path_json
from unlost.unit.facts import UnitState
from unlost.unit.maintenance import MaintenanceAction


def maintenance_part(state: UnitState) -> list[dict[str, Any]]:
    """Every action, the oldest first: what moved, what it came to, and whether it was paid for."""
    return [_action(action) for action in state.maintenance.actions]


def _action(action: MaintenanceAction) -> dict[str, Any]:
    opened, settled = action.opened, action.settled
    paths = settled.paths if settled is not None else () if action.merged is None else action.merged.conflicts
    return {
        "number": opened.number,
        "action": opened.action,
        "target": opened.target,
        "onto": opened.onto,
        "branch": opened.ref,
        "before": opened.before,
        "after": None if settled is None or settled.receipt is None else settled.receipt.after,
        "conflicts": 0 if action.merged is None else len(action.merged.conflicts),
        "paid": action.is_paid,
        "result": None if settled is None else settled.result,
        "refused": [] if settled is None else list(settled.refusals),
        "paths": [path_json(path) for path in paths],
    }
