"""New random ids; the only source of chance in unlost."""

from __future__ import annotations

import os
from collections.abc import Callable

NewId = Callable[[str], str]
"""Given a kind (`u`, `w`, `q`, …), returns a fresh id such as `u-3f9c2a7b1d04`."""


def new_id(kind: str) -> str:
    """A fresh id of 48 random bits: the kind, a dash, 12 hex digits."""
    return f"{kind}-{os.urandom(6).hex()}"


def new_nonce() -> str:
    """128 random bits as hex: for fences and secret URLs, where nobody may guess the value."""
    return os.urandom(16).hex()
