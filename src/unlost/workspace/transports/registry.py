"""The ways to a place, each in a module of its own that opens on first use."""

from __future__ import annotations

from typing import Final, Protocol, cast

from unlost.host.doors import open_door
from unlost.workspace.ports import Transport
from unlost.workspace.transports.targets import Target

TRANSPORTS: Final = {
    "command": "unlost.workspace.transports.command",
    "local": "unlost.workspace.transports.local",
    "ssh": "unlost.workspace.transports.ssh",
}


class _Adapter(Protocol):
    """What an adapter's module offers."""

    def transport(self, target: Target, state_home: str, /) -> Transport: ...


def open_transport(target: Target, *, state_home: str) -> Transport:
    """The way to a target's place; close it when done. Nothing is connected yet."""
    return cast("_Adapter", open_door(TRANSPORTS, target.transport)).transport(target, state_home)
