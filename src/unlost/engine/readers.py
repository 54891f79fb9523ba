"""One reviewer's run, whatever it reads: its prompt, its caps, its end on record, and what its file comes to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from unlost.engine.allowances import caps_of
from unlost.engine.apart_ports import ApartOrder, Investigated, Listen, Stop
from unlost.engine.endings import discarded, ending
from unlost.engine.remains import apart_remains, kept_text
from unlost.engine.step import Step, passed
from unlost.engine.stopping import StopWatch
from unlost.engine.stream import UnitStream
from unlost.facts.errors import FileInvalid, Interrupted, UnlostBug
from unlost.facts.quoting import canonical_json
from unlost.facts.records import dataclass
from unlost.plan.facts import AgentChoice, Plan
from unlost.prompt.compose import Prompt
from unlost.prompt.fence import NewNonce, fence
from unlost.prompt.review import ReviewedTask, ReviewSections, compose_review
from unlost.publish.difference import MAXIMUM_DIFF, Difference
from unlost.publish.findings import (
    MAXIMUM_BYTES,
    Findings,
    canonical_findings,
    complaint_of,
    findings_digest,
    findings_text,
)
from unlost.publish.findings_reading import parse_findings
from unlost.research.facts import Brief
from unlost.research.render import for_agent
from unlost.unit.repairs import repair_of
from unlost.unit.review_events import ReviewEnded, ReviewFailure, ReviewKind, ReviewOpened, ReviewSettled

STEP: Final = "review"
RunReader = Callable[[ApartOrder, Listen, Stop], Investigated]


@dataclass(frozen=True, kw_only=True)
class Reading:
    """What one review reads: `base` names the side before, `tree` what the checkout holds, `subject` says both."""

    kind: ReviewKind
    base: str
    tree: str
    subject: str
    difference: Difference
    brief: Brief | None = None
    earlier: Findings | None = None


def have_read(step: Step, number: int, reading: Reading, run: RunReader) -> None:
    """Open a review, have it read by `run`, record its end. Raises Interrupted when the person pressed Ctrl-C."""
    state, plan = step.stream.state, step.stream.plan
    prompt = _prompt(step, reading)
    opened = ReviewOpened(
        number=number,
        revision=state.revision,
        epoch=state.epoch,
        identity=f"{state.unit}-{STEP}-{number}-{state.epoch}",
        kind=reading.kind,
        base=reading.base,
        tree=reading.tree,
    )
    step.intend(f"{key_of(number)} opened", opened, body=prompt.data, point="review.opened")
    order = ApartOrder(
        identity=opened.identity,
        unit=state.unit,
        number=number,
        prompt=prompt.data,
        agent=reviewer_of(plan),
        caps=caps_of(step),
        tree=reading.tree,
    )
    investigated = run(order, step.hands.listener.heard, StopWatch(step))
    passed("review.returned")
    record_end(step, number, investigated, settled=False)
    if investigated.end.interrupted:
        raise Interrupted("stopped by the person; the unit goes on with its review", hint="unlost resume")


def record_end(step: Step, number: int, investigated: Investigated, *, settled: bool) -> None:
    """Record how a reviewer's run ended and what it used; what it wrote in its checkout is named and gone."""
    ended = ReviewEnded(
        number=number,
        findings=investigated.end.returned.findings is not None,
        **ending(step, investigated.end, settled=settled),
        **discarded(investigated),
    )
    step.record((f"{key_of(number)} ended", ended, apart_remains(step, investigated)), point="review.ended")


def settle_findings(step: Step, number: int, tree: str, left: bytes | None, *, failed: bool = False) -> None:
    """Record what a reviewer's file comes to (None: it left none); what cannot be read proves nothing."""
    findings, failure, problems = _judged(step, left, failed=failed)
    if findings is None:
        settled = ReviewSettled(number=number, by=None, tree=tree, result="failed", failure=failure)
        body = canonical_json({"problems": [kept_text(step, problem) for problem in problems]})
    else:
        settled, body = settled_review(number, tree, findings, by=None), canonical_findings(findings)
    step.record((f"{key_of(number)} settled", settled, body), point="review.settled")


def settled_review(number: int, tree: str, findings: Findings, *, by: str | None) -> ReviewSettled:
    """What findings come to; `by` a person whose own they are, None for the reviewer that was started."""
    counts = dict.fromkeys(("error", "warning", "note"), 0)
    for finding in findings.findings:
        counts[finding.severity] += 1
    return ReviewSettled(
        number=number,
        by=by,
        tree=tree,
        result="findings" if findings.actionable else "clean",
        digest=findings_digest(findings),
        complaint=complaint_of(findings),
        errors=counts["error"],
        warnings=counts["warning"],
        notes=counts["note"],
        files=findings.files,
    )


def stored_findings(stream: UnitStream, body: int) -> Findings:
    """The findings that a settled review keeps; they were redacted and judged when they came in."""
    return parse_findings(stream.body(body), redact=str)


def findings_section(stream: UnitStream, task: str, nonce: NewNonce) -> str | None:
    """What a repair round is to settle, behind a fence; None for a task of the plan."""
    repair = repair_of(stream.state, task)
    if repair is None:
        return None
    told = findings_text(stored_findings(stream, repair.findings).actionable)
    return fence("findings", f"review {repair.review}", told, nonce=nonce, limit=2 * MAXIMUM_BYTES)


def reviewer_of(plan: Plan) -> AgentChoice:
    """The agent that reviews: the unit's own where it has the same name, else one with its own defaults."""
    use = plan.review.use
    if use == "person":
        raise UnlostBug("a person's review starts no agent")
    return plan.agent if use == plan.agent.use else AgentChoice(use=use)


def key_of(number: int) -> str:
    """The key that names a review in its unit's stream."""
    return f"review {number}"


def _judged(
    step: Step, left: bytes | None, *, failed: bool
) -> tuple[Findings | None, ReviewFailure | None, Sequence[str]]:
    if failed:
        return None, "agent_failed", ()
    if left is None:
        return None, "no_findings_file", ()
    try:
        return parse_findings(left, redact=step.hands.redact), None, ()
    except FileInvalid as error:
        return None, "malformed", [problem.what for problem in error.problems]


def _prompt(step: Step, reading: Reading) -> Prompt:
    plan, nonce, difference = step.stream.approved, step.hands.new_nonce, reading.difference
    earlier = None
    if reading.earlier is not None:
        told = findings_text(reading.earlier.actionable)
        earlier = fence("findings", "the review before", told, nonce=nonce, limit=2 * MAXIMUM_BYTES)
    sections = ReviewSections(
        title=plan.title,
        goal=plan.goal,
        tasks=[ReviewedTask(id=task.id, text=task.text, acceptance=task.acceptance) for task in plan.tasks],
        subject=reading.subject,
        changed=difference.paths,
        left_out=difference.left_out,
        # Room for what cleaning cannot lengthen: the bound of the text is the bound of the fence.
        diff=fence("diff", reading.kind, difference.text, nonce=nonce, limit=MAXIMUM_DIFF),
        operator_note=step.stream.note,
        brief=None if reading.brief is None else for_agent(reading.brief, nonce=nonce),
        earlier=earlier,
    )
    return compose_review(sections)
