"""A plan as the text of a TOML file that reads as exactly that plan: keys that stand at their default are left out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from unlost.facts.records import fields
from unlost.plan.build import TABLES
from unlost.plan.facts import Check, Plan, Task

_DURATIONS: Final = frozenset({"deadline", "idle", "grace", "max_wait", "answer_timeout", "timeout"})
_LONG: Final = 100


def plan_toml(plan: Plan, *, head: str = "") -> str:
    """The text of the plan; `head` stands above it as a comment."""
    parts = [f"# {line}".rstrip() for line in head.split("\n") if head]
    parts += [f"title = {_quoted(plan.title)}", f"goal = {_prose(plan.goal)}"]
    for name, kind in TABLES.items():
        keys = list(_keys(getattr(plan, name), kind()))
        if keys:
            parts += ["", f"[{name}]", *keys]
    for task in plan.tasks:
        parts += ["", "[[task]]", *_task(task)]
    for check in plan.checks:
        parts += ["", "[[check]]", *_keys(check, Check(name="", run=()))]
    return "\n".join(parts) + "\n"


def _task(task: Task) -> Iterator[str]:
    yield f"id = {_quoted(task.id)}"
    yield f"text = {_prose(task.text)}"
    for name in ("acceptance", "paths", "reverts"):
        if getattr(task, name):
            yield f"{name} = {_value(name, getattr(task, name))}"
    if task.checks:
        yield f"check = {_value('check', tuple(check.run for check in task.checks))}"


def _keys(table: Any, default: Any) -> Iterator[str]:
    """The keys of a table that differ from its default."""
    for each in fields(table):
        value = getattr(table, each.name)
        if value != getattr(default, each.name):
            yield f"{each.name} = {_value(each.name, value)}"


def _value(name: str, value: Any) -> str:
    if name in _DURATIONS:
        return '"never"' if value is None else _seconds(value)
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return _quoted(value)
        case int() | float():
            return repr(value)
        case tuple():
            return _list(name, value)
    raise TypeError(f"{name}: {value!r} is no value of a plan")


def _list(name: str, items: tuple[Any, ...]) -> str:
    told = [_value(name, item) for item in items]
    line = f"[{', '.join(told)}]"
    if len(line) <= _LONG and "\n" not in line:
        return line
    return "[\n" + "".join(f"  {item},\n" for item in told) + "]"


def _prose(text: str) -> str:
    """Text for people: several lines stand as they are read; the blanks at its ends mean nothing, so one may be added.

    What hides or reorders text is in no plan, so backslashes and three quotes in a row are all that is to be escaped.
    """
    if "\n" not in text:
        return _quoted(text)
    body = text.replace("\\", "\\\\").replace('"""', '""\\"')
    return f'"""\n{body}\n"""'


def _quoted(text: str) -> str:
    # JSON's escapes are TOML's, but for the one that JSON may leave out and TOML demands.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _seconds(seconds: float) -> str:
    """A duration in seconds: larger units would round."""
    return f'"{seconds:f}'.rstrip("0").rstrip(".") + 's"'
