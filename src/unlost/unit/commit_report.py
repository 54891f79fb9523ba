"""Commits and publishing as `unlost.unit/1` tells them: pure, from the state alone."""

from __future__ import annotations

from typing import Any, Final

from unlost.facts.errors import NeedsPerson, TryLater
from unlost.facts.quoting import path_json
from unlost.unit.commit import MadeCommit
from unlost.unit.events import Blocked
from unlost.unit.facts import UnitState

TIME_HEALS: Final = frozenset({"index_locked", "head_moved", "unreachable", "unknown"})
"""Refusals and failures that waiting alone may heal: exit 75."""

_OF_OURS: Final = frozenset({"commit_refused", "publish_refused"})


def commits_document(state: UnitState) -> dict[str, Any]:
    """What was committed, what of it was left out and why, which hooks did not run; empty when none was ever tried."""
    record = state.commits
    if not record.number:
        return {}
    skipped = dict.fromkeys(name for made in record.made for name in made.intended.skipped_hooks)
    return {
        "commits": {
            "made": [_made(made) for made in record.made],
            "left_out": [{"path": path_json(each.path), "reason": each.reason} for each in record.left_out],
            "skipped_hooks": list(skipped),
            "refused": None if record.deferred is None else record.deferred.refusal,
        }
    }


def publish_document(state: UnitState) -> dict[str, Any]:
    """What was pushed where, what kept it from being, and what others did to the branch; empty when nothing was."""
    record = state.publishing
    if record.ref is None:
        return {}
    return {
        "publish": {
            "remote": record.remote,
            "branch": record.ref.removeprefix("refs/heads/"),
            "commit": record.published,
            "request": None if record.request is None else record.request.address,
            "failure": "unknown" if record.open is not None else record.failure,
            "remote_rewound": [{"ref": each.ref, "from": each.expected, "to": each.found} for each in record.rewound],
        }
    }


def blocked_exit_code(state: UnitState) -> int:
    """What a blocked unit ends a command with: 75 where time alone may heal it, else a person is needed."""
    waiting = state.waiting
    reasons = waiting.refusals if isinstance(waiting, Blocked) and waiting.reason in _OF_OURS else ()
    heals = bool(reasons) and set(reasons) <= TIME_HEALS
    return TryLater.exit_code if heals else NeedsPerson.exit_code


def _made(made: MadeCommit) -> dict[str, Any]:
    receipt = made.ended.receipt
    return {
        "commit": made.commit,
        "branch": made.intended.branch,
        "tasks": [] if receipt is None else list(receipt.tasks),
        "paths": made.intended.paths,
        "signed": made.intended.signed,
        "gone": made.gone,
    }
