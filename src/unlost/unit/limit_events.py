"""The events of a wait for a provider's limit: durable, so that whoever drives the unit next waits on."""

from __future__ import annotations

from typing import Final

from unlost.facts.records import dataclass
from unlost.ledger.payload import Declared


@dataclass(frozen=True, kw_only=True, slots=True)
class LimitAwaited:
    """The unit waits by itself until this moment, in seconds since 1970: the plan allows it, the deadline is later."""

    until: float


@dataclass(frozen=True, kw_only=True, slots=True)
class LimitPassed:
    """The moment has come; the unit goes on."""


KINDS: Final = {
    "limit.awaited": Declared(payload=LimitAwaited),
    "limit.passed": Declared(payload=LimitPassed),
}
