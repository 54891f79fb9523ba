"""Read an agent's JSON lines without trusting them: whatever is missing or absurd is None or empty, never an error."""

from __future__ import annotations

import json
import math
from typing import Any

_LARGEST = 1e15


def read_object(line: bytes) -> dict[str, Any] | None:
    """The JSON object that the line is, else None."""
    if not line.lstrip().startswith(b"{"):
        return None
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def text(value: dict[str, Any], key: str) -> str:
    """A text, else the empty one."""
    found = value.get(key)
    return found if isinstance(found, str) else ""


def table(value: dict[str, Any], key: str) -> dict[str, Any]:
    """An object, else an empty one."""
    found = value.get(key)
    return found if isinstance(found, dict) else {}


def tables(value: dict[str, Any], key: str) -> list[dict[str, Any]]:
    """The objects of a list; anything else in it is left out."""
    found = value.get(key)
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def number(value: dict[str, Any], key: str) -> float | None:
    """A number from zero up, else None: an absurd one is unknown, never a credit."""
    found = value.get(key)
    if isinstance(found, bool) or not isinstance(found, int | float) or math.isnan(found) or not 0 <= found < _LARGEST:
        return None
    return float(found)


def whole(value: dict[str, Any], key: str) -> int:
    """A count from zero up; one that is missing or absurd is 0."""
    return int(number(value, key) or 0)
