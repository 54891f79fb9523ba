"""What pydantic found, in the words of the person who wrote the plan."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from unlost.facts.quoting import canonical_json, cut
from unlost.plan.draft import KeyPath, key_name, key_text

_LONGEST_VALUE: Final = 60
_TYPES: Final = {
    "string_type": "text in quotes",
    "bool_type": "true or false",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "tuple_type": "a list in [ ]",
    "model_type": "a table",
    "model_attributes_type": "a table",
}

Context = Mapping[str, Any]


def complaint(kind: str, path: KeyPath, value: object, context: Context, known: Iterable[str]) -> str:
    """One sentence for one pydantic error: its type, its place, the value found, and the keys that place knows."""
    key = key_text(path)
    if kind == "extra_forbidden":
        return _unknown_key(path, known)
    if kind == "missing":
        return f"{key_text(path[:-1]) or 'the plan'} needs the key {key_name(str(path[-1]))}"
    if kind == "tuple_type" and len(path) == 1 and isinstance(value, Mapping):
        return f"{key} must be a list of tables, each written [[{key}]]"
    if kind in _TYPES:
        return f"{key} must be {_TYPES[kind]}"
    if kind in _BOUNDS:
        return f"{key} {_BOUNDS[kind](context)}"
    if kind == "literal_error":
        return f"{key} must be {context['expected']}, not {_shown(value)}"
    reason = str(context.get("error", kind))
    return f"{key} {reason}" if reason.startswith("must") else f"{key}: {reason}"


def _unknown_key(path: KeyPath, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(cut(str(path[-1]), _LONGEST_VALUE), list(known), n=1)
    return f"unknown key {key_text(path)}" + (f"; did you mean {near[0]}?" if near else "")


def _shown(value: object) -> str:
    return cut(canonical_json(value).decode("ascii"), _LONGEST_VALUE) if isinstance(value, str) else "another type"


_BOUNDS: Final[Mapping[str, Callable[[Context], str]]] = {
    "greater_than": lambda context: f"must be more than {context['gt']}",
    "greater_than_equal": lambda context: f"must be at least {context['ge']}",
    "less_than_equal": lambda context: f"must be at most {context['le']}",
    "finite_number": lambda _: "must be a finite number",
    "too_long": lambda context: f"has more than {context['max_length']} entries",
    "string_too_long": lambda context: f"is longer than {context['max_length']} characters",
}
