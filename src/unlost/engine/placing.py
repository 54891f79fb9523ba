"""Which units a workspace has had: one small stream beside theirs, so that nobody reads a thousand others to know."""

from __future__ import annotations

from typing import Final

from unlost.ledger.events import NewEvent
from unlost.ledger.protocol import Ledger

_KIND: Final = "unit.placed"


def place_unit(ledger: Ledger, workspace: str, unit: str) -> None:
    """Note that a unit is about to be admitted on a workspace; noting it twice is harmless."""
    ledger.append(_stream(workspace), [NewEvent(kind=_KIND, key=unit)])


def units_on(ledger: Ledger, workspace: str) -> tuple[str, ...]:
    """The units of a workspace, oldest first; one whose admission was interrupted has an empty stream."""
    return tuple(event.key for event in ledger.read(_stream(workspace)))


def _stream(workspace: str) -> str:
    return f"units-{workspace}"
