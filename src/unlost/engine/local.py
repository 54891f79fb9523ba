"""The embedded engine: units driven in this process, one supervisor a unit, until they end or wait."""

from __future__ import annotations

from unlost.engine.advance import advance
from unlost.engine.committing import noted
from unlost.engine.placing import place_unit
from unlost.engine.ports import BoundaryOrder, Hands
from unlost.engine.step import passed
from unlost.engine.stream import UnitStream
from unlost.facts.quoting import canonical_json
from unlost.facts.records import dataclass
from unlost.ledger.protocol import Fence
from unlost.plan.digest import normal_form, plan_digest
from unlost.plan.facts import Plan
from unlost.unit import events
from unlost.unit.facts import Parked, UnitState
from unlost.unit.lease import extended
from unlost.unit.terms import Terms


@dataclass(frozen=True, kw_only=True)
class Admission:
    """A plan to be carried out, and for whom. `root_digest` is the sha256 of the root: the path stays local.

    `fresh_attempts`: no attempt carries on an earlier one's conversation. `fence`: its writer's right.
    """

    unit: str
    plan: Plan
    note: str | None
    requester: str
    workspace: str
    place: str
    root_digest: str
    epoch: int
    fresh_attempts: bool = False
    fence: Fence | None = None


@dataclass(frozen=True, kw_only=True)
class Resumption:
    """A person's word that a unit goes on; dollars and seconds are added to what the lease allows."""

    by: str
    epoch: int
    raise_cost: float = 0.0
    extend: float = 0.0
    restore: bool = False
    fence: Fence | None = None


def admit(hands: Hands, admission: Admission) -> UnitStream:
    """Take boundary 0 (G.17), then record the unit; before that record nothing of it exists."""
    plan = admission.plan
    captured = hands.watch.capture(admission.unit)
    boundary = hands.watch.record(
        BoundaryOrder(
            key=f"{admission.unit} boundary 0",
            kind="admission",
            unit=admission.unit,
            plan=plan,
            captured=captured,
            proof=hands.watch.judge(captured, plan, None),
        )
    )
    passed("unit.bounded")
    admitted = events.Admitted(
        title=plan.title,
        digest=plan_digest(plan),
        requester=admission.requester,
        workspace=admission.workspace,
        place=admission.place,
        root_digest=admission.root_digest,
        epoch=admission.epoch,
        tasks=tuple(task.id for task in plan.tasks),
        terms=terms_of(plan, hands.clock.now()),
        boundary=boundary,
        steps=plan.workflow.steps,
        fresh_attempts=admission.fresh_attempts,
    )
    place_unit(hands.ledger, admission.workspace, admission.unit)
    stream = UnitStream(hands.ledger, admission.unit, admission.fence)
    stream.record(
        events.EVENTS.new(admitted, key="admitted", body=plan_body(plan, admission.note)),
        events.EVENTS.new(noted(hands.commits.ground()), key="repository noted"),
    )
    hands.listener.recorded(admitted)
    passed("unit.admitted")
    return stream


def resume(stream: UnitStream, hands: Hands, resumption: Resumption) -> UnitState:
    """Take a unit over and carry it on; one that is over, or waits for an answer, comes back as it is.

    A question that nobody answered in its time ends the unit now (R.14).
    """
    stream.fence = resumption.fence
    state = stream.state
    if state.over or isinstance(state.waiting, Parked):
        return advance(stream, hands)
    terms = extended(state.terms, cost_usd=resumption.raise_cost, seconds=resumption.extend, now=hands.clock.now())
    resumed = events.Resumed(by=resumption.by, epoch=resumption.epoch, terms=terms, restore=resumption.restore)
    stream.intend(f"resumed {state.sequence + 1}", resumed)
    hands.listener.recorded(resumed)
    passed("unit.resumed")
    return advance(stream, hands)


def terms_of(plan: Plan, now: float) -> Terms:
    """What a plan allows, from now on."""
    return Terms(
        deadline=now + plan.budget.deadline,
        cost_usd=plan.budget.cost_usd,
        tokens=plan.budget.tokens,
        attempts=plan.budget.attempts,
        turns=plan.budget.turns,
    )


def plan_body(plan: Plan, note: str | None) -> bytes:
    """The private body that keeps plan and operator note, as `UnitStream` reads it."""
    return canonical_json({"plan": normal_form(plan), "note": note})
