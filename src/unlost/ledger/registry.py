"""Which module keeps a ledger in which database, and the one function that opens it."""

from __future__ import annotations

from typing import Final, cast

from unlost.facts.errors import UsageError
from unlost.host.clock import Clock
from unlost.host.doors import open_door
from unlost.ledger.protocol import Ledger

ADAPTERS: Final = {"sqlite": "unlost.ledger.sqlite", "postgres": "unlost.ledger.postgres"}


def open_ledger(url: str, clock: Clock, *, upgrade: bool = False) -> Ledger:
    """The ledger at a database URL: `sqlite:PATH`, a bare absolute path, or `postgresql://…`.

    Raises UsageError for another URL or a missing extra, LedgerUnavailable, NeedsPerson (older schema).
    """
    if url.startswith("/"):
        adapter, location = "sqlite", url
    elif url.startswith("sqlite:"):
        adapter, location = "sqlite", url.removeprefix("sqlite:").replace("///", "/", 1)
    elif url.startswith(("postgres://", "postgresql://")):
        adapter, location = "postgres", url
    else:
        raise UsageError("a ledger is a file or a postgresql:// URL", hint="unset UNLOST_LEDGER to use the default")
    module = open_door(ADAPTERS, adapter)
    return cast("Ledger", module.open_ledger(location, clock, upgrade=upgrade))
