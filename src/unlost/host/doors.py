"""The one lazy door: open an adapter or a command that a literal table names.

Heavy modules are imported only where they are used. The tables are literals that `tests/test_house.py`
reads and counts as arrows, so laziness hides no dependency.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from types import ModuleType
from typing import Final

from unlost.facts.errors import UsageError

EXTRAS: Final = {"temporalio": "temporal", "psycopg": "temporal"}
"""Which extra of unlost brings a third-party package."""


def open_door(table: Mapping[str, str], name: str) -> ModuleType:
    """Import and return the module that `table` names for `name`.

    Raises UsageError when the table has no such name, or when a package of an extra is not installed.
    """
    if name not in table:
        raise UsageError(f"unknown name {name!r}", hint=f"one of: {', '.join(sorted(table))}")
    try:
        return importlib.import_module(table[name])
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in EXTRAS:
            raise
        raise UsageError(
            f"{name} needs the package {package}, which is not installed",
            hint=f"pip install 'unlost[{EXTRAS[package]}]'",
        ) from error
