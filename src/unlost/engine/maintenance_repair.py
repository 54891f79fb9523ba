"""The one paid repair of a maintenance action: admitted like any coding, run apart, charged once (R.59 to R.63)."""

from __future__ import annotations

from typing import Final

from unlost.attempt.facts import OURS
from unlost.engine.allowances import caps_of
from unlost.engine.apart_ports import ApartOrder
from unlost.engine.consulting import Consulted, consult, writer_pointer
from unlost.engine.maintenance_ports import Repaired
from unlost.engine.maintenance_words import key_of
from unlost.engine.remains import STDERR_LIMIT, kept_text
from unlost.engine.step import Step, passed
from unlost.engine.stopping import StopWatch
from unlost.facts.errors import Interrupted
from unlost.facts.quoting import canonical_json, path_literal
from unlost.plan.scope import outside
from unlost.prompt.compose import Contract, Prompt, Sections, compose
from unlost.prompt.notes import DONE_COMMITTED
from unlost.publish.rebase import Conflict
from unlost.research.render import for_agent
from unlost.unit.maintenance import MaintenanceAction
from unlost.unit.maintenance_events import MaintenanceRepairEnded, MaintenanceRepairIntended, MaintenanceResolved
from unlost.unit.proof import MAXIMUM_NAMED

_TEXT: Final = """\
The finished work of this unit is being put onto {target}, which moved. This folder holds both, merged; in the files \
below git could not do it and left its marks (`<<<<<<<`, `=======`, `>>>>>>>`: first what the target has, then what \
the unit made). Settle each: keep what the target brought, keep what the unit was asked for, and take the marks out. \
Change nothing else. There is no git repository in this folder; unlost takes the files as you leave them."""


def run_repair(step: Step, action: MaintenanceAction) -> tuple[str, ...]:
    """Ask whether the repair may start, charge it, run it, record its end; the refusals instead when it may not.

    Sources, producer and target are looked at as they are now, right before the agent is started (R.60).
    """
    state, opened = step.stream.state, action.opened
    assert action.merged is not None
    consulted = consult(step, at=opened.before)
    refusals = tuple(dict.fromkeys(refusal.reason for refusal in consulted.refusals))
    if refusals:
        return refusals
    seen = step.hands.remotes.read(opened.remote, opened.url, opened.target)
    if seen.oid != opened.onto:
        return ("target_moved",)
    prompt = _prompt(step, action, consulted)
    identity = f"{state.unit}-maintenance-{opened.number}-{state.epoch}"
    intended = MaintenanceRepairIntended(
        number=opened.number,
        action=opened.action,
        identity=identity,
        epoch=state.epoch,
        tree=action.merged.tree,
        writer=writer_pointer(step, consulted, identity=identity, kind="maintenance", action=opened.action),
    )
    caps = caps_of(step)
    step.intend(
        f"{key_of(opened.number)} repair intended", intended, body=prompt.data, point="maintenance.repair_intended"
    )
    order = ApartOrder(
        identity=identity,
        unit=state.unit,
        number=opened.number,
        prompt=prompt.data,
        agent=step.stream.plan.agent,
        caps=caps,
        tree=action.merged.tree,
    )
    repaired = step.hands.maintenance.repair(order, action.merged.conflicts, step.hands.listener.heard, StopWatch(step))
    passed("maintenance.returned")
    _record_end(step, action, intended, repaired, settled=False)
    if repaired.end.interrupted:
        raise Interrupted("stopped by the person; the repair counts as paid", hint=f"unlost show {state.unit}")
    return ()


def settle_repair(step: Step, action: MaintenanceAction) -> None:
    """Find out how a repair ended whose supervisor died; what nobody knows is kept so, and nothing is run again."""
    intended = action.intended
    assert intended is not None
    assert action.merged is not None
    repaired = step.hands.maintenance.settle_repair(
        intended.identity, step.stream.plan.agent, intended.tree, action.merged.conflicts
    )
    passed("maintenance.returned")
    _record_end(step, action, intended, repaired, settled=True)


def commit_repair(step: Step, action: MaintenanceAction) -> None:
    """Make the commit of a settled conflict in unlost's own store."""
    opened, ended = action.opened, action.ended
    assert ended is not None
    assert ended.tree is not None
    hands = step.hands.maintenance
    found = hands.rebase(base=opened.base, before=opened.before, onto=opened.onto)
    if not isinstance(found, Conflict):
        found = Conflict(onto=opened.onto, carried=0, tree=ended.tree, paths=())
    commit = hands.resolve(base=opened.base, before=opened.before, conflict=found, tree=ended.tree)
    hands.keep(f"{step.stream.unit}-rebased", commit)
    passed("maintenance.committing")
    resolved = MaintenanceResolved(number=opened.number, commit=commit, tree=ended.tree)
    step.record((f"{key_of(opened.number)} resolved", resolved, None), point="maintenance.resolved")


def _record_end(
    step: Step, action: MaintenanceAction, intended: MaintenanceRepairIntended, repaired: Repaired, *, settled: bool
) -> None:
    """Record the one outcome: a writer and its spend when its end is known, neither when it is not (R.63)."""
    assert action.merged is not None
    end, report = repaired.end, repaired.end.returned.report
    known = end.reason not in OURS and (repaired.tree is not None or repaired.spoiled)
    beside = tuple(path for path in repaired.touched if path not in action.merged.conflicts)
    beyond = outside(step.stream.plan.scope, beside)
    ended = MaintenanceRepairEnded(
        number=intended.number,
        action=intended.action,
        identity=intended.identity,
        known=known,
        reason=end.reason,
        failed=end.error is not None or repaired.spoiled,
        exit_code=end.exit_code,
        outcome=None if report is None else report.outcome,
        tree=repaired.tree if known else None,
        unresolved=repaired.marked[:MAXIMUM_NAMED],
        outside=beyond[:MAXIMUM_NAMED],
        turns=end.turns,
        tokens=end.usage.tokens,
        cost_usd=end.usage.cost_usd if known else None,
        seconds=end.seconds,
        settled=settled,
        writer=intended.writer if known else None,
        limited=end.limit is not None,
    )
    remains = {
        "error": None if end.error is None else kept_text(step, end.error),
        "reason": None if report is None else kept_text(step, report.reason),
        "stderr": kept_text(step, end.stderr.decode("utf-8", "replace"), STDERR_LIMIT),
    }
    step.record(
        (f"{key_of(intended.number)} repair ended", ended, canonical_json(remains)), point="maintenance.repair_ended"
    )


def _prompt(step: Step, action: MaintenanceAction, consulted: Consulted) -> Prompt:
    """The same sections in the same order as every coding prompt; the brief is the producer's."""
    plan, nonce = step.stream.approved, step.hands.new_nonce
    assert action.merged is not None
    named = [f"- {path_literal(path)}" for path in action.merged.conflicts]
    sections = Sections(
        contract=Contract(
            title=plan.title,
            goal=plan.goal,
            task=f"maintenance/{action.opened.number}",
            text="\n".join([_TEXT.format(target=action.opened.target), *named]),
            acceptance=tuple(line for task in plan.tasks for line in task.acceptance),
            scope=plan.scope.paths,
            paths=(),
            reverts=(),
            checks=(),
            done=DONE_COMMITTED,
        ),
        operator_note=step.stream.note,
        brief=None if consulted.brief is None else for_agent(consulted.brief, nonce=nonce),
    )
    return compose(sections)
