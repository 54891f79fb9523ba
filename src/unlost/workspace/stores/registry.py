"""The kinds of shared stores, each in a module of its own that opens on first use."""

from __future__ import annotations

from typing import Final, Protocol, cast

from unlost.host.doors import open_door
from unlost.snapshot.layout import Layout
from unlost.workspace.ports import Store

STORES: Final = {"git": "unlost.workspace.stores.git", "own": "unlost.workspace.stores.own"}


class _Adapter(Protocol):
    """What an adapter's module offers."""

    def store(self, url: str, layout: Layout, /) -> Store: ...


def open_store(url: str | None, layout: Layout) -> Store:
    """The store at a git URL, or this machine's own one, for one workspace. Raises UsageError for another text."""
    name = "own" if url is None else "git"
    return cast("_Adapter", open_door(STORES, name)).store(url or "", layout)
