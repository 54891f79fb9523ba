"""The end of an attempt as one fact, from what the shim wrote, what was spent, and what the agent left."""

from __future__ import annotations

import json
import os
from typing import Final, get_args

from unlost.agents.protocol import Ended, Usage
from unlost.attempt.caps import Spent
from unlost.attempt.facts import CAPS, AttemptEnd, EndReason
from unlost.attempt.outbox import read_outbox
from unlost.attempt.prepare import folders
from unlost.host.reading import read_regular, write_atomically
from unlost.host.shim.facts import Ending

_REASONS: Final[tuple[EndReason, ...]] = get_args(EndReason)
_LIMIT: Final = 1 << 16


def attempt_end(
    workspace_folder: str,
    ending: Ending,
    spent: Spent,
    account: Ended | None = None,
    *,
    stderr: bytes = b"",
    interrupted: bool = False,
) -> AttemptEnd:
    """The end of an attempt that nothing of runs any more.

    `account` is the adapter's judgement; without one (the supervisor that had it is dead) there is no good end.
    """
    reason = ending.reason if ending.reason in _REASONS else "shim_lost"
    return AttemptEnd(
        attempt=ending.attempt,
        reason=reason,
        error=_error(reason, ending, account),
        exit_code=ending.agent_code,
        returned=read_outbox(folders(workspace_folder, ending.attempt).outbox),
        usage=spent.usage,
        turns=spent.turns,
        seconds=ending.seconds,
        struck=ending.struck,
        session=spent.session,
        stderr=stderr,
        interrupted=interrupted,
        limit=account.limit if account is not None and reason == "exited" else None,
    )


def _error(reason: EndReason, ending: Ending, account: Ended | None) -> str | None:
    if ending.error is not None:
        return ending.error
    if reason == "exited":
        return account.error if account else "nobody saw how it ended"
    return f"stopped at the cap of {reason}" if reason in CAPS else reason.replace("_", " ")


def write_spent(workspace_folder: str, attempt: str, spent: Spent) -> None:
    """Keep what was spent beside the attempt, for a later supervisor's budget. Raises OSError."""
    value = {
        "turns": spent.turns,
        "tokens": spent.usage.tokens,
        "cost_usd": spent.usage.cost_usd,
        "session": spent.session,
    }
    write_atomically(_spent_file(workspace_folder, attempt), json.dumps(value).encode())


def read_spent(workspace_folder: str, attempt: str) -> Spent:
    """What a dead supervisor had last written; what it had not is unknown, not zero (decision 14)."""
    try:
        data = read_regular(_spent_file(workspace_folder, attempt), _LIMIT)
        value = json.loads(data) if data else {}
        tokens, cost, session = value.get("tokens"), value.get("cost_usd"), value.get("session")
        return Spent(
            turns=int(value.get("turns", 0)),
            usage=Usage(tokens=None if tokens is None else int(tokens), cost_usd=None if cost is None else float(cost)),
            session=None if session is None else str(session),
        )
    except (OSError, ValueError, TypeError, AttributeError):
        return Spent()


def _spent_file(workspace_folder: str, attempt: str) -> str:
    return os.path.join(folders(workspace_folder, attempt).attempt, "spent.json")
