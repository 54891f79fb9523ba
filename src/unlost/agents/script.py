"""A script for an agent without a model: TOML steps, so that tests and the demo are the same run each time.

    [[step]]
    do = "edit"
    path = "src/cli.py"
    before = "old"
    after = "new"
    only = { task = "swap-call-sites", attempt = 1, step = "code" }     # each a value or a list; all must fit
    on = "cancel"                                                       # played when the agent is asked to end

One script serves a whole plan: `only` picks the steps by what the attempt is for.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from typing import Any, Final

from unlost.facts.errors import FileInvalid, Problem
from unlost.facts.records import dataclass

_Fields = Mapping[str, tuple[type, ...]]

_REQUIRED: Final[Mapping[str, _Fields]] = {
    "write": {"path": (str,), "text": (str,)},
    "edit": {"path": (str,), "before": (str,), "after": (str,)},
    "delete": {"path": (str,)},
    "shell": {"run": (str, list)},
    "git": {"args": (list,)},
    "wait_for": {"path": (str,)},
    "say": {"text": (str,)},
    "tool": {},
    "usage": {},
    "ask": {"question": (str,)},
    "handoff": {"value": (dict, str)},
    "research": {"value": (dict, str)},
    "findings": {"value": (dict, str)},
    "report": {"outcome": (str,)},
    "crash": {},
    "exit": {},
}
_OPTIONAL: Final[Mapping[str, _Fields]] = {
    "write": {"executable": (bool,)},
    "shell": {"may_fail": (bool,)},
    "git": {"may_fail": (bool,)},
    "wait_for": {"seconds": (int, float)},
    "tool": {"name": (str,), "times": (int,)},
    "usage": {"tokens": (int,), "cost_usd": (int, float)},
    "report": {"reason": (str,), "paths": (list,)},
    "crash": {"signal": (int,)},
    "exit": {"code": (int,)},
}
_FILTERS: Final[_Fields] = {"task": (str,), "attempt": (int,), "step": (str,)}


@dataclass(frozen=True, kw_only=True)
class Occasion:
    """What an attempt is for, as `only` names it."""

    task: str
    attempt: int
    step: str


@dataclass(frozen=True, kw_only=True)
class Step:
    """One thing the agent does; `fields` are those of its kind, `number` its place in the script from 1."""

    number: int
    kind: str
    fields: Mapping[str, Any]
    only: Mapping[str, Any]
    on_cancel: bool

    def fits(self, occasion: Occasion) -> bool:
        """Whether this step is played on an occasion."""
        for name, wanted in self.only.items():
            values = wanted if isinstance(wanted, list) else [wanted]
            if getattr(occasion, name) not in values:
                return False
        return True


def parse_script(data: bytes, *, name: str) -> tuple[Step, ...]:
    """The steps of a script. Raises FileInvalid naming every fault at once."""
    try:
        document = tomllib.loads(data.decode("utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise FileInvalid(f"{name} is not TOML", problems=(Problem(line=None, what=str(error)),)) from error
    problems = [f"unknown key {key!r}" for key in document.keys() - {"step"}]
    tables = document.get("step", [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        problems, tables = [*problems, "`step` is not a list of tables: write [[step]]"], []
    for number, table in enumerate(tables, 1):
        problems += [f"step {number}: {fault}" for fault in _faults(table)]
    if problems:
        raise FileInvalid(
            f"{name} is no script for an agent",
            problems=tuple(Problem(line=None, what=problem) for problem in problems),
        )
    return tuple(_step(number, table) for number, table in enumerate(tables, 1))


def _step(number: int, table: Mapping[str, Any]) -> Step:
    fields = {key: value for key, value in table.items() if key not in {"do", "only", "on"}}
    return Step(number=number, kind=table["do"], fields=fields, only=table.get("only", {}), on_cancel="on" in table)


def _faults(table: Mapping[str, Any]) -> list[str]:
    kind = table.get("do")
    if not isinstance(kind, str) or kind not in _REQUIRED:
        return [f"`do` is none of {', '.join(_REQUIRED)}"]
    required, optional = _REQUIRED[kind], _OPTIONAL.get(kind, {})
    faults = [f"{kind} needs `{key}`" for key in required if key not in table]
    known = {**required, **optional, "do": (str,), "only": (dict,), "on": (str,)}
    for key, value in table.items():
        if key not in known:
            faults.append(f"{kind} knows no `{key}`")
        elif not _is_one_of(value, known[key]):
            faults.append(f"`{key}` is not {' or '.join(kind.__name__ for kind in known[key])}")
    if table.get("on", "cancel") != "cancel":
        faults.append('`on` can only be "cancel"')
    return [*faults, *_filter_faults(table.get("only", {}))]


def _filter_faults(only: object) -> list[str]:
    faults = []
    for key, wanted in only.items() if isinstance(only, dict) else ():
        values = wanted if isinstance(wanted, list) else [wanted]
        if key not in _FILTERS or not all(_is_one_of(value, _FILTERS[key]) for value in values):
            faults.append(f"`only` picks by task (text), attempt (number) or step (text), not by {key} = {wanted!r}")
    return faults


def _is_one_of(value: object, kinds: tuple[type, ...]) -> bool:
    """As `isinstance`, but a truth value is no number."""
    return isinstance(value, kinds) and (not isinstance(value, bool) or bool in kinds)
