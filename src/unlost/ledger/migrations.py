"""Numbered SQL migrations, one folder a database: which are there, and which a database still needs."""

from __future__ import annotations

import os
from typing import Final, Literal

from unlost.facts.errors import NeedsPerson
from unlost.facts.records import dataclass
from unlost.ledger.protocol import LedgerUnavailable

Dialect = Literal["sqlite", "postgres"]
_FOLDER: Final = os.path.join(os.path.dirname(__file__), "sql")


@dataclass(frozen=True, kw_only=True)
class Migration:
    """One step of the schema; after it the database has this version."""

    version: int
    file: str

    def statements(self) -> tuple[str, ...]:
        """Its SQL statements; in our files each ends with a semicolon at the end of a line, and nothing else does."""
        with open(self.file, encoding="utf-8") as stream:
            return tuple(part for part in stream.read().split(";\n") if part.strip())


def migrations(dialect: Dialect) -> tuple[Migration, ...]:
    """Every migration of a database kind, oldest first; file names begin with the version."""
    folder = os.path.join(_FOLDER, dialect)
    names = sorted(name for name in os.listdir(folder) if name.endswith(".sql"))
    return tuple(Migration(version=int(name.partition("_")[0]), file=os.path.join(folder, name)) for name in names)


def needed(dialect: Dialect, version: int, *, upgrade: bool) -> tuple[Migration, ...]:
    """The steps from a version to the newest; an empty database (version 0) is always set up.

    Raises NeedsPerson for an older schema unless `upgrade`, LedgerUnavailable for one newer than this unlost knows.
    """
    known = migrations(dialect)
    if version > known[-1].version:
        raise LedgerUnavailable(
            f"the ledger has schema {version}, this unlost knows schemas up to {known[-1].version}",
            hint="pip install --upgrade unlost",
        )
    missing = tuple(step for step in known if step.version > version)
    if missing and version > 0 and not upgrade:
        raise NeedsPerson(
            f"the ledger has schema {version}, this unlost needs schema {known[-1].version}; nothing was changed",
            hint="unlost db upgrade",
        )
    return missing
