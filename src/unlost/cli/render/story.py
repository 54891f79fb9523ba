"""The story of a unit as text and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import tzinfo
from typing import Any

from unlost.cli.palette import Palette
from unlost.cli.render.amounts import columns, moment_text
from unlost.facts.durations import instant_text
from unlost.facts.quoting import clean
from unlost.unit.story import Moment


def story_document(moments: Sequence[Moment]) -> list[dict[str, Any]]:
    """`story` in `unlost.unit/1` of `show`: when, in which chapter, what."""
    return [{"at": instant_text(moment.at), "chapter": moment.chapter, "what": moment.what} for moment in moments]


def story_text(moments: Sequence[Moment], palette: Palette, *, now: float, zone: tzinfo | None = None) -> str:
    """One line a moment: its time, its chapter, what happened; a chapter is named where it begins."""
    rows = []
    before = ""
    for moment in moments:
        word = "" if moment.chapter == before else moment.chapter
        rows.append((moment_text(moment.at, now=now, zone=zone), word, clean(moment.what, one_line=True)))
        before = moment.chapter
    return "\n".join([palette.strong("story"), *(f"  {line}" for line in columns(rows))])
