"""Numbers, ids and moments as short text."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, tzinfo
from typing import Final

SHORT: Final = 10
"""Digits of a snapshot id that text shows; 4 are enough to name one."""
_KIBIBYTE: Final = 1024


def count(number: int, singular: str, plural: str | None = None) -> str:
    """`1 file`, `2 files`, `1,204 losses`."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


def short_id(identifier: str | None) -> str:
    """The first digits of an object id; `-` for none."""
    return identifier[:SHORT] if identifier else "-"


def size_text(size: int) -> str:
    """`512 B`, `1.5 KiB`, `64 MiB`."""
    amount, unit = float(size), "B"
    for larger in ("KiB", "MiB", "GiB", "TiB"):
        if amount < _KIBIBYTE:
            break
        amount, unit = amount / _KIBIBYTE, larger
    return f"{amount:.0f} {unit}" if unit == "B" or amount >= 10 else f"{amount:.1f} {unit}"


def moment_text(at: float, *, now: float, zone: tzinfo | None = None) -> str:
    """`14:05:09` today, else `2026-08-17 14:05`; in `zone`, None for the machine's own."""
    moment = datetime.fromtimestamp(at, zone)
    if moment.date() == datetime.fromtimestamp(now, zone).date():
        return moment.strftime("%H:%M:%S")
    return moment.strftime("%Y-%m-%d %H:%M")


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows as aligned lines, two spaces between columns; the last column is as long as it likes."""
    if not rows:
        return []
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    return ["  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def listed(lines: Sequence[str], limit: int) -> list[str]:
    """At most `limit` lines, then how many more there are."""
    rest = len(lines) - limit
    return list(lines) if rest <= 0 else [*lines[:limit], f"… and {rest:,} more (--json lists all)"]
