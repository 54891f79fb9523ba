"""Where the exact prompt of an attempt is kept: of a task, a research, a review or maintenance (decision 7). Pure."""

from __future__ import annotations

from collections.abc import Iterator

from unlost.unit.facts import UnitState


def prompt_of(state: UnitState, task: str, number: int) -> int | None:
    """The sequence of the event whose body is the prompt.

    `task` is a task's id, or `research`, `review`, `maintenance`.
    """
    return next((prompt for name, which, prompt in _prompts(state) if (name, which) == (task, number)), None)


def _prompts(state: UnitState) -> Iterator[tuple[str, int, int]]:
    if state.research is not None:
        yield "research", state.research.number, state.research.prompt
    if state.review is not None:
        for settled in state.review.settled:
            if settled.prompt is not None:
                yield "review", settled.settled.number, settled.prompt
        if state.review.open is not None:
            yield "review", state.review.open.opened.number, state.review.open.prompt
    for action in state.maintenance.actions:
        if action.intended is not None:
            yield "maintenance", action.opened.number, action.prompt
    for record in state.tasks:
        for attempt in record.attempts:
            yield record.id, attempt.number, attempt.prompt
