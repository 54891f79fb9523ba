"""One unit's stream as the engine holds it: its events, their fold, the plan in force, and appending to it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from unlost.facts.errors import UsageError
from unlost.ledger.events import Event, NewEvent
from unlost.ledger.protocol import Fence, Ledger, StreamDamaged
from unlost.plan.digest import plan_digest, plan_from_normal_form
from unlost.plan.facts import Plan
from unlost.unit.events import EVENTS
from unlost.unit.facts import UnitState
from unlost.unit.fold import fold
from unlost.unit.repairs import with_repairs


class UnitStream:
    """The record of one unit, kept up to date by what is appended here and what others append meanwhile.

    With a `fence` it is a writer's: once another one takes the workspace over, nothing more is recorded (FencedOut).
    """

    def __init__(self, ledger: Ledger, unit: str, fence: Fence | None = None) -> None:
        self.unit = unit
        self.fence = fence
        self._ledger = ledger
        self._state: UnitState | None = None
        self._plans: dict[int, tuple[Plan, str | None]] = {}

    @property
    def state(self) -> UnitState:
        """The state after the events read so far. Raises UsageError for a unit that does not exist."""
        if self._state is None and self.read() is None:
            raise UsageError(f"there is no unit {self.unit}", hint="unlost status")
        assert self._state is not None
        return self._state

    @property
    def approved(self) -> Plan:
        """The plan in force as a person approved it, proven against its digest."""
        return self._admission()[0]

    @property
    def plan(self) -> Plan:
        """The plan in force as the unit carries it out: the approved one, and a task for each repair round."""
        return with_repairs(self.approved, self.state)

    @property
    def note(self) -> str | None:
        """The operator's note of this revision."""
        return self._admission()[1]

    def read(self) -> UnitState | None:
        """Take in what was appended since; None when there is nothing at all."""
        after = self._state.sequence if self._state is not None else 0
        self._state = fold(self._ledger.read(self.unit, after=after), self._state)
        return self._state

    def intend(self, key: str, payload: object, *, body: bytes | None = None) -> None:
        """Record an intent, decided from this very state. Raises StreamMoved: then decide again; nothing was done."""
        event = EVENTS.new(payload, key=key, body=body)
        self._ledger.append(self.unit, [event], expect=self.state.sequence, fence=self.fence)
        self.read()

    def record(self, *events: NewEvent) -> tuple[Event, ...]:
        """Record outcomes, together or not at all, whatever a person may have said meanwhile."""
        stored = self._ledger.append(self.unit, events, fence=self.fence)
        self.read()
        return stored

    def body(self, sequence: int) -> bytes:
        """The private body of an event that has one."""
        body = self._ledger.body(self.unit, sequence)
        if body is None:
            raise StreamDamaged(self.unit, f"event {sequence} has no private body")
        return body

    def remains(self, sequence: int) -> Mapping[str, Any]:
        """The private body of an event, read as the JSON object it holds."""
        return json_object(self.unit, self.body(sequence))

    def _admission(self) -> tuple[Plan, str | None]:
        sequence = self.state.plan
        if sequence not in self._plans:
            value = self.remains(sequence)
            try:
                plan, note = plan_from_normal_form(value["plan"]), value["note"]
            except (KeyError, ValueError) as error:
                raise StreamDamaged(self.unit, f"the plan of event {sequence} does not read: {error}") from error
            if plan_digest(plan) != self.state.digest:
                raise StreamDamaged(self.unit, f"the plan of event {sequence} is not the one that was approved")
            self._plans[sequence] = (plan, note)
        return self._plans[sequence]


def json_object(unit: str, body: bytes) -> Mapping[str, Any]:
    """The JSON object that a private body holds."""
    try:
        value = json.loads(body)
    except ValueError as error:
        raise StreamDamaged(unit, "a private body is not JSON") from error
    if not isinstance(value, dict):
        raise StreamDamaged(unit, "a private body is not a JSON object")
    return value
