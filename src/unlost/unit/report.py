"""A unit as `unlost.unit/1` (contracts.md), its exit code, and what moves it on: pure, from the state alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from unlost.facts.durations import instant_text
from unlost.facts.errors import NeedsPerson, Paused, UnlostError, WorkLost
from unlost.facts.quoting import path_json
from unlost.facts.words import Outcome, TaskState, VerdictWord
from unlost.unit.commit_report import blocked_exit_code, commits_document, publish_document
from unlost.unit.events import Blocked
from unlost.unit.facts import FINISHED, Parked, TaskRecord, TimedBoundary, UnitState
from unlost.unit.limit import LimitRecord
from unlost.unit.maintenance_report import maintenance_part
from unlost.unit.proof import ClaimCounts, LostPath, Proof
from unlost.unit.review_report import review_part

SCHEMA: Final = "unlost.unit/1"
_NONE: Final = ClaimCounts()
_RESUME: Final = "unlost resume {unit}"
_AFTER_WAIT: Final[dict[str, str]] = {
    "recoverable": f"{_RESUME} --restore",
    "loss": f"unlost restore --lost && {_RESUME}",
    "out_of_scope": f"unlost accept --all --unit {{unit}} && {_RESUME}",
    "definition_changed": f"unlost accept --check NAME --unit {{unit}} && {_RESUME}",
    "paused_tree": "unlost amend {unit} --accept-tree {tree}",
    "research_refused": "unlost brief show {unit}",
    "review_waits": f"unlost review {{unit}} --findings FILE && {_RESUME}",
    "review_findings": "unlost review {unit} --body",
    "review_no_progress": "unlost review {unit} --body",
    "cost": f"{_RESUME} --raise-cost 5",
    "reserve": f"{_RESUME} --extend 1h",
    "rate_limit": f"{_RESUME} --extend 2h",
    "question": 'unlost answer {unit} "..."',
}
_AFTER_END: Final[dict[str, str | None]] = {
    "done": None,
    "stopped": None,
    "failed": "unlost amend {unit} --plan FILE --run",
    "expired": "unlost amend {unit} --plan FILE --run",
}


def unit_document(
    state: UnitState, *, lost: Sequence[Any] | None = None, question: str | None = None
) -> dict[str, Any]:
    """The JSON of a unit.

    `lost` are the losses as `check` shows them, with all their places; without them the record's own, which name
    path, state, owner and where it was last seen. `question` is the private text of the open question.
    """
    return {
        "schema": SCHEMA,
        "unit": state.unit,
        "title": state.title,
        "revision": state.revision,
        "digest": state.digest,
        "tree": state.tree,
        "phase": state.phase,
        "outcome": outcome_of(state),
        "reason": state.reason or None,
        "requester": state.requester,
        "workspace": state.workspace,
        "place": state.place,
        "tasks": [_task(state, task) for task in state.tasks],
        "boundaries": [_boundary(boundary) for boundary in state.boundaries],
        "lost": list(lost) if lost is not None else [_lost(state, path) for path in state.proof.lost],
        "question": _question(state, question),
        "spent": _spent(state),
        "budget": _budget(state),
        "next": next_command(state),
        **({"research": _research(state)} if "research" in state.steps else {}),
        **({"review": review_part(state)} if "review" in state.steps else {}),
        **({"handoffs": handoffs} if (handoffs := list(_handoffs(state))) else {}),
        **({"limit": _limit(state.limit)} if state.limit is not None else {}),
        **({"maintenance": maintenance_part(state)} if state.maintenance.actions else {}),
        **commits_document(state),
        **publish_document(state),
    }


def outcome_of(state: UnitState) -> Outcome | None:
    """The outcome word; None until an end. Partial: something is done and nothing is lost (G.14)."""
    match state.phase:
        case "done":
            return "done"
        case "failed" | "stopped" | "expired":
            some_done = any(task.state in FINISHED for task in state.tasks)
            return "partial" if some_done and not state.proof.is_loss else state.phase
        case _:
            return None


def exit_code(state: UnitState) -> int:
    """What `run` and `resume` end with: work lost wins, then what waits for a person, then budgets, then failure."""
    if state.proof.is_loss:
        return WorkLost.exit_code
    match state.phase:
        case "done":
            return 0
        case "blocked":
            return blocked_exit_code(state)
        case "parked":
            return NeedsPerson.exit_code
        case "paused":
            return Paused.exit_code
        case _:
            return UnlostError.exit_code


def next_command(state: UnitState) -> str | None:
    """The command that moves the unit on; None when nothing is left to do."""
    template: str | None
    if state.waiting is not None:
        template = _AFTER_WAIT.get("question" if isinstance(state.waiting, Parked) else state.reason, _RESUME)
    else:
        template = _AFTER_END.get(state.phase, _RESUME)
    return None if template is None else template.format(unit=state.unit, tree=state.tree_now)


def _task(state: UnitState, task: TaskRecord) -> dict[str, Any]:
    counts = state.proof.claims.get(task.id, _NONE)
    word: TaskState = "lost" if counts.lost and task.state in FINISHED else task.state
    return {
        "id": task.id,
        "state": word,
        "attempts": len(task.attempts),
        "claims": {
            "standing": counts.standing,
            "moved": counts.moved,
            "superseded": counts.superseded,
            "extended": counts.extended,
            "warnings": counts.warnings,
            "lost": counts.lost,
        },
    }


def _boundary(timed: TimedBoundary) -> dict[str, Any]:
    taken = timed.taken
    return {
        "n": taken.n,
        "at": instant_text(timed.at),
        "kind": taken.kind,
        "snapshot": taken.snapshot,
        "verdict": verdict_word(taken.proof),
    }


def verdict_word(proof: Proof) -> VerdictWord:
    """A proof in one word."""
    if proof.is_loss:
        return "loss"
    return "incomplete" if proof.unproved else "ok"


def _lost(state: UnitState, lost: LostPath) -> dict[str, Any]:
    snapshots = {timed.taken.n: timed.taken.snapshot for timed in state.boundaries}
    seen = lost.boundary
    last_seen = None if seen is None else {"boundary": seen, "snapshot": snapshots.get(seen)}
    return {"path": path_json(lost.path), "state": lost.state, "owner": lost.owner, "last_seen": last_seen}


def _question(state: UnitState, text: str | None) -> dict[str, Any] | None:
    if not isinstance(state.waiting, Parked):
        return None
    shown = {"id": state.waiting.question, "asked_at": instant_text(state.waiting.asked_at)}
    return shown if text is None else {**shown, "text": text}


def _research(state: UnitState) -> dict[str, Any]:
    """Where research stands, without a word of it (R.41)."""
    record = state.research
    settled = record.settled if record is not None else None
    word = "waiting" if record is None else "running" if settled is None else settled.result
    return {
        "state": word,
        "failure": None if settled is None else settled.failure,
        "commit": None if record is None else record.opened.tag.commit,
        "digest": None if settled is None else settled.digest,
        "sources": 0 if settled is None else len(settled.sources),
        "discarded": record.ended.discarded_count if record is not None and record.ended is not None else 0,
        "refused": list(state.waiting.refusals) if isinstance(state.waiting, Blocked) else [],
    }


def _handoffs(state: UnitState) -> Iterator[dict[str, Any]]:
    """What attempts handed over, in their order, and what became of it; not a word of what they said."""
    for task in state.tasks:
        for attempt in task.attempts:
            record = attempt.handoff
            if record is not None:
                found = record.verified
                yield {
                    "task": task.id,
                    "attempt": attempt.number,
                    "source": record.taken.source,
                    "refused": record.taken.refused,
                    "recoverable": [] if found is None else [path_json(path) for path in found.recoverable],
                    "lost": [] if found is None else [path_json(path) for path in found.lost],
                    "restored": [path_json(path) for path in record.restored],
                }


def _limit(limit: LimitRecord) -> dict[str, Any]:
    """The provider's limit that holds the unit up; whether it is waited for says the phase."""
    return {"resets_at": None if limit.resets_at is None else instant_text(limit.resets_at)}


def _spent(state: UnitState) -> dict[str, Any]:
    spent = state.spent
    return {"usd": spent.known_usd, "tokens": spent.tokens, "turns": spent.turns, "seconds": round(spent.seconds, 3)}


def _budget(state: UnitState) -> dict[str, Any]:
    terms = state.terms
    return {
        "deadline": None if terms.deadline is None else instant_text(terms.deadline),
        "cost_usd": terms.cost_usd,
        "tokens": terms.tokens,
        "attempts": terms.attempts,
        "turns": terms.turns,
    }
