"""What a command does for its snapshot store on its way out, after its answer is written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from unlost.app.open_workspace import OpenWorkspace
from unlost.cli.invoked import Invocation
from unlost.facts.errors import UnlostError
from unlost.host.clock import SystemClock
from unlost.host.doors import open_door
from unlost.ledger.protocol import Ledger
from unlost.settings import Settings, read_settings
from unlost.snapshot.repacking import is_tending_due

COLLECTING: Final[Mapping[str, str]] = {"collecting": "unlost.app.collecting"}
"""Opened once an hour; no other command pays for it."""


def tend_store(store_folder: str, settings: Settings, ledger: Ledger) -> None:
    """Let go of what outlived its time and gather small packs, in two seconds at most, when it is time to."""
    clock = SystemClock()
    if is_tending_due(store_folder, clock.now()):
        open_door(COLLECTING, "collecting").tend_store(store_folder, settings, ledger, clock)


def tend_after(invocation: Invocation, workspace: OpenWorkspace) -> None:
    """The same for the store of an open workspace."""
    if workspace.is_registered:
        folder = workspace.place.boundaries.archive.layout.store_folder
        tend_store(folder, read_settings(invocation.environment), workspace.ledger)


def tend_at(invocation: Invocation, target: str) -> None:
    """The same for the workspace that a command was about; nothing when it is gone."""
    settings = read_settings(invocation.environment)
    try:
        with OpenWorkspace.open(target, settings) as workspace:
            tend_after(invocation, workspace)
    except UnlostError:
        # The answer is written, and what could not be tended now is tended later.
        return
