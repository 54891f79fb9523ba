"""A listener that keeps the line of `status --line` up to date while a unit is driven."""

from __future__ import annotations

from typing import Any

from unlost.agents.protocol import AgentEvent
from unlost.app.status_line import note_boundary, note_unit
from unlost.engine.placing import units_on
from unlost.engine.ports import Listener
from unlost.facts.errors import UnlostError
from unlost.ledger.protocol import Ledger
from unlost.unit.events import BoundaryTaken
from unlost.unit.facts import UnitState
from unlost.unit.fold import fold


class LineNoter:
    """Hands everything on to another listener, and notes what the line tells: boundaries, losses, phases."""

    def __init__(self, listener: Listener, ledger: Ledger, workspace: str, folder: str) -> None:
        self._listener = listener
        self._ledger = ledger
        self._workspace = workspace
        self._folder = folder
        self._state: UnitState | None = None
        self._phase: str | None = None

    def recorded(self, payload: Any) -> None:
        """Hand it on; then note what it changed."""
        self._listener.recorded(payload)
        if isinstance(payload, BoundaryTaken):
            note_boundary(self._folder, payload.n, payload.proof.lost_count + payload.proof.lost_objects)
        try:
            self._note_unit()
        except UnlostError:
            # Whatever keeps the record from being read is told by who drives the unit, not by a picture of it.
            return

    def heard(self, event: AgentEvent) -> None:
        """Hand it on."""
        self._listener.heard(event)

    def noted(self, text: str) -> None:
        """Hand it on."""
        self._listener.noted(text)

    def _note_unit(self) -> None:
        """The newest unit is the one that is driven: a workspace has no second open one."""
        if self._state is None:
            units = units_on(self._ledger, self._workspace)
            state = fold(self._ledger.read(units[-1])) if units else None
        else:
            state = fold(self._ledger.read(self._state.unit, after=self._state.sequence), self._state)
        self._state = state
        if state is not None and state.phase != self._phase:
            self._phase = state.phase
            note_unit(self._folder, state.unit, None if state.over else state.phase)
