"""Reflogs read as data."""

from __future__ import annotations

import re
from typing import Final

from unlost.traces.facts import ReflogEntry

_LINE: Final = re.compile(
    rb"([0-9a-f]{40}|[0-9a-f]{64}) ([0-9a-f]{40}|[0-9a-f]{64}) .*?(?:> )?(\d{1,12}) [+-]\d{4}(?:\t(.*))?"
)


def parse_reflog(ref: str, data: bytes) -> tuple[ReflogEntry, ...]:
    """The entries of one log file, the newest first; torn lines are passed over."""
    matches = (_LINE.fullmatch(line) for line in data.split(b"\n"))
    entries = [
        ReflogEntry(
            ref=ref,
            before=_oid(match[1]),
            after=_oid(match[2]),
            at=int(match[3]),
            message=(match[4] or b"").decode("utf-8", "replace"),
        )
        for match in matches
        if match
    ]
    entries.reverse()
    return tuple(entries)


def _oid(text: bytes) -> str | None:
    return None if set(text) == {ord("0")} else text.decode("ascii")
