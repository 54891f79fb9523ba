"""Reviews for people: what a unit's reviewers found, and a person's own findings in their place."""

from __future__ import annotations

from collections.abc import Collection

from unlost.app.inside_attempt import refuse_inside_attempt
from unlost.app.supervised import Supervisor
from unlost.app.units import Unit
from unlost.engine.readers import key_of, settled_review, stored_findings
from unlost.engine.stream import UnitStream
from unlost.facts.errors import NeedsPerson, TryLater, UsageError
from unlost.facts.records import dataclass
from unlost.host.environment import user_name
from unlost.ledger.protocol import Ledger, StreamMoved
from unlost.publish.findings import Findings, canonical_findings
from unlost.unit.facts import UnitState
from unlost.unit.questions import is_party
from unlost.unit.review import ReviewRecord, is_repair


@dataclass(frozen=True, kw_only=True)
class ReviewShown:
    """The reviews of one unit; `findings` are the newest one's, only for who asked for them and may read them.

    `disputed` is what the newest repair says against them, when it left all as it was.
    """

    unit: str
    record: ReviewRecord
    findings: Findings | None
    disputed: str | None = None


def show_review(ledger: Ledger, unit: str, *, body: bool, reader: str, operators: Collection[str]) -> ReviewShown:
    """The reviews of a unit. Raises UsageError for a unit without one, NeedsPerson for findings of somebody else's."""
    stream = UnitStream(ledger, unit)
    record = stream.state.review
    if record is None or not record.settled:
        raise UsageError(f"nothing of {unit} was reviewed yet", hint=f"unlost show {unit}")
    findings = disputed = None
    if body:
        _refuse_stranger(stream.state, reader, operators)
        newest = [each for each in record.settled if each.settled.result != "failed"]
        findings = stored_findings(stream, newest[-1].body) if newest else Findings()
        disputed = _disputed(stream)
    return ReviewShown(unit=unit, record=record, findings=findings, disputed=disputed)


def give_findings(supervisor: Supervisor, unit: str | None, findings: Findings) -> Unit:
    """Take a person's findings, or (empty) their word that nothing is wrong, as the review of the tree as it stands.

    `resume` goes on with it. Nothing is started. Raises NeedsPerson for who is neither requester nor operator,
    UsageError when there is nothing to review now, TryLater while somebody else moves the unit; then nothing was
    changed.
    """
    refuse_inside_attempt()
    stream = UnitStream(supervisor.ledger, supervisor.find(unit))
    state, by = stream.state, user_name()
    _refuse_stranger(state, by, supervisor.settings.operators)
    _refuse_timing(state)
    number = (0 if state.review is None else state.review.number) + 1
    settled = settled_review(number, state.tree_now, findings, by=by)
    try:
        stream.intend(f"{key_of(number)} settled", settled, body=canonical_findings(findings))
    except StreamMoved as error:
        raise TryLater(f"{state.unit} moved on meanwhile; nothing was changed", hint="say it again") from error
    return supervisor.show(state.unit)


def _disputed(stream: UnitStream) -> str | None:
    """The reason that the newest repair gave for leaving all as it was; it came in redacted and cut."""
    rounds = [task for task in stream.state.tasks if is_repair(task.id)]
    last = rounds[-1].last if rounds and rounds[-1].state == "failed" else None
    if last is None or last.ended is None or last.ended.outcome != "no_change":
        return None
    reason = stream.remains(last.ended_at).get("reason")
    return str(reason) if reason else None


def _refuse_timing(state: UnitState) -> None:
    if "review" not in state.steps:
        raise UsageError(
            f"{state.unit} has no review step; nothing was changed", hint='[workflow] steps = ["code", "review"]'
        )
    if state.over or state.current is not None:
        where = f"is {state.phase}" if state.over else "still has tasks to do"
        raise UsageError(f"{state.unit} {where}: there is nothing to review now", hint=f"unlost show {state.unit}")
    if state.review is not None and state.review.open is not None and state.review.open.ended is None:
        raise TryLater(f"a reviewer reads {state.unit} now; nothing was changed", hint="unlost watch")


def _refuse_stranger(state: UnitState, reader: str, operators: Collection[str]) -> None:
    if not is_party(state, reader, operators):
        raise NeedsPerson(
            f"{reader} is neither the requester of {state.unit} nor an operator; findings are not theirs",
            hint=f"unlost show {state.unit} tells what is public",
        )
