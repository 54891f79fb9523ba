"""A person's words on a unit beside run and resume: another plan, the same one again, what is accepted.

Each is an event of its own, by name; none of them is ever said by an agent.
"""

from __future__ import annotations

from unlost.app.holding import keep_plan_folder
from unlost.app.inside_attempt import refuse_inside_attempt
from unlost.app.preflight import refuse_unready
from unlost.app.supervised import Supervisor
from unlost.app.units import Unit
from unlost.engine.advance import advance, prove
from unlost.engine.revising import Revision, accept_tree, open_revision
from unlost.engine.stream import UnitStream
from unlost.facts.errors import NeedsPerson, UsageError
from unlost.facts.records import dataclass
from unlost.host.environment import user_name
from unlost.plan.digest import plan_digest
from unlost.plan.facts import Plan
from unlost.unit.events import EVENTS, CheckAccepted, ScopeAccepted
from unlost.unit.facts import CheckRecord, UnitState


@dataclass(frozen=True, kw_only=True)
class Amendment:
    """Another plan for a unit, where it lay, and a note for every prompt of its revision.

    `approve` names the digest that was approved; with `run` the revision is started in the same step.
    """

    plan: Plan
    plan_folder: str
    note: str | None = None
    approve: str | None = None
    run: bool = False


def amend(supervisor: Supervisor, unit: str | None, amendment: Amendment) -> Unit:
    """Put another plan in force as the next revision; done tasks that did not change stay done.

    Raises NeedsPerson for another digest than the approved one, for a unit that is done or stopped and, with `run`,
    for what the plan would come to grief over at its end; FileInvalid, UsageError, TryLater. Then nothing was changed.
    """
    refuse_inside_attempt()
    if amendment.approve is not None and amendment.approve != plan_digest(amendment.plan):
        raise NeedsPerson(
            "the plan is not the one that was approved; nothing was changed", hint="unlost plan check FILE"
        )
    name = supervisor.find(unit)
    if amendment.run:
        again = f"unlost amend {name} --plan FILE --run"
        refuse_unready(supervisor.place.root, amendment.plan, amendment.plan_folder, again=again)
    with supervisor.driving():
        stream = UnitStream(supervisor.ledger, name)
        hands = supervisor.hands(amendment.plan_folder, amendment.plan.agent)
        revision = Revision(cause="amend", plan=amendment.plan, note=amendment.note, by=user_name())
        open_revision(stream, hands, revision)
        keep_plan_folder(supervisor.place.folder, name, amendment.plan_folder)
        if amendment.run:
            advance(stream, hands)
        else:
            prove(stream, hands)
    return supervisor.show(name)


def recover(supervisor: Supervisor, unit: str | None) -> Unit:
    """Open the next revision with the plan in force and prove what stands; `resume` starts it (decision 18)."""
    refuse_inside_attempt()
    name = supervisor.find(unit)
    with supervisor.driving():
        stream = UnitStream(supervisor.ledger, name)
        hands = supervisor.hands_of(stream)
        open_revision(stream, hands, Revision(cause="recover", plan=stream.approved, note=stream.note, by=user_name()))
        prove(stream, hands)
    return supervisor.show(name)


def take_tree(supervisor: Supervisor, unit: str | None, tree: str) -> Unit:
    """Take the present tree as the one that the revision starts from (N.26). Raises NeedsPerson for another tree."""
    refuse_inside_attempt()
    name = supervisor.find(unit)
    with supervisor.driving():
        stream = UnitStream(supervisor.ledger, name)
        accept_tree(stream, supervisor.hands_of(stream), tree, by=user_name())
    return supervisor.show(name)


def accept_scope(supervisor: Supervisor, unit: str | None, paths: tuple[bytes, ...] | None) -> tuple[bytes, ...]:
    """A person's word that paths outside the scope are meant so (N.27); None means all that block the unit now.

    Returns what was accepted; `resume` judges the attempt again.
    """
    refuse_inside_attempt()
    stream = UnitStream(supervisor.ledger, supervisor.find(unit))
    attempt = stream.state.open_attempt
    outside = attempt.judged.outside if attempt is not None and attempt.judged is not None else ()
    accepted = tuple(path for path in outside if paths is None or path in paths)
    if accepted:
        payload = ScopeAccepted(paths=accepted, by=user_name())
        stream.record(EVENTS.new(payload, key=f"scope accepted {stream.state.sequence + 1}"))
    return accepted


def accept_check(supervisor: Supervisor, unit: str | None, name: str) -> tuple[bytes, ...]:
    """A person's word that a check may be passed by its changed definitions, exactly as they are now (N.R7).

    Returns the changed definitions. Raises UsageError when this check waits for nobody.
    """
    refuse_inside_attempt()
    stream = UnitStream(supervisor.ledger, supervisor.find(unit))
    record = _waiting_check(stream.state, name)
    if record is None or record.ended.definitions is None:
        raise UsageError(f"no check {name} of {stream.unit} waits for a word", hint=f"unlost show {stream.unit}")
    payload = CheckAccepted(name=name, definitions=record.ended.definitions, by=user_name())
    stream.record(EVENTS.new(payload, key=f"check {name} accepted {record.ended.definitions}"))
    return record.ended.redefined


def _waiting_check(state: UnitState, name: str) -> CheckRecord | None:
    attempt = state.open_attempt
    ran = (*state.checks, *(() if attempt is None else attempt.checks))
    return next((record for record in ran if record.ended.name == name and record.waits(state.redefined)), None)
