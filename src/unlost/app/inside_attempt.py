"""What an agent may not do to the supervisor above it."""

from __future__ import annotations

from unlost.facts.errors import UsageError
from unlost.host.environment import is_below_attempt


def refuse_inside_attempt() -> None:
    """An agent that unlost started may not start, steer or end units, nor move workspaces: exit 2."""
    if is_below_attempt():
        raise UsageError(
            "a unit cannot be run or steered from inside an attempt; nothing was started",
            hint="report to the supervisor through UNLOST_OUTBOX; `unlost run -- CMD` works here",
        )
