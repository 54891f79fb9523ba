"""Letting go of old snapshots: `unlost gc` over every store of this machine, and a little of it after a command.

What claims, open units and undo need stays; where a record cannot be read, everything stays. The record hears of a
boundary's end before its snapshot goes.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final

from unlost.app.store_keeping import StoreKeeper
from unlost.facts.errors import UnlostError
from unlost.facts.records import dataclass
from unlost.host.clock import Clock
from unlost.host.folders import Folder
from unlost.host.reading import write_atomically
from unlost.host.writing import remove_tree
from unlost.ledger.protocol import Ledger
from unlost.settings import Settings
from unlost.snapshot.repacking import TENDED, size_of
from unlost.snapshot.retention import collect, forget_snapshots, overdue, tend

_LONGEST_LOOK: Final = 3600.0
"""Seconds; no command looks into a repository for longer."""


@dataclass(frozen=True, kw_only=True)
class StoreCollected:
    """What became of one store; `left_alone` says why nothing was done. A dry run knows no sizes."""

    store: str
    workspaces: tuple[str, ...]
    dropped: int
    size_before: int = 0
    size_after: int = 0
    over: int = 0
    left_alone: str | None = None


@dataclass(frozen=True, kw_only=True)
class Gathered:
    """The answer of `gc`."""

    stores: tuple[StoreCollected, ...]
    dry_run: bool

    def to_json(self) -> dict[str, Any]:
        """`unlost.gc/1`; sizes in bytes."""
        return {
            "schema": "unlost.gc/1",
            "dropped": sum(each.dropped for each in self.stores),
            "freed": sum(each.size_before - each.size_after for each in self.stores),
            "bytes": sum(each.size_after for each in self.stores),
            "dry_run": self.dry_run,
            "stores": [
                {
                    "store": each.store,
                    "workspaces": list(each.workspaces),
                    "dropped": each.dropped,
                    "bytes_before": each.size_before,
                    "bytes_after": each.size_after,
                    "over": each.over,
                    "left_alone": each.left_alone,
                }
                for each in self.stores
            ],
        }


def collect_all(settings: Settings, ledger: Ledger, clock: Clock, *, dry_run: bool = False) -> Gathered:
    """Let go of what outlived its time, and of what is worth least while a store is over its budget, in every store.

    A store whose locks are held, or that git cannot repack, is left alone and named.
    """
    stores = os.path.join(settings.home, "stores")
    names = sorted(os.listdir(stores)) if os.path.isdir(stores) else []
    found = [_collected(os.path.join(stores, name), settings, ledger, clock, dry_run=dry_run) for name in names]
    if not dry_run:
        _sweep_looks(settings.home, clock.now())
    return Gathered(stores=tuple(found), dry_run=dry_run)


def tend_store(folder: str, settings: Settings, ledger: Ledger, clock: Clock) -> None:
    """What a command does for its store on its way out: two seconds at most.

    An error of it is nobody's business here: `unlost gc` tells it.
    """
    with _store(folder, settings, ledger, clock) as keeper:
        try:
            write_atomically(os.path.join(folder, TENDED), b"")
            tend(keeper.look, keeper.git, announce=keeper.announce, budget=keeper.budget(), clock=clock)
            _sweep_looks(settings.home, clock.now())
        except (UnlostError, OSError):
            return


def bytes_kept(home: str) -> int:
    """The bytes on this disk that are there only because of unlost."""
    return size_of(home) if os.path.isdir(home) else 0


def _collected(folder: str, settings: Settings, ledger: Ledger, clock: Clock, *, dry_run: bool) -> StoreCollected:
    with _store(folder, settings, ledger, clock) as keeper:
        name, workspaces, forgotten = os.path.basename(folder), keeper.workspaces(), keeper.forgotten()
        count = sum(len(each) for each in forgotten.values())
        try:
            if dry_run:
                due = overdue(keeper.look(), budget=keeper.budget(), now=clock.now())
                return StoreCollected(store=name, workspaces=workspaces, dropped=len(due) + count)
            for layout in forgotten:
                forget_snapshots(layout, keeper.git)
            done = collect(keeper.look, keeper.git, announce=keeper.announce, budget=keeper.budget(), clock=clock)
        except (UnlostError, OSError) as error:
            why = error.message if isinstance(error, UnlostError) else str(error.strerror)
            return StoreCollected(store=name, workspaces=workspaces, dropped=0, left_alone=why)
        size_after = done.size_after
        if not workspaces:
            _remove(folder)
            size_after = 0
    return StoreCollected(
        store=name,
        workspaces=workspaces,
        dropped=len(done.dropped) + count,
        size_before=done.size_before,
        size_after=size_after,
        over=done.over,
    )


@contextmanager
def _store(folder: str, settings: Settings, ledger: Ledger, clock: Clock) -> Iterator[StoreKeeper]:
    keeper = StoreKeeper(folder, settings, ledger, clock)
    try:
        yield keeper
    finally:
        keeper.close()


def _sweep_looks(home: str, now: float) -> None:
    """Remove the throw-away git dirs that killed commands left in the scratch folder of the state home."""
    scratch = os.path.join(home, "scratch")
    names = os.listdir(scratch) if os.path.isdir(scratch) else []
    for name in names:
        path = os.path.join(scratch, name)
        with suppress(FileNotFoundError):
            if now - os.lstat(path).st_mtime > _LONGEST_LOOK:
                _remove(path)


def _remove(folder: str) -> None:
    """Remove a folder of ours, such as a store that no workspace is in any more."""
    with Folder.open(os.path.dirname(folder)) as parent:
        remove_tree(parent, os.fsencode(os.path.basename(folder)))
