"""Rules of a plan that span several keys, judged on values as TOML gives them.

They run beside the rules of single keys, so that every problem is named at once; a value of the wrong
type is passed over here, because the rule of its key has named it already.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple, get_args

from unlost.plan.draft import KeyPath
from unlost.plan.facts import MAXIMUM_CHECKS, Step

_STEPS: Final = get_args(Step)
# The owners of a claim that no task may be mistaken for (contracts.md, unlost.check/1).
_RESERVED_IDS: Final = frozenset({"person", "commit"})
_NEEDED_KEY: Final = {"command": "command", "acp": "command", "scripted": "script"}


class Broken(NamedTuple):
    """A rule that does not hold, and where."""

    path: KeyPath
    what: str


def broken_rules(values: Mapping[str, object]) -> Iterator[Broken]:
    """Every rule over several keys that the values break."""
    yield from _empty_lists(values)
    yield from _agent(_table(values.get("agent")))
    yield from _steps(_table(values.get("workflow")).get("steps"))
    yield from _research(values)
    yield from _review(values)
    yield from _ids("task", "id", _tables(values.get("task")))
    yield from _ids("check", "name", _tables(values.get("check")))
    yield from _number_of_checks(values)
    for index, check in enumerate(_tables(values.get("check"))):
        yield from _protection(("check", index), check)


def _empty_lists(values: Mapping[str, object]) -> Iterator[Broken]:
    if not values.get("task"):
        yield Broken(("task",), "a plan needs at least one task")
    if _table(values.get("scope")).get("paths") == []:
        yield Broken(("scope", "paths"), "scope.paths names nothing; leave it out for the whole tree")
    if _table(values.get("workflow")).get("steps") == []:
        yield Broken(("workflow", "steps"), "workflow.steps needs at least one step")


def _agent(agent: Mapping[str, object]) -> Iterator[Broken]:
    use = agent.get("use")
    needed = _NEEDED_KEY.get(use) if isinstance(use, str) else None
    if needed and not agent.get(needed):
        yield Broken(("agent", "use"), f'agent.use = "{use}" needs the key agent.{needed}')
    for key in ("command", "script"):
        if agent.get(key) and isinstance(use, str) and needed != key:
            yield Broken(("agent", key), f'agent.{key} means nothing with agent.use = "{use}"')


def _steps(steps: object) -> Iterator[Broken]:
    places = [_STEPS.index(step) for step in _list(steps) if step in _STEPS]
    if any(earlier >= later for earlier, later in pairwise(places)):
        yield Broken(("workflow", "steps"), f"workflow.steps: each step once, in the order {', '.join(_STEPS)}")


def _research(values: Mapping[str, object]) -> Iterator[Broken]:
    """Research is for coding: without that, or without the step, its keys would promise what never happens."""
    steps = _list(_table(values.get("workflow")).get("steps"))
    if "research" in steps and "code" not in steps:
        yield Broken(("workflow", "steps"), "workflow.steps: research comes before code, which is missing")
    for key in ("turns", "share"):
        if key in _table(values.get("research")) and "research" not in steps:
            yield Broken(("research", key), f'research.{key} means nothing without "research" in workflow.steps')


def _review(values: Mapping[str, object]) -> Iterator[Broken]:
    """A reviewer that needs a command or a script has the one of `[agent]`; without the step there is none."""
    agent, use = _table(values.get("agent")), _table(values.get("review")).get("use")
    if use is not None and "review" not in _list(_table(values.get("workflow")).get("steps")):
        yield Broken(("review", "use"), 'review.use means nothing without "review" in workflow.steps')
    needed = _NEEDED_KEY.get(use) if isinstance(use, str) else None
    if needed and use != agent.get("use"):
        yield Broken(("review", "use"), f'review.use = "{use}" takes agent.{needed}, so it needs agent.use = "{use}"')


def _ids(table: str, key: str, tables: Sequence[Mapping[str, object]]) -> Iterator[Broken]:
    """No id twice; ids that differ in case alone are one, as they are in folders on some file systems."""
    first: dict[str, int] = {}
    for index, found in enumerate(tables):
        value = found.get(key)
        if not isinstance(value, str):
            continue
        if table == "task" and value in _RESERVED_IDS:
            yield Broken((table, index, key), f"a task cannot be called {value}: claims of a {value} are")
        earlier = first.setdefault(value.casefold(), index)
        if earlier != index:
            yield Broken((table, index, key), f"{table} {index + 1} has the {key} of {table} {earlier + 1}")


def _number_of_checks(values: Mapping[str, object]) -> Iterator[Broken]:
    places: list[KeyPath] = [("check", index) for index, _ in enumerate(_list(values.get("check")))]
    for index, task in enumerate(_tables(values.get("task"))):
        places += [("task", index, "check", number) for number, _ in enumerate(_list(task.get("check")))]
    if len(places) > MAXIMUM_CHECKS:
        what = f"{len(places)} checks, those of the tasks included; a plan has at most {MAXIMUM_CHECKS}"
        yield Broken(places[MAXIMUM_CHECKS], what)


def _protection(path: KeyPath, check: Mapping[str, object]) -> Iterator[Broken]:
    if check.get("protected") is True and not check.get("definitions"):
        yield Broken((*path, "protected"), "a protected check needs definitions: the files to take from the base")
    if check.get("expected_delta") is True and check.get("protected") is not True:
        yield Broken((*path, "expected_delta"), "expected_delta is about the protected run; it needs protected = true")


def _table(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}


def _tables(value: object) -> list[Mapping[str, object]]:
    return [_table(item) for item in _list(value)]


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []
