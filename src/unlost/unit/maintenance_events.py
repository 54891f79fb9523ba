"""The events of maintenance: a published unit's work is put onto a target that moved.

Every action has a number, and by it a key of its own for ever; what it is about (target, commits, destination) is fixed
when it opens. One paid repair at most belongs to an action. Its outcome is recorded once: what nobody knows stays
unknown, and is not tried again.
"""

from __future__ import annotations

from typing import Final, Literal

from unlost.attempt.facts import EndReason
from unlost.facts.records import dataclass
from unlost.facts.words import ReportOutcome
from unlost.ledger.payload import Declared
from unlost.publish.facts import RebaseReceipt, WriterPointer
from unlost.unit.terms import Terms

MaintenanceResult = Literal[
    "rebased",
    "landed",  # the target holds all of it: merged there, or made there as well
    "target_moved",  # once more, before anything was paid for
    "refused",  # the research does not carry a paid repair
    "lease",  # deadline or a cap of the unit is reached
    "no_round",  # the allowance of paid rounds is used up
    "not_started",  # the agent could not be started: nothing was paid
    "limited",  # its provider sent the agent away: the round is given back, what it spent is not
    "agent_failed",
    "unresolved",  # marks of the conflict still stand
    "out_of_scope",
    "unknown",  # nobody knows how the repair ended: it counts as paid, for nothing
    "findings",
    "review_failed",
    "not_pushed",  # the remote holds what it did; `publish` tells why
]


@dataclass(frozen=True, kw_only=True, slots=True)
class MaintenanceOpened:
    """The target moved. `before` is the unit's published head at `ref`; `base` is where its work left the target.

    `by` asked for it, by command or by watching; `requester` and `producer` are the unit's own (R.59). `terms`: a
    person gave the unit's lease more time or money with it.
    """

    number: int
    action: str
    by: str
    requester: str
    producer: str | None
    remote: str
    url: str
    target: str
    onto: str
    base: str
    ref: str
    before: str
    terms: Terms | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class MaintenanceMerged:
    """What carrying the commits over came to: `commit`, or the conflict at these paths in the merged `tree`."""

    number: int
    commit: str | None
    tree: str
    conflicts: tuple[bytes, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class MaintenanceRepairIntended:
    """An agent is about to settle the conflict. Body: the exact prompt. It is charged with this event (R.A13c)."""

    number: int
    action: str
    identity: str
    epoch: int
    tree: str
    writer: WriterPointer | None


@dataclass(frozen=True, kw_only=True, slots=True)
class MaintenanceRepairEnded:
    """How the repair ended and what it used. Body: error texts, cut and redacted.

    `known`: somebody saw its end. Only then `writer` is a writer of the unit, by this exact action and run (R.61).
    `tree` is what it left, `unresolved` and `outside` are paths of it.
    """

    number: int
    action: str
    identity: str
    known: bool
    reason: EndReason
    failed: bool
    exit_code: int | None
    outcome: ReportOutcome | None
    tree: str | None
    unresolved: tuple[bytes, ...]
    outside: tuple[bytes, ...]
    turns: int
    tokens: int | None
    cost_usd: float | None
    seconds: float
    settled: bool
    writer: WriterPointer | None
    limited: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class MaintenanceResolved:
    """The settled conflict is a commit in unlost's own store."""

    number: int
    commit: str
    tree: str


@dataclass(frozen=True, kw_only=True, slots=True)
class MaintenanceSettled:
    """What the action came to; `receipt` for the one that put the work onto the target and published it (R.58).

    `refusals`: why a paid repair was not started; `paths` are those that it is about.
    """

    number: int
    action: str
    result: MaintenanceResult
    receipt: RebaseReceipt | None = None
    refusals: tuple[str, ...] = ()
    paths: tuple[bytes, ...] = ()


KINDS: Final = {
    "maintenance.opened": Declared(payload=MaintenanceOpened),
    "maintenance.merged": Declared(payload=MaintenanceMerged),
    "maintenance.repair_intended": Declared(payload=MaintenanceRepairIntended),
    "maintenance.repair_ended": Declared(payload=MaintenanceRepairEnded),
    "maintenance.resolved": Declared(payload=MaintenanceResolved),
    "maintenance.settled": Declared(payload=MaintenanceSettled),
}


def action_key(unit: str, number: int) -> str:
    """The key of a maintenance action: of this unit, and of no other one."""
    return f"{unit}/maintenance/{number}"
