"""What a unit's line of origin allows: pure rules over its record."""

from __future__ import annotations

from unlost.publish.facts import ProducerPointer, PushReceipt
from unlost.research.brief import brief_digest
from unlost.research.consumption import Refusal, ResearchTag, Target
from unlost.research.facts import Brief
from unlost.research.sources import closure_of
from unlost.unit.facts import UnitState


def producer_pointer(tag: ResearchTag, brief: Brief) -> ProducerPointer:
    """The pointer of an accepted research step."""
    return ProducerPointer(
        ledger=tag.ledger,
        unit=tag.unit,
        requester=tag.requester,
        step=tag.step,
        attempt=tag.attempt,
        repository=tag.repository,
        commit=tag.commit,
        contract=tag.contract,
        brief=brief_digest(brief),
        sources=tuple(origin.id for origin in closure_of(brief)),
    )


def producer_refusals(producer: ProducerPointer | None, brief: Brief | None, target: Target) -> tuple[Refusal, ...]:
    """Why coding may not start on this producer: there is none, or it is not the research that is there now (R.55).

    It is held against what the research was opened with; whether that is so still, and whether there is a brief at
    all, is asked by `research.consumption`.
    """
    if brief is None or target.opened is None:
        return ()
    if producer is None:
        return (Refusal(reason="missing_producer"),)
    expected = producer_pointer(target.opened, brief)
    wrong = [
        name
        for name in ("ledger", "unit", "requester", "step", "attempt", "repository", "commit", "contract")
        if getattr(producer, name) != getattr(expected, name)
    ]
    if producer.brief != expected.brief:
        wrong.append("brief")
    if producer.sources != expected.sources:
        wrong.append("sources")
    return tuple(Refusal(reason="changed_producer", detail=name) for name in wrong)


def published_ref(state: UnitState) -> str | None:
    """The remote branch that the unit's own newest push went to."""
    pushed = [receipt.ref for receipt in state.origin.receipts if isinstance(receipt, PushReceipt)]
    return pushed[-1] if pushed else None
