"""Every ledger adapter, as the contract suite opens it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from kit.hand_clock import HandClock

from unlost.ledger.protocol import Ledger
from unlost.ledger.registry import open_ledger

OpenLedger = Callable[[], Ledger]


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def reopen(tmp_path: Path, clock: HandClock) -> Iterator[OpenLedger]:
    """Opens the same ledger once more, as another process would."""
    opened: list[Ledger] = []

    def again() -> Ledger:
        opened.append(open_ledger(str(tmp_path / "home" / "ledger.sqlite"), clock))
        return opened[-1]

    yield again
    for ledger in opened:
        ledger.close()


@pytest.fixture
def ledger(reopen: OpenLedger) -> Ledger:
    return reopen()
