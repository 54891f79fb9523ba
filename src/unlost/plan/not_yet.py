"""Keys whose meaning is not built yet: known, and refused, because a key that is ignored is a broken promise."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Final

from unlost.facts.errors import FileInvalid, Problem
from unlost.plan.build import TABLES
from unlost.plan.draft import KeyPath, in_order, key_text, line_of
from unlost.plan.facts import Plan

AGENTS: Final = frozenset({"acp", "claude", "codex", "command", "gemini", "opencode", "scripted"})
"""The agents that can be run today."""

# Keys that mean something only together with a mode or an agent of later.
_LATER_KEYS: Final = (("agent", ("home", "sandbox")),)
_HINT: Final = "leave the key out; `unlost plan new` writes a plan of what works today"


def refuse_not_yet(plan: Plan, *, name: str, lines: Mapping[KeyPath, int] | None = None) -> None:
    """Raise FileInvalid, naming every key, when the plan asks for something that is not built yet."""
    problems = not_yet_problems(plan, lines=lines or {})
    if problems:
        raise FileInvalid(
            f"{name} asks for what unlost cannot do yet; nothing was started", problems=problems, hint=_HINT
        )


def not_yet_problems(plan: Plan, *, lines: Mapping[KeyPath, int]) -> tuple[Problem, ...]:
    """One problem for each value that is not built yet, with its line where the file has one."""
    return in_order(
        Problem(line=line_of(lines, path), what=f"{key_text(path)} = {json.dumps(value)}: not yet")
        for path, value in _found(plan)
    )


def _found(plan: Plan) -> Iterator[tuple[KeyPath, object]]:
    if plan.agent.use not in AGENTS:
        yield ("agent", "use"), plan.agent.use
    if plan.review.use != "person" and plan.review.use not in AGENTS:
        yield ("review", "use"), plan.review.use
    for table, keys in _LATER_KEYS:
        found, default = getattr(plan, table), TABLES[table]()
        for key in keys:
            if getattr(found, key) != getattr(default, key):
                yield (table, key), getattr(found, key)
