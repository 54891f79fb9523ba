"""What an attempt has used, and whether that is more than it may."""

from __future__ import annotations

from unlost.agents.protocol import AgentEvent, Started, ToolCall, Usage
from unlost.attempt.facts import Caps, EndReason
from unlost.facts.records import dataclass, field


@dataclass(frozen=True, kw_only=True)
class Spent:
    """What the agent's events tell so far; idle and wall-clock time are the shim's to measure."""

    turns: int = 0
    usage: Usage = field(default_factory=Usage)
    session: str | None = None


class Meter:
    """Folds events into what was spent. Calls are counted by id: an agent may announce one several times."""

    def __init__(self) -> None:
        self._calls: set[str] = set()
        self._usage = Usage()
        self._session: str | None = None

    def note(self, event: AgentEvent) -> None:
        """Take one event into account."""
        match event:
            case ToolCall(call=call):
                self._calls.add(call)
            case Usage(tokens=tokens, cost_usd=cost):
                known = self._usage
                self._usage = Usage(
                    tokens=known.tokens if tokens is None else tokens,
                    cost_usd=known.cost_usd if cost is None else cost,
                )
            case Started(session=session):
                self._session = session or self._session

    def spent(self) -> Spent:
        """The totals of this attempt."""
        return Spent(turns=len(self._calls), usage=self._usage, session=self._session)


def cap_reached(caps: Caps, spent: Spent) -> EndReason | None:
    """The first cap that is used up; None while none is.

    An agent may make its last call and end: turns are over when one more begins. Tokens and cost are known only
    after they were spent, so they are over when the cap is met.
    """
    if caps.turns and spent.turns > caps.turns:
        return "turns"
    if caps.tokens and (spent.usage.tokens or 0) >= caps.tokens:
        return "tokens"
    if caps.cost_usd and (spent.usage.cost_usd or 0.0) >= caps.cost_usd:
        return "cost"
    return None
