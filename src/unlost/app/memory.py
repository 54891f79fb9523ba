"""Units kept folded on disk, so that looking at many of them reads and folds only what is new.

A memory is a cache: it names the event up to which it goes by number and digest, and the version that made it. When
one of these does not fit, or it cannot be read, everything is read, proven and folded again. Only looking uses it:
whoever drives a unit reads its whole stream and proves all of it.
"""

from __future__ import annotations

import json
import os
from typing import Any, Final

from unlost.facts.quoting import canonical_json
from unlost.facts.records import dataclass
from unlost.facts.version import VERSION
from unlost.host.reading import read_regular, write_atomically
from unlost.ledger.events import Event
from unlost.ledger.payload import decoder, encoder
from unlost.ledger.protocol import Ledger, StreamDamaged
from unlost.unit.facts import UnitState
from unlost.unit.fold import fold
from unlost.unit.questions import as_of
from unlost.unit.report import unit_document

_SCHEMA: Final = f"unlost.remembered/1 {VERSION}"
_LARGEST: Final = 64 << 20
_WORTH_KEEPING: Final = 20
"""New events that are worth a write; a unit that is over is kept at once."""


@dataclass(frozen=True, kw_only=True)
class Remembered:
    """A unit as it was after one event; `state` is its folded state as JSON text, which most looks do not need."""

    sequence: int
    digest: str
    document: dict[str, Any]
    state: str


@dataclass(frozen=True, kw_only=True)
class UnitMemory:
    """The units of one ledger, remembered in a folder of the state home."""

    folder: str

    def document(self, ledger: Ledger, unit: str, now: float) -> dict[str, Any] | None:
        """The document of a unit as it is now; None when its stream is empty. Raises StreamDamaged."""
        known = self._known(unit)
        newer = None if known is None else _since(ledger, unit, known)
        if known is None or newer is None:
            events = ledger.read(unit)
            return self._told(fold(events), events, now, kept=0)
        if not newer and known.document["phase"] != "parked":
            return known.document
        try:
            state: UnitState = decoder(UnitState)(json.loads(known.state))
        except (ValueError, TypeError):
            events = ledger.read(unit)
            return self._told(fold(events), events, now, kept=0)
        return self._told(fold(newer, state), newer, now, kept=known.sequence)

    def _told(
        self, state: UnitState | None, events: tuple[Event, ...], now: float, *, kept: int
    ) -> dict[str, Any] | None:
        if state is None:
            return None
        worth = state.sequence - kept > _WORTH_KEEPING or (state.over and state.sequence > kept)
        if worth and events:
            self._keep(state, events[-1].digest)
        return unit_document(as_of(state, now))

    def _known(self, unit: str) -> Remembered | None:
        data = read_regular(self._file(unit), _LARGEST)
        if data is None:
            return None
        try:
            value = json.loads(data)
            if value.pop("schema") != _SCHEMA or value["document"]["unit"] != unit:
                return None
            return Remembered(**value)
        except (ValueError, TypeError, KeyError, AttributeError):
            return None

    def _keep(self, state: UnitState, digest: str) -> None:
        os.makedirs(self.folder, mode=0o700, exist_ok=True)
        facts = {
            "schema": _SCHEMA,
            "sequence": state.sequence,
            "digest": digest,
            "document": unit_document(state),
            "state": canonical_json(encoder(UnitState)(state)).decode("ascii"),
        }
        # Not in sorted keys, as the ledger has it: a document keeps the order of the contract.
        write_atomically(self._file(state.unit), json.dumps(facts).encode("ascii"))

    def _file(self, unit: str) -> str:
        return os.path.join(self.folder, f"{unit}.json")


def _since(ledger: Ledger, unit: str, known: Remembered) -> tuple[Event, ...] | None:
    """The events after those that are remembered; None when the stream does not hold what is remembered."""
    try:
        events = ledger.read(unit, after=known.sequence - 1)
    except StreamDamaged:
        return None  # reading everything will name what is damaged
    if not events or (events[0].sequence, events[0].digest) != (known.sequence, known.digest):
        return None
    return events[1:]
