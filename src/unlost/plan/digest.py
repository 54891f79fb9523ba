"""The normal form of a plan, the digest that names it, and the way back.

The digest is the sha256 of the canonical JSON of the normal form: every key with its value, defaults
written out. So it depends neither on formatting nor on whether the plan was TOML, Markdown or `--goal`,
and it binds exactly what was approved (N.R5, N.22).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from unlost.facts.quoting import canonical_json
from unlost.facts.records import asdict
from unlost.plan import facts
from unlost.plan.build import TABLES

NormalForm = dict[str, Any]


def normal_form(plan: facts.Plan) -> NormalForm:
    """The plan as JSON values; durations are seconds. The ledger keeps it."""
    return {key: _plain(value) for key, value in asdict(plan).items()}


def plan_digest(plan: facts.Plan) -> str:
    """The sha256 of the plan's normal form, as 64 hex digits."""
    return hashlib.sha256(canonical_json(normal_form(plan))).hexdigest()


def plan_from_normal_form(form: Mapping[str, object]) -> facts.Plan:
    """The plan that `normal_form` was made of. Raises ValueError for a form with missing or unknown keys."""
    values = _frozen(form)
    try:
        tables = {name: kind(**values.pop(name)) for name, kind in TABLES.items()}
        tasks = tuple(facts.Task(**{**task, "checks": _checks(task["checks"])}) for task in values.pop("tasks"))
        return facts.Plan(tasks=tasks, checks=_checks(values.pop("checks")), **tables, **values)
    except (KeyError, TypeError) as error:
        raise ValueError(f"not the normal form of a plan: {error}") from error


def _checks(forms: tuple[Mapping[str, Any], ...]) -> tuple[facts.Check, ...]:
    return tuple(facts.Check(**form) for form in forms)


def _plain(value: Any) -> Any:
    """Tuples as lists, as JSON has them."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value


def _frozen(value: Any) -> Any:
    """Lists as tuples, as facts have them."""
    if isinstance(value, Mapping):
        return {key: _frozen(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return tuple(_frozen(item) for item in value)
    return value
