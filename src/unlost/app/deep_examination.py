"""`unlost doctor --deep`: read the whole record and every snapshot store, and say what is not whole."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Final

from unlost.app.doctor import Finding
from unlost.facts.errors import UnlostError
from unlost.git.call import Git, GitFailed
from unlost.host.clock import SystemClock
from unlost.ledger.protocol import Ledger, StreamDamaged
from unlost.ledger.registry import open_ledger
from unlost.settings import Settings

_STORE: Final = "store.git"
_KEPT_WORDS: Final = 200


def examine_deeply(settings: Settings) -> Iterator[Finding]:
    """A finding for the record and one for each store; what is damaged is named, and nothing is repaired."""
    if not os.path.isdir(settings.home):
        return
    try:
        ledger = open_ledger(settings.ledger, SystemClock())
    except UnlostError as error:
        yield Finding(name="record", level="problem", message=error.message, hint=error.hint)
    else:
        yield from _examine_record(ledger)
        ledger.close()
    stores = os.path.join(settings.home, "stores")
    for name in sorted(os.listdir(stores)) if os.path.isdir(stores) else ():
        yield examine_store(os.path.join(stores, name), name)


def examine_store(folder: str, name: str) -> Finding:
    """Whether every object of a store is there and holds what its name says."""
    place = os.path.join(folder, _STORE)
    try:
        Git(place, home=folder).run("fsck", "--full", "--no-dangling", "--no-progress")
    except GitFailed as error:
        message = f"{name} is damaged: {error.stderr[:_KEPT_WORDS]}"
        hint = "snapshots that do not need the named objects can still be restored"
        return Finding(name="store", level="problem", message=message, hint=hint, place=place)
    return Finding(name="store", level="ok", message=f"{name} is whole", place=place)


def _examine_record(ledger: Ledger) -> Iterator[Finding]:
    """Each damaged stream by name, then how many are whole: every row is held against its hash chain."""
    whole = 0
    for stream in ledger.streams():
        try:
            for event in ledger.read(stream):
                ledger.body(stream, event.sequence)
        except StreamDamaged as error:
            hint = "snapshots and restore still work; `unlost restore PATH --from SNAPSHOT` needs no record"
            yield Finding(name="record", level="problem", message=f"{stream}: {error.what}", hint=hint)
        else:
            whole += 1
    yield Finding(name="record", level="ok", message=f"streams that are whole: {whole:,}")
