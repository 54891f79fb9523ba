"""The id of a ledger: given once, the same for everybody, another one for another ledger."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import pytest
from ledger.conftest import OpenLedger

from unlost.ledger.events import Event, NewEvent
from unlost.ledger.instance import STREAM, instance_of
from unlost.ledger.protocol import Ledger, StreamDamaged

NUMBERS = itertools.count()


def fresh(kind: str) -> str:
    return f"{kind}-{next(NUMBERS)}"


def test_a_ledger_is_named_once(reopen: OpenLedger) -> None:
    """R.31: asked again, also after it was opened anew, a ledger has the id that it was first given."""
    first = instance_of(reopen(), fresh)

    assert instance_of(reopen(), fresh) == first
    assert first.startswith("l-")


def test_who_names_it_second_gets_the_first_name(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two processes that ask at the same moment get one id."""
    real = ledger.append

    def slower(stream: str, events: Sequence[NewEvent], *, expect: int | None = None) -> tuple[Event, ...]:
        real(STREAM, [NewEvent(kind="ledger.named", key="named", facts={"id": "l-first"})])
        return real(stream, events, expect=expect)

    monkeypatch.setattr(ledger, "append", slower)

    assert instance_of(ledger, fresh) == "l-first"


def test_a_stream_that_names_nothing_is_damaged(ledger: Ledger) -> None:
    """Something else in its place is no id: it is told, not taken for one."""
    ledger.append(STREAM, [NewEvent(kind="ledger.named", key="named", facts={"id": 7})])

    with pytest.raises(StreamDamaged):
        instance_of(ledger, fresh)
