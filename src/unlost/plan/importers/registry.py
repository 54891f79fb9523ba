"""The formats that are read, the surest to be told first: a check list is whatever has boxes to tick."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, cast

from unlost.host.doors import open_door
from unlost.plan.importers.facts import Importer, Source

IMPORTERS: Final[Mapping[str, str]] = {
    "superpowers": "unlost.plan.importers.superpowers",
    "spec-kit": "unlost.plan.importers.spec_kit",
    "openspec": "unlost.plan.importers.openspec",
    "task-master": "unlost.plan.importers.task_master",
    "ralph": "unlost.plan.importers.ralph",
    "beads": "unlost.plan.importers.beads",
    "checklist": "unlost.plan.importers.checklist",
}
"""Each format's module, asked in this order."""


def importer_of(source: Source) -> tuple[str, Importer] | None:
    """The name and the module of the first format that a file is of; None when it is of none."""
    for name in IMPORTERS:
        importer = cast("Importer", open_door(IMPORTERS, name))
        if importer.recognises(source):
            return name, importer
    return None
