"""The text of a pull request, from a unit's record alone: what was asked, what was done, and what proves it. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from unlost.facts.quoting import clean, cut, path_literal
from unlost.plan.facts import Plan
from unlost.unit.facts import FINISHED, CheckRecord, UnitState
from unlost.unit.report import verdict_word

_LIMIT: Final = 60_000
_GOAL_AT_MOST: Final = 8_000
_MOST_LISTED: Final = 50


def request_text(state: UnitState, plan: Plan) -> str:
    """Markdown, at most 60,000 bytes; names of files are ASCII JSON."""
    parts = [
        cut(clean(plan.goal).strip(), _GOAL_AT_MOST),
        "\n".join(("## Tasks", "", *_tasks(state, plan))),
        "\n".join(("## Checks", "", *_checks(state))),
        "\n".join(("## Evidence", "", *_evidence(state))),
        f"Made by unlost, unit `{state.unit}`, revision {state.revision}, plan `{state.digest[:12]}`.",
    ]
    return cut("\n\n".join(part for part in parts if part), _LIMIT) + "\n"


def _tasks(state: UnitState, plan: Plan) -> Iterator[str]:
    for task in state.tasks:
        try:
            planned = plan.task(task.id)
        except KeyError:
            continue
        text = next((line.strip() for line in clean(planned.text).splitlines() if line.strip()), "")
        mark = "x" if task.state in FINISHED else " "
        attempts = f"{len(task.attempts)} attempt{'s' if len(task.attempts) != 1 else ''}"
        yield f"- [{mark}] **{task.id}**: {text} ({task.state}, {attempts})"
        yield from (f"  - {clean(line, one_line=True)}" for line in planned.acceptance)


def _checks(state: UnitState) -> Iterator[str]:
    ran = [*(check for task in state.tasks for check in (task.last.checks if task.last else ())), *state.checks]
    if not ran:
        yield "No check was asked for."
    yield from (_check(check) for check in ran)


def _reviews(state: UnitState) -> Iterator[str]:
    for review in () if state.review is None else state.review.settled:
        settled = review.settled
        counts = f"{settled.errors} errors, {settled.warnings} warnings, {settled.notes} notes"
        yield f"- review {settled.number}: {settled.result} ({counts})"


def _check(record: CheckRecord) -> str:
    ended = record.ended
    end = "passed" if ended.passed else f"failed (exit code {ended.exit_code})"
    return f"- `{clean(ended.name, one_line=True)}`: {end} in {ended.seconds:.1f} s"


def _evidence(state: UnitState) -> Iterator[str]:
    last = state.last_boundary
    yield f"- {len(state.boundaries)} boundaries, each proved; the newest is {last.n}: {verdict_word(last.proof)}"
    standing = sum(counts.standing for counts in last.proof.claims.values())
    yield f"- {standing} claims standing, {last.proof.lost_count} lost"
    yield from _reviews(state)
    restored = [path for paths in state.restored for path in paths]
    if restored:
        listed = ", ".join(path_literal(path) for path in restored[:_MOST_LISTED])
        yield f"- lost on the way and put back: {listed}"
    left_out = state.commits.left_out
    if left_out:
        listed = ", ".join(f"{path_literal(each.path)} ({each.reason})" for each in left_out[:_MOST_LISTED])
        yield f"- finished, but not in these commits: {listed}"
    if state.origin.producer is not None:
        yield f"- research at `{state.origin.producer.commit[:12]}`, brief `{state.origin.producer.brief[:12]}`"
    spent = state.spent
    cost = "price unknown" if spent.known_usd is None else f"{spent.known_usd:.2f} USD"
    yield f"- {cost}, {spent.tokens} tokens, {spent.turns} turns, {spent.seconds:.0f} s of agents"
