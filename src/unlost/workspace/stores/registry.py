"""The kinds of shared stores, each in a module of its own that opens on first use."""

from __future__ import annotations

from typing import Final, Protocol, cast

from unlost.host.doors import open_door
from unlost.snapshot.layout import Layout
from unlost.workspace.ports import Store
from unlost.workspace.stores.addresses import StoreAddress, read_address

STORES: Final = {"git": "unlost.workspace.stores.git"}


class _Adapter(Protocol):
    """What an adapter's module offers."""

    def store(self, address: StoreAddress, layout: Layout, /) -> Store: ...


def open_store(url: str, layout: Layout) -> Store:
    """The shared store at a URL, for one workspace. Raises UsageError for a text that is no address."""
    return cast("_Adapter", open_door(STORES, "git")).store(read_address(url), layout)
