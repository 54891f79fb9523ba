"""Publishing: the remote is read, the push intended under what was read, made, and read back before it counts.

A push that nobody heard the end of is settled by asking the remote, and never repeated for not knowing (decision 12).
"""

from __future__ import annotations

from unlost.engine.remains import kept_text
from unlost.engine.step import Step, passed
from unlost.facts.quoting import canonical_json
from unlost.facts.records import dataclass
from unlost.publish.branch import OWN_BRANCHES, is_branch_name
from unlost.publish.credit import newest_after
from unlost.publish.facts import PushReceipt
from unlost.publish.orders import PushOrder
from unlost.publish.outcomes import PushFailure, RemoteReading
from unlost.unit import actions
from unlost.unit.publish_events import (
    PublishDeferred,
    PublishVerified,
    PushEnded,
    PushIntended,
    PushUncertain,
    RemoteRewound,
    RequestKept,
)
from unlost.unit.publish_step import publish_ref
from unlost.unit.request_text import request_text


@dataclass(frozen=True, kw_only=True, slots=True)
class Destination:
    """Where a unit's work goes: a remote of its admission (`url` None: it had none of that name), and a full ref."""

    remote: str
    url: str | None
    ref: str

    @property
    def branch(self) -> str:
        """The branch without `refs/heads/`."""
        return self.ref.removeprefix("refs/heads/")


def destination(step: Step) -> Destination:
    """The destination of the plan in force, with the address that was recorded at admission."""
    state, plan = step.stream.state, step.stream.plan
    remote = plan.publish.remote
    noted = state.origin.noted
    url = None if noted is None else noted.remotes.get(remote)
    return Destination(remote=remote, url=url, ref=publish_ref(state, plan))


def publish(step: Step, action: actions.Publish) -> None:
    """Push a commit to the unit's own branch."""
    push_commit(step, action.commit)


def push_commit(step: Step, commit: str) -> None:
    """Bring the unit's branch at the remote to a commit; what keeps it from that is recorded.

    The branch must hold what the unit's newest receipt says, or not be there when there is none: what others put
    there is left alone and told.
    """
    to = destination(step)
    if to.url is None:
        _defer(step, to, "no_remote", "")
        return
    if not is_branch_name(to.branch):
        _defer(step, to, "rejected", "that is no name for a branch")
        return
    reading = step.hands.remotes.read(to.remote, to.url, to.ref)
    passed("push.read")
    if reading.failure is not None:
        _defer(step, to, reading.failure, reading.told)
        return
    expected = newest_after(step.stream.state.origin.receipts, to.ref)
    if reading.oid not in (expected, commit):
        _leave_alone(step, to, expected, reading)
        return
    if reading.oid == expected == commit:
        verified = PublishVerified(remote=to.remote, ref=to.ref, commit=commit)
        step.record((f"publish verified {step.stream.state.sequence + 1}", verified, None), point="push.recorded")
        return
    _push(step, to, reading.oid, commit)


def settle_push(step: Step, _action: actions.SettlePush) -> None:
    """Ask the remote what became of a push that nobody heard the end of."""
    intended = step.stream.state.publishing.open
    assert intended is not None
    seen = step.hands.remotes.read(intended.remote, intended.url, intended.ref)
    passed("push.returned")
    _record(step, intended, seen, failure=None, told="", settled=True)


def keep_request(step: Step, action: actions.KeepRequest) -> None:
    """Write the text of the pull request from the unit's record, and open one where `gh` can."""
    to, state = destination(step), step.stream.state
    noted = state.origin.noted
    began_on = None if noted is None or noted.branch is None else noted.branch.removeprefix("refs/heads/")
    # A work tree that was made for the run is on a branch that no remote knows.
    target = None if began_on is None or began_on.startswith(OWN_BRANCHES) else began_on
    text = step.hands.redact(request_text(state, step.stream.plan))
    requested = step.hands.remotes.request(
        state.unit, url=to.url or "", branch=to.branch, target=target, title=state.title, text=text
    )
    passed("request.returned")
    kept = RequestKept(commit=action.commit, digest=requested.digest, branch=to.branch, address=requested.address)
    body = _told(step, requested.told)
    step.record((f"request {state.sequence + 1}", kept, body), point="request.kept")


def _push(step: Step, to: Destination, before: str | None, commit: str) -> None:
    """Intend, push, read back, record."""
    assert to.url is not None
    number = step.stream.state.publishing.number + 1
    intended = PushIntended(number=number, remote=to.remote, url=to.url, ref=to.ref, before=before, commit=commit)
    step.intend(f"push {number} intended", intended, point="push.intended")
    order = PushOrder(unit=step.stream.unit, remote=to.remote, url=to.url, ref=to.ref, before=before, commit=commit)
    pushed = step.hands.remotes.push(order)
    passed("push.returned")
    _record(step, intended, pushed.seen, failure=pushed.failure, told=pushed.told, settled=False)


def _record(
    step: Step, intended: PushIntended, seen: RemoteReading, *, failure: PushFailure | None, told: str, settled: bool
) -> None:
    """What the remote holds decides: the commit, what it held before, something else, or nobody knows."""
    number, sequence = intended.number, step.stream.state.sequence
    if seen.failure is not None:
        uncertain = PushUncertain(number=number)
        said = _told(step, f"{told}\n{seen.told}".strip())
        step.record((f"push {number} uncertain {sequence + 1}", uncertain, said), point="push.recorded")
        return
    if seen.oid == intended.commit:
        ended = PushEnded(number=number, receipt=_receipt(step, intended), failure=None, settled=settled)
        step.record((f"push {number} ended", ended, None), point="push.recorded")
        return
    untouched = seen.oid == intended.before
    # Asked afterwards, a remote that holds what it held says only that nothing happened.
    unsaid: PushFailure | None = None if settled else "unknown"
    why = (failure or unsaid) if untouched else "not_fast_forward"
    ended = PushEnded(number=number, receipt=None, failure=why, settled=settled)
    said_events: list[tuple[str, object, bytes | None]] = [(f"push {number} ended", ended, _told(step, told))]
    if not untouched and intended.before is not None:
        rewound = RemoteRewound(remote=intended.remote, ref=intended.ref, expected=intended.before, found=seen.oid)
        said_events.append((f"rewound {sequence + 1}", rewound, None))
    step.record(*said_events, point="push.recorded")


def _receipt(step: Step, intended: PushIntended) -> PushReceipt:
    producer = step.stream.state.origin.producer
    return PushReceipt(
        unit=step.stream.unit,
        producer=None if producer is None else producer.attempt,
        remote=intended.remote,
        url=intended.url,
        ref=intended.ref,
        before=intended.before,
        after=intended.commit,
    )


def _leave_alone(step: Step, to: Destination, expected: str | None, reading: RemoteReading) -> None:
    """Somebody else was at the branch: it stays as it is, and a person is told what stands there."""
    sequence = step.stream.state.sequence
    deferred = PublishDeferred(failure="not_fast_forward", remote=to.remote, ref=to.ref)
    events: list[tuple[str, object, bytes | None]] = [(f"publish deferred {sequence + 1}", deferred, None)]
    if expected is not None:
        rewound = RemoteRewound(remote=to.remote, ref=to.ref, expected=expected, found=reading.oid)
        events.append((f"rewound {sequence + 1}", rewound, None))
    step.record(*events, point="push.recorded")


def _defer(step: Step, to: Destination, failure: PushFailure, told: str) -> None:
    deferred = PublishDeferred(failure=failure, remote=to.remote, ref=to.ref)
    key = f"publish deferred {step.stream.state.sequence + 1}"
    step.record((key, deferred, _told(step, told)), point="push.recorded")


def _told(step: Step, text: str) -> bytes:
    """What git said, as it may be kept: from outside, so redacted, cleaned and cut."""
    return canonical_json({"told": kept_text(step, text)})
