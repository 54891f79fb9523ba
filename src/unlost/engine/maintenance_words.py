"""The words that all parts of a maintenance action share."""

from __future__ import annotations


def key_of(number: int) -> str:
    """The key that names an action in its unit's stream."""
    return f"maintenance {number}"
