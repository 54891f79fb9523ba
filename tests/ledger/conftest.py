"""Every ledger adapter, as the contract suite opens it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from kit.hand_clock import HandClock
from kit.memory_ledger import MemoryLedger, MemoryRows
from kit.postgres import PostgresServer, running_server

from unlost.ledger.protocol import Ledger
from unlost.ledger.registry import open_ledger

OpenLedger = Callable[[], Ledger]
ADAPTERS = ["sqlite", "memory", pytest.param("postgres", marks=[pytest.mark.service, pytest.mark.slow])]


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    with running_server() as server:
        yield server


@pytest.fixture(params=["sqlite"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where the ledger of this test is; contract tests ask for every adapter."""
    if request.param == "sqlite":
        return str(tmp_path / "home" / "ledger.sqlite")
    if request.param == "memory":
        return "memory"
    server: PostgresServer = request.getfixturevalue("postgres")
    return server.new_database()


@pytest.fixture
def reopen(url: str, clock: HandClock) -> Iterator[OpenLedger]:
    """Opens the same ledger once more, as another process would."""
    opened: list[Ledger] = []
    rows = MemoryRows()

    def again() -> Ledger:
        opened.append(MemoryLedger(rows, clock) if url == "memory" else open_ledger(url, clock))
        return opened[-1]

    yield again
    for ledger in opened:
        ledger.close()


@pytest.fixture
def ledger(reopen: OpenLedger) -> Ledger:
    return reopen()
