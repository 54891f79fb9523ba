"""Lists of boundaries, events and snapshots, the newest first."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import tzinfo
from typing import Any, Final

from unlost.cli.palette import Palette
from unlost.cli.render.amounts import columns, count, moment_text, short_id
from unlost.facts.durations import parse_instant
from unlost.facts.quoting import clean, cut

Rows = Sequence[Mapping[str, Any]]

NOTHING: Final = "no boundary yet; `unlost mark` takes the first one"
_LONGEST_LABEL: Final = 60
_OBJECT_ID: Final = re.compile(r"[0-9a-f]{40}")


def boundaries_text(rows: Rows, palette: Palette, *, now: float, zone: tzinfo | None = None) -> str:
    """One line a boundary: number, time, kind, snapshot, what was proved, label."""
    cells = [
        (
            str(row["n"]),
            moment_text(parse_instant(row["at"]), now=now, zone=zone),
            row["kind"].replace("_", " "),
            short_id(row["snapshot"]),
            count(row["claims"], "claim"),
            _verdict(row),
            _label(row["label"] or row["task"] or ""),
        )
        for row in reversed(rows)
    ]
    lost = [row["verdict"] == "loss" for row in reversed(rows)]
    lines = [palette.loss(line) if is_lost else line for line, is_lost in zip(columns(cells), lost, strict=True)]
    return "\n".join(lines) or NOTHING


def snapshots_text(rows: Rows, palette: Palette, *, now: float, zone: tzinfo | None = None) -> str:
    """One line a snapshot: id, time, kind, boundary, files, label."""
    cells = [
        (
            short_id(row["snapshot"]),
            moment_text(parse_instant(row["at"]), now=now, zone=zone),
            row["kind"],
            "" if row["boundary"] is None else f"boundary {row['boundary']}",
            count(row["files"], "file"),
            _label(row["label"]),
        )
        for row in reversed(rows)
    ]
    faint = [row["boundary"] is None for row in reversed(rows)]
    lines = [palette.faint(line) if dim else line for line, dim in zip(columns(cells), faint, strict=True)]
    return "\n".join(lines) or NOTHING


def events_text(rows: Rows, palette: Palette, *, now: float, zone: tzinfo | None = None) -> str:
    """One line an event: its place in the stream, time, kind, and its facts in short."""
    cells = [
        (
            str(row["sequence"]),
            moment_text(parse_instant(row["at"]), now=now, zone=zone),
            row["kind"],
            palette.faint(_facts(row["facts"])),
        )
        for row in reversed(rows)
    ]
    return "\n".join(columns(cells)) or NOTHING


def _verdict(row: Mapping[str, Any]) -> str:
    if row["verdict"] == "loss":
        return f"{row['lost']:,} lost" if row["lost"] else "loss"
    return str(row["verdict"])


def _label(text: str) -> str:
    return cut(clean(text, one_line=True), _LONGEST_LABEL)


def _is_detail(value: str | int) -> bool:
    """Whether a fact is for scripts only: nothing, or the id of an object."""
    return value == "" or _OBJECT_ID.search(str(value)) is not None


def _facts(facts: Mapping[str, Any]) -> str:
    told = {name: value for name, value in facts.items() if isinstance(value, str | int) and not _is_detail(value)}
    return cut(" ".join(f"{name}={clean(str(value), one_line=True)}" for name, value in told.items()), 120)
