"""Commits of a unit's finished work: composed apart, intended, delivered, recorded; found again after a kill."""

from __future__ import annotations

from collections.abc import Iterable

from unlost.engine.remains import kept_text
from unlost.engine.step import Step, passed
from unlost.facts.quoting import canonical_json
from unlost.publish.facts import CommitReceipt
from unlost.publish.orders import CommitOrder, Composed, Ground
from unlost.publish.outcomes import LeftOut
from unlost.unit import actions
from unlost.unit.commit_events import CommitDeferred, CommitEnded, CommitIntended, CommitsVerified, CommitUnneeded
from unlost.unit.commit_step import commit_order, settling_order
from unlost.unit.origin_events import RepositoryNoted
from unlost.unit.proof import MAXIMUM_NAMED


def commit_work(step: Step, action: actions.CommitWork) -> None:
    """Make a commit of finished work and bring it in; what keeps it from being is recorded, and nothing is changed."""
    state, commits = step.stream.state, step.hands.commits
    order = commit_order(state, step.stream.plan, action.pieces, at=int(step.hands.clock.now()))
    if action.own:
        earlier = state.commits.made[-1].ended.receipt if state.commits.made else None
        composed = commits.own(order, earlier=earlier)
    else:
        composed = commits.compose(order)
    passed("commit.composed")
    number = state.commits.number + 1
    if composed.refusal is not None:
        _defer(step, action, composed, number)
        return
    assert composed.before is not None
    assert composed.commit is not None
    if composed.commit == composed.before:
        unneeded = CommitUnneeded(
            number=number,
            pieces=action.pieces,
            head=composed.before,
            left_out=_named(composed.left_out),
            left_out_count=len(composed.left_out),
        )
        step.record((f"commit {number} unneeded", unneeded, None), point="commit.recorded")
        return
    intended = _intended(order, action.pieces, composed, number)
    step.intend(f"commit {number} intended", intended, point="commit.intended")
    if action.own:
        _record_made(step, intended, order.tasks, composed.commit, settled=False)
        return
    delivered = commits.deliver(order, composed)
    passed("commit.delivered")
    if delivered.refusal is None:
        _record_made(step, intended, order.tasks, composed.commit, settled=False)
        return
    ended = CommitEnded(name=order.name, number=number, receipt=None, refusal=delivered.refusal, settled=False)
    step.record((f"commit {number} ended", ended, _told(step, delivered.told)), point="commit.recorded")


def settle_commit(step: Step, _action: actions.SettleCommit) -> None:
    """Find out whether a commit stands whose supervisor died: by its id, else by its trailers."""
    intended = step.stream.state.commits.open
    assert intended is not None
    order = settling_order(step.stream.unit, intended)
    found: str | None = intended.commit
    if intended.branch is not None:
        found = step.hands.commits.settle(order, before=intended.before, commit=intended.commit)
    passed("commit.delivered")
    if found is not None:
        _record_made(step, intended, order.tasks, found, settled=True)
        return
    ended = CommitEnded(name=intended.name, number=intended.number, receipt=None, refusal=None, settled=True)
    step.record((f"commit {intended.number} ended", ended, None), point="commit.recorded")


def verify_commits(step: Step, _action: actions.VerifyCommits) -> None:
    """Look whether the branch still holds the unit's commits; what is gone is committed again by the next action."""
    state = step.stream.state
    here = {made.commit: made.intended.branch for made in state.commits.made if made.intended.branch and not made.gone}
    noted_head = None if state.origin.noted is None else state.origin.noted.head
    gone = step.hands.commits.gone({commit: branch for commit, branch in here.items() if branch}, since=noted_head)
    verified = CommitsVerified(gone=tuple(commit for commit in here if commit in gone))
    step.record((f"commits verified {state.sequence + 1}", verified, None), point="commit.recorded")


def noted(ground: Ground) -> RepositoryNoted:
    """The event that keeps what the repository is at a unit's admission."""
    return RepositoryNoted(branch=ground.branch, head=ground.head, remotes=ground.remotes, hooks=ground.hooks)


def _defer(step: Step, action: actions.CommitWork, composed: Composed, number: int) -> None:
    assert composed.refusal is not None
    deferred = CommitDeferred(
        number=number,
        pieces=action.pieces,
        refusal=composed.refusal,
        tree=step.stream.state.tree_now,
        hooks_ran=composed.hooks_ran,
    )
    step.record((f"commit {number} deferred", deferred, _told(step, composed.told)), point="commit.recorded")


def _intended(order: CommitOrder, pieces: tuple[str, ...], composed: Composed, number: int) -> CommitIntended:
    assert composed.before is not None
    assert composed.commit is not None
    return CommitIntended(
        name=order.name,
        number=number,
        pieces=pieces,
        branch=composed.branch,
        before=composed.before,
        commit=composed.commit,
        paths=composed.paths,
        left_out=_named(composed.left_out),
        left_out_count=len(composed.left_out),
        skipped_hooks=composed.skipped_hooks,
        hooks_ran=composed.hooks_ran,
        signed=composed.signed,
    )


def _record_made(step: Step, intended: CommitIntended, tasks: tuple[str, ...], commit: str, *, settled: bool) -> None:
    producer = step.stream.state.origin.producer
    receipt = CommitReceipt(
        unit=step.stream.unit,
        producer=None if producer is None else producer.attempt,
        tasks=tasks,
        branch=intended.branch,
        before=intended.before,
        after=commit,
    )
    ended = CommitEnded(name=intended.name, number=intended.number, receipt=receipt, refusal=None, settled=settled)
    step.record((f"commit {intended.number} ended", ended, None), point="commit.recorded")


def _named(left_out: Iterable[LeftOut]) -> tuple[LeftOut, ...]:
    return tuple(left_out)[:MAXIMUM_NAMED]


def _told(step: Step, text: str) -> bytes:
    """What git or a hook said, as it may be kept: from outside, so redacted, cleaned and cut."""
    return canonical_json({"told": kept_text(step, text)})
