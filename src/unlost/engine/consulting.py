"""Before every coding attempt: whether it may start on the unit's research, and with which brief (R.31 to R.35)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from unlost.engine.research_ports import Standpoint
from unlost.engine.step import Step
from unlost.facts.errors import NeedsPerson
from unlost.facts.records import dataclass, replace
from unlost.publish.credit import credited_heads
from unlost.publish.facts import WriterKind, WriterPointer
from unlost.research.consumption import Refusal, ResearchTag, Target, refusals
from unlost.research.facts import Brief
from unlost.research.reading import stored_brief
from unlost.research.sources import SourceState, closure_of
from unlost.research.standing import ResearchStanding
from unlost.unit.facts import UnitState
from unlost.unit.origin_step import producer_refusals, published_ref
from unlost.unit.research import ResearchRecord
from unlost.unit.research_step import brief_answered

STEP: Final = "research"


@dataclass(frozen=True, kw_only=True)
class Consulted:
    """The brief that coding is given (None: the unit has no research step), or every reason why it may not start.

    `here` is where the work tree stood when it was asked; None without a research step.
    """

    brief: Brief | None = None
    refusals: tuple[Refusal, ...] = ()
    here: Standpoint | None = None


def consult(step: Step, *, heads: frozenset[str] = frozenset(), at: str | None = None) -> Consulted:
    """Look at the record, the work tree's HEAD and every source as they are now; nothing unknown is allowed (R.55).

    `heads` are further commits that the caller's own record proves the work tree may stand on. `at` is the commit that
    unlost itself put the attempt's own checkout on, for one that works apart from the work tree.
    """
    state = step.stream.state
    if STEP not in state.steps:
        return Consulted()
    record = state.research
    standing = ResearchStanding() if record is None else record.standing
    brief = stored_brief(step.hands.ledger, state.unit, standing)
    states: Mapping[str, SourceState] = {}
    if brief is not None and record is not None:
        states = step.hands.research.sources(closure_of(brief), record.opened.tree)
    here = step.hands.research.standpoint()
    if at is not None:
        here = replace(here, commit=at, branch=state.origin.branch)
    target = _target(step, record, here, heads)
    found = refusals(standing, brief, target, answered=brief_answered(state), sources=states)
    unproduced = producer_refusals(state.origin.producer, brief, target)
    return Consulted(brief=brief, refusals=(*found, *unproduced), here=here)


def writer_pointer(
    step: Step, consulted: Consulted, *, identity: str, kind: WriterKind = "code", action: str | None = None
) -> WriterPointer | None:
    """The pointer of a coding attempt that is about to be admitted; None in a unit without a producer (R.52, R.61)."""
    state = step.stream.state
    producer = state.origin.producer
    if producer is None or consulted.here is None:
        return None
    return WriterPointer(
        unit=state.unit,
        producer=producer.attempt,
        brief=producer.brief,
        kind=kind,
        identity=identity,
        epoch=state.epoch,
        head=consulted.here.commit,
        branch=consulted.here.branch,
        action=action,
    )


def refuse_unproven_research(step: Step) -> None:
    """Raise NeedsPerson unless a recovery may build on the unit's research (R.47, R.49); then nothing was changed.

    Its record must be whole, its tag the unit's own, its sources good, and its price known where dollars are capped.
    """
    state = step.stream.state
    record = state.research
    if record is None:
        return
    reasons: list[str] = [refusal.reason for refusal in consult(step).refusals] if record.is_usable else []
    faults = [reason for reason in dict.fromkeys(reasons) if reason != "missing_answer"]
    if record.ended is None:
        faults.append("its researcher is not accounted for")
    if state.terms.cost_usd is not None and record.used.unpriced:
        faults.append("its price is unknown")
    if faults:
        raise NeedsPerson(
            f"{state.unit} cannot be recovered on its research ({', '.join(faults).replace('_', ' ')}); nothing was "
            "changed",
            hint=f"unlost brief show {state.unit}",
        )


def _target(step: Step, record: ResearchRecord | None, here: Standpoint, heads: frozenset[str]) -> Target:
    """What the research was opened with, and the same made from what is so now."""
    state = step.stream.state
    opened = None if record is None else record.opened
    now = ResearchTag(
        ledger=here.instance,
        unit=state.unit,
        requester=state.requester,
        step=STEP,
        attempt="" if opened is None else opened.tag.attempt,
        repository=here.repository,
        commit="" if opened is None else opened.tag.commit,
        # An amendment is the unit's own recorded act: research stays bound to the contract that it was opened under.
        contract=state.digest if opened is None else state.contracts[opened.revision - 1],
    )
    own = frozenset() if record is None else step.hands.research.heads(record.own, record.opened.branch)
    own |= heads | _credited(state, record)
    return Target(opened=None if opened is None else opened.tag, now=now, head=here.commit, own_progress=own)


def _credited(state: UnitState, record: ResearchRecord | None) -> frozenset[str]:
    """The heads that the unit's own receipts and its writer prove, on the branch that was inspected (R.33, R.56)."""
    if record is None or state.origin.producer is None:
        return frozenset()
    targets = frozenset({record.opened.branch}) if record.opened.branch is not None else frozenset[str]()
    standing = state.origin.standing(state.unit, remote_ref=published_ref(state), targets=targets)
    return credited_heads(replace(standing, branch=record.opened.branch))
