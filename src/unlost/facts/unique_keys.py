"""JSON objects from outside whose keys stand once: the second of two could hide what a reader saw in the first."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

_SHOWN: Final = 60


def unique_keys(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """For `json.loads(..., object_pairs_hook=...)`: the object; raises ValueError for a key that stands twice."""
    value: dict[str, Any] = {}
    for key, part in pairs:
        if key in value:
            raise ValueError(f"the key {key[:_SHOWN]!r} stands twice")
        value[key] = part
    return value
