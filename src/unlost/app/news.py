"""What happened in a workspace since a person last looked: a mark for each person, and what units did behind it.

The mark is a file of the state home; only a look by a person moves it, never a script's.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from typing import Any, Final

from unlost.app.units import ListedUnit
from unlost.facts.records import dataclass
from unlost.host.reading import read_regular, write_atomically
from unlost.ledger.protocol import Ledger, StreamDamaged
from unlost.unit.attempt_events import TaskSettled
from unlost.unit.events import EVENTS
from unlost.unit.facts import FINISHED

_LARGEST: Final = 1 << 12


@dataclass(frozen=True, kw_only=True)
class UnitNews:
    """What a unit did: the tasks that were finished and that were given up, and where it stands now."""

    unit: str
    title: str
    finished: tuple[str, ...]
    failed: tuple[str, ...]
    phase: str
    reason: str | None

    def to_json(self) -> dict[str, Any]:
        """One of `happened` in `unlost.status/1`."""
        return {
            "unit": self.unit,
            "finished": list(self.finished),
            "failed": list(self.failed),
            "phase": self.phase,
            "reason": self.reason,
        }


def last_look(folder: str) -> float | None:
    """When this person last looked at the workspace that `folder` belongs to; None when they never did."""
    data = read_regular(_file(folder), _LARGEST)
    try:
        at = None if data is None else json.loads(data)["at"]
    except (ValueError, KeyError, TypeError):
        # A damaged note costs only the news of one look.
        return None
    return float(at) if isinstance(at, int | float) else None


def note_look(folder: str, now: float) -> None:
    """This person has looked now."""
    write_atomically(_file(folder), json.dumps({"at": now}).encode("ascii"))


def news_of_units(ledger: Ledger, units: Iterable[ListedUnit], since: float) -> tuple[UnitNews, ...]:
    """Every unit of which something was recorded behind that moment; damaged ones are told elsewhere."""
    found = []
    for unit in units:
        try:
            events = [event for event in ledger.read(unit.id) if event.at > since]
        except StreamDamaged:
            continue
        if not events:
            continue
        payloads = [EVENTS.payload(event) for event in events]
        settled = [payload for payload in payloads if isinstance(payload, TaskSettled)]
        found.append(
            UnitNews(
                unit=unit.id,
                title=unit.document["title"],
                finished=tuple(each.task for each in settled if each.state in FINISHED),
                failed=tuple(each.task for each in settled if each.state not in FINISHED),
                phase=unit.phase,
                reason=unit.document["reason"],
            )
        )
    return tuple(found)


def _file(folder: str) -> str:
    """A state home can be shared, so each user has a mark of their own."""
    return os.path.join(folder, f"looked-{os.getuid()}.json")
