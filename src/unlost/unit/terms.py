"""What a unit may spend, and the words for why it waits."""

from __future__ import annotations

from typing import Literal

from unlost.facts.records import dataclass

BlockReason = Literal[
    "loss",
    "unproved",  # a claimed path could not be read
    "head_moved",  # claimed content is only on another live branch
    "out_of_scope",  # N.27
    "agent_not_started",
    "paused_tree",  # N.26
    "definition_changed",  # N.R7
    "research_refused",  # R.31 to R.35
    "recoverable",  # H.27
    "commit_refused",  # the finished work could not be committed
    "publish_refused",  # or not be pushed
    "review_waits",  # for a person's findings
    "review_failed",  # a reviewer left no findings that can be read
    "review_findings",  # findings are open and no round is left to settle them
    "review_no_progress",  # a round left the same tree, or the same findings again
]
PauseReason = Literal["cost", "tokens", "price_unknown", "reserve", "rate_limit"]
AttemptResult = Literal["done", "no_change", "unchanged", "not_done", "asked"]
RevisionCause = Literal["amend", "recover"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Terms:
    """What a revision may spend, in absolute terms: the lease (None and 0: no cap), and attempts a task."""

    deadline: float | None
    cost_usd: float | None
    tokens: int
    attempts: int
    turns: int
