"""Finish or roll back restores that were interrupted."""

from __future__ import annotations

from unlost.host.locks import FileLock
from unlost.plain.boundaries import Boundaries
from unlost.plain.restore import Contents
from unlost.snapshot.journal import pending_journals
from unlost.snapshot.restore import recover


def settle_restores(boundaries: Boundaries, journals: str) -> None:
    """Settle what the folder `journals` tells of, under the capture lock. Raises what `recover` raises."""
    if pending_journals(journals):
        with FileLock(boundaries.archive.layout.capture_lock):
            recover(Contents(trees=boundaries.trees, merged={}), journals=journals)
