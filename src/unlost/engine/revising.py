"""Open a new revision of a unit: amended by a person, or recovered as it is."""

from __future__ import annotations

from unlost.engine.committing import noted
from unlost.engine.local import plan_body, terms_of
from unlost.engine.ports import Hands
from unlost.engine.recovering import refuse_unproven_record
from unlost.engine.step import Step, passed
from unlost.engine.stream import UnitStream
from unlost.facts.errors import NeedsPerson
from unlost.facts.records import dataclass
from unlost.plan.digest import plan_digest
from unlost.plan.facts import Plan
from unlost.unit import events
from unlost.unit.revisions import kept_tasks, refuse_revision, revised_terms
from unlost.unit.terms import RevisionCause


@dataclass(frozen=True, kw_only=True)
class Revision:
    """A person's word that a unit goes on under this plan; `recover` has the plan that is in force already."""

    cause: RevisionCause
    plan: Plan
    note: str | None
    by: str


def open_revision(stream: UnitStream, hands: Hands, revision: Revision) -> None:
    """Capture the tree that the revision is admitted on (N.26) and record it; no agent is started.

    Raises NeedsPerson for a unit that is done or stopped, and for a recovery that the unit's record does not carry
    (R.49); StreamMoved when somebody was faster.
    """
    state = stream.state
    refuse_revision(state)
    if revision.cause == "recover":
        refuse_unproven_record(Step(stream=stream, hands=hands))
        state = stream.state
    captured = hands.watch.capture(state.unit)
    passed("revision.captured")
    opened = events.RevisionOpened(
        revision=state.revision + 1,
        cause=revision.cause,
        title=revision.plan.title,
        digest=plan_digest(revision.plan),
        previous_digest=state.digest,
        by=revision.by,
        tasks=tuple(task.id for task in revision.plan.tasks),
        kept=kept_tasks(state, stream.approved, revision.plan),
        terms=revised_terms(state, revision.cause, terms_of(revision.plan, hands.clock.now())),
        paused_tree=captured.tree,
        snapshot=captured.snapshot,
        steps=revision.plan.workflow.steps if revision.cause == "amend" else None,
    )
    body = plan_body(revision.plan, revision.note)
    stream.intend(f"revision {opened.revision}", opened, body=body)
    hands.listener.recorded(opened)
    passed("revision.opened")
    if state.origin.noted is None:
        # A unit from before this was kept: its branch is the one that its first revision since then finds.
        stream.record(events.EVENTS.new(noted(hands.commits.ground()), key="repository noted"))


def accept_tree(stream: UnitStream, hands: Hands, tree: str, *, by: str) -> None:
    """Take the present tree as the one that the revision starts from. Raises NeedsPerson when it is another one."""
    captured = hands.watch.capture(stream.unit)
    if not tree or not captured.tree.startswith(tree):
        raise NeedsPerson(
            f"the tree here is {captured.tree}, not {tree}; nothing was accepted",
            hint=f"unlost amend {stream.unit} --accept-tree {captured.tree}",
        )
    stream.intend(f"tree accepted {stream.state.sequence + 1}", events.TreeAccepted(tree=captured.tree, by=by))
