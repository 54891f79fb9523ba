"""Plan revisions: which tasks stay done, what an amended or recovered unit may spend, when one may be opened."""

from __future__ import annotations

from unlost.facts.errors import NeedsPerson
from unlost.facts.records import replace
from unlost.plan.facts import Plan
from unlost.unit.facts import FINISHED, UnitState
from unlost.unit.terms import RevisionCause, Terms


def refuse_revision(state: UnitState) -> None:
    """Raise NeedsPerson for a unit that is done or stopped: every other one may be amended or recovered."""
    if state.phase in ("done", "stopped"):
        raise NeedsPerson(
            f"{state.unit} is {state.phase}; nothing was changed", hint="unlost run PLAN starts a new unit"
        )


def kept_tasks(state: UnitState, before: Plan, after: Plan) -> tuple[str, ...]:
    """The finished tasks that stay finished: the same id, text, acceptance, paths, reverts and checks."""
    known = {task.id: task for task in before.tasks}
    finished = {task.id for task in state.tasks if task.state in FINISHED}
    return tuple(task.id for task in after.tasks if task.id in finished and known[task.id] == task)


def revised_terms(state: UnitState, cause: RevisionCause, offered: Terms) -> Terms:
    """What the new revision may spend.

    An amendment is a person's new word on deadline and caps. A recovery renews nothing: deadline and cost cap stay
    (R.50), only attempts count anew. What was spent stays spent either way.
    """
    if cause == "amend":
        return offered
    return replace(state.terms, attempts=offered.attempts, turns=offered.turns)
