"""The id of a ledger: what tells a record of this one from a record that came from another (C, "Instance").

It is an event like any other, so it travels with the ledger and needs no schema of its own.
"""

from __future__ import annotations

import contextlib
from typing import Final

from unlost.host.ids import NewId
from unlost.ledger.events import NewEvent
from unlost.ledger.protocol import KeyTaken, Ledger, StreamDamaged

STREAM: Final = "ledger"
_KIND: Final = "ledger.named"


def instance_of(ledger: Ledger, new_id: NewId) -> str:
    """The id of a ledger, given to it when it is first asked for; who asks at the same time gets the same one.

    Raises StreamDamaged, and what ledgers raise.
    """
    if not ledger.read(STREAM):
        # Somebody may name it between our two calls: then that name counts.
        with contextlib.suppress(KeyTaken):
            ledger.append(STREAM, [NewEvent(kind=_KIND, key="named", facts={"id": new_id("l")})])
    named = ledger.read(STREAM)[0].facts.get("id")
    if not isinstance(named, str):
        raise StreamDamaged(STREAM, "its first event does not name the ledger")
    return named
