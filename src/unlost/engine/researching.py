"""The research step: opened and bound, run apart, its brief stored, its missing decision asked for."""

from __future__ import annotations

from unlost.attempt.facts import Caps
from unlost.engine.apart_ports import ApartOrder, Investigated
from unlost.engine.consulting import STEP
from unlost.engine.endings import discarded, ending
from unlost.engine.remains import apart_remains, kept_text
from unlost.engine.research_ports import Standpoint
from unlost.engine.step import Step, passed
from unlost.engine.stopping import StopWatch
from unlost.engine.waiting import question_asked
from unlost.facts.errors import FileInvalid, Interrupted, NeedsPerson
from unlost.facts.quoting import canonical_json
from unlost.research.brief import brief_digest, parse_brief
from unlost.research.consumption import ResearchTag
from unlost.research.facts import Brief
from unlost.research.reading import stored_brief
from unlost.research.request import research_request
from unlost.research.sources import closure_of
from unlost.research.submission import Submission
from unlost.unit import actions
from unlost.unit.origin_events import PRODUCER_KEY, ProducerAccepted
from unlost.unit.origin_step import producer_pointer
from unlost.unit.research import ResearchRecord
from unlost.unit.research_events import ResearchEnded, ResearchFailure, ResearchOpened, ResearchSettled
from unlost.unit.reserve import research_allowance


def run_research(step: Step, action: actions.RunResearch) -> None:
    """Bind and store the request, run the researcher on what HEAD holds, record how it ended (R.23, R.42)."""
    stream, state = step.stream, step.stream.state
    captured = step.hands.watch.capture(state.unit)
    here = step.hands.research.standpoint(captured.snapshot)
    if here.commit is None:
        raise NeedsPerson(
            "nothing is committed here, so there is no commit to investigate; no agent was started",
            hint=f"commit something, then unlost resume {state.unit}",
        )
    caps = _caps(step)
    identity = f"{state.unit}-{STEP}-{action.number}-{state.epoch}"
    opened = ResearchOpened(
        number=action.number,
        revision=state.revision,
        epoch=state.epoch,
        tag=_tag(step, here, here.commit, identity),
        branch=here.branch,
        tree=here.tree,
    )
    prompt = research_request(stream.plan, stream.note, commit=here.commit)
    step.intend(f"{_key(action.number)} opened", opened, body=prompt, point="research.opened")
    order = ApartOrder(
        identity=identity,
        unit=state.unit,
        number=action.number,
        prompt=prompt,
        agent=stream.plan.agent,
        caps=caps,
        tree=here.tree,
    )
    investigated = step.hands.research.run(order, step.hands.listener.heard, StopWatch(step))
    passed("research.returned")
    _record_end(step, action.number, investigated, settled=False)
    if investigated.end.interrupted:
        raise Interrupted("stopped by the person; the unit goes on with research", hint="unlost resume")


def settle_research(step: Step, action: actions.SettleResearch) -> None:
    """Find out how a researcher ended whose supervisor died, and record it; no other one is started for that."""
    record = _record(step)
    investigated = step.hands.research.settle(record.identity, step.stream.plan.agent, record.opened.tree)
    passed("research.returned")
    _record_end(step, action.number, investigated, settled=True)


def submit_brief(step: Step, action: actions.SubmitBrief) -> None:
    """Store the brief and record what the research came to. Raises SubmissionUnknown: the same action comes again."""
    record = _record(step)
    brief, failure, problems = _judged(step, record)
    passed("research.submitted")
    origins = () if brief is None else closure_of(brief)
    settled = ResearchSettled(
        number=action.number,
        result="failed" if brief is None else brief.readiness,
        failure=failure,
        digest=None if brief is None else brief_digest(brief),
        commit=None if brief is None else brief.commit,
        sources=tuple(origin.id for origin in origins),
    )
    told = [{"id": each.id, "kind": each.kind, "ref": each.ref, "commit": each.commit} for each in origins]
    body = canonical_json({"origins": told, "problems": [kept_text(step, problem) for problem in problems]})
    said: list[tuple[str, object, bytes | None]] = [(f"{_key(action.number)} settled", settled, body)]
    if brief is not None:
        accepted = ProducerAccepted(producer=producer_pointer(record.opened.tag, brief))
        said.append((PRODUCER_KEY, accepted, None))
    step.record(*said, point="research.settled")


def ask_about_brief(step: Step, action: actions.AskAboutBrief) -> None:  # noqa: ARG001  (the face of every action)
    """Park the unit: the missing decision of its blocked brief is the question (R.11)."""
    brief = stored_brief(step.hands.ledger, step.stream.unit, _record(step).standing)
    text = "" if brief is None or brief.blocked_reason is None else brief.blocked_reason
    question_asked(step, task=None, attempt=None, text=text)


def _judged(step: Step, record: ResearchRecord) -> tuple[Brief | None, ResearchFailure | None, tuple[str, ...]]:
    """The brief as it is stored now; or why the research failed, and what is wrong with what it left (R.16)."""
    assert record.ended is not None
    if record.ended.failed and record.ended.reason == "exited":
        return None, "agent_failed", ()
    submission = Submission(ledger=step.hands.ledger, stream=step.stream.unit, step=STEP, attempt=record.identity)
    standing = submission.reconcile()
    intent = standing.intent
    pending = intent if intent is not None and intent.attempt == record.identity else None
    if pending is not None and standing.exportable == pending:
        return stored_brief(step.hands.ledger, step.stream.unit, standing), None, ()
    end = step.hands.research.settle(record.identity, step.stream.plan.agent, record.opened.tree).end
    if end.returned.brief is None:
        return None, "unconfirmed" if pending else "no_brief", end.returned.problems
    try:
        brief = parse_brief(end.returned.brief, redact=step.hands.redact)
    except FileInvalid as error:
        return None, "malformed", tuple(problem.what for problem in error.problems)
    if brief.commit != record.opened.tag.commit:
        return None, "other_commit", ()
    if pending is not None and pending.digest != brief_digest(brief):
        # The outbox is the agent's. What it holds now is not what was about to be stored, so nothing is proven.
        return None, "unconfirmed", ()
    submission.submit(brief)
    return brief, None, ()


def _record_end(step: Step, number: int, investigated: Investigated, *, settled: bool) -> None:
    ended = ResearchEnded(
        number=number,
        brief=investigated.end.returned.brief is not None,
        **ending(step, investigated.end, settled=settled),
        **discarded(investigated),
    )
    step.record((f"{_key(number)} ended", ended, apart_remains(step, investigated)), point="research.ended")


def _tag(step: Step, here: Standpoint, commit: str, identity: str) -> ResearchTag:
    state = step.stream.state
    return ResearchTag(
        ledger=here.instance,
        unit=state.unit,
        requester=state.requester,
        step=STEP,
        attempt=identity,
        repository=here.repository,
        commit=commit,
        contract=state.digest,
    )


def _caps(step: Step) -> Caps:
    """What this researcher may use; coding's part of the lease is not in it (R.24)."""
    plan = step.stream.plan
    allowance = research_allowance(step.stream.state, plan, step.hands.clock.now())
    if allowance is None:
        raise NeedsPerson("the time that was left for research ran out; no agent was started", hint="unlost resume")
    return Caps(
        turns=allowance.turns,
        tokens=allowance.tokens,
        cost_usd=allowance.cost_usd,
        idle=plan.budget.idle,
        wall_clock=allowance.seconds,
        grace=plan.budget.grace,
    )


def _record(step: Step) -> ResearchRecord:
    record = step.stream.state.research
    assert record is not None
    return record


def _key(number: int) -> str:
    return f"research {number}"
