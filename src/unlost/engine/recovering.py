"""Before a unit is recovered: what nobody heard the end of is asked for, and the record is held against itself."""

from __future__ import annotations

from unlost.engine.committing import settle_commit
from unlost.engine.consulting import refuse_unproven_research
from unlost.engine.publishing import settle_push
from unlost.engine.step import Step
from unlost.facts.errors import NeedsPerson
from unlost.unit import actions
from unlost.unit.recovery import recovery_faults


def refuse_unproven_record(step: Step) -> None:
    """Raise NeedsPerson unless a recovery may build on the unit's record (R.47 to R.49); no revision is opened then.

    A commit or push whose outcome nobody recorded is settled first, from the repository and the remote; what they do
    not tell stays unknown.
    """
    refuse_unproven_research(step)
    if step.stream.state.commits.open is not None:
        settle_commit(step, actions.SettleCommit())
    if step.stream.state.publishing.open is not None:
        settle_push(step, actions.SettlePush())
    state = step.stream.state
    faults = recovery_faults(state)
    if faults:
        raise NeedsPerson(
            f"{state.unit} cannot be recovered on its record ({'; '.join(faults)}); no revision was opened",
            hint=f"unlost resume {state.unit} goes on with it as it is",
        )
