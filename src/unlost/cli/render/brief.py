"""Briefs and sources as documents and text; without a body no word of research leaves here."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from unlost.app.briefs import BriefShown, SourceShown
from unlost.cli.palette import Palette
from unlost.cli.render.amounts import columns, count, short_id
from unlost.facts.errors import Problem
from unlost.facts.quoting import clean, path_json
from unlost.research.brief import brief_digest, canonical_brief
from unlost.research.facts import Brief
from unlost.research.render import for_people


def check_document(brief: Brief | None, problems: Sequence[Problem]) -> dict[str, Any]:
    """`unlost.brief_check/1`."""
    return {
        "schema": "unlost.brief_check/1",
        "digest": None if brief is None else brief_digest(brief),
        "readiness": None if brief is None else brief.readiness,
        "bytes": None if brief is None else len(canonical_brief(brief)),
        "problems": [{"line": problem.line, "what": problem.what} for problem in problems],
    }


def check_text(brief: Brief) -> str:
    """`ready · 812 bytes · 3 sources · digest 4f0c…`."""
    size = count(len(canonical_brief(brief)), "byte")
    return " · ".join([brief.readiness, size, count(len(brief.sources), "source"), f"digest {brief_digest(brief)}"])


def brief_document(shown: BriefShown) -> dict[str, Any]:
    """`unlost.brief_show/1`; `brief` (`unlost.brief/1`) is null unless it was asked for."""
    record, settled = shown.record, shown.record.settled
    return {
        "schema": "unlost.brief_show/1",
        "unit": shown.unit,
        "state": _word(shown),
        "failure": None if settled is None else settled.failure,
        "commit": record.opened.tag.commit,
        "digest": None if settled is None else settled.digest,
        "submissions": record.standing.submissions,
        "discarded": [] if record.ended is None else [path_json(path) for path in record.ended.discarded],
        "sources": [
            {"id": source, "state": "revoked" if source in shown.revoked else "recorded"}
            for source in (() if settled is None else settled.sources)
        ],
        "brief": None if shown.brief is None else json.loads(canonical_brief(shown.brief)),
    }


def brief_text(shown: BriefShown, palette: Palette) -> str:
    """What is public of a unit's research, then the brief itself when it was asked for."""
    return "\n".join(_lines(shown, palette))


def sources_document(rows: Sequence[SourceShown]) -> dict[str, Any]:
    """`unlost.sources/1`; `ref` is null unless it was asked for."""
    return {
        "schema": "unlost.sources/1",
        "sources": [
            {"id": row.id, "unit": row.unit, "kind": row.kind, "state": _state(row), "ref": row.ref} for row in rows
        ],
    }


def sources_text(rows: Sequence[SourceShown], palette: Palette) -> str:
    """A line a source."""
    if not rows:
        return "no brief names a source"
    cells = [(row.id, row.unit, row.kind, _state(row), clean(row.ref or "", one_line=True)) for row in rows]
    lines = columns(cells)
    return "\n".join(palette.loss(line) if row.revoked else line for row, line in zip(rows, lines, strict=True))


def _lines(shown: BriefShown, palette: Palette) -> Iterator[str]:
    record, settled = shown.record, shown.record.settled
    word = _word(shown)
    failure = f" ({settled.failure.replace('_', ' ')})" if settled is not None and settled.failure else ""
    dress = palette.good if word == "ready" else palette.warning
    yield f"{palette.faint(shown.unit)}  research {dress(word)}{failure} at commit {short_id(record.opened.tag.commit)}"
    for source in () if settled is None else settled.sources:
        yield f"source    {source}{palette.loss('  revoked') if source in shown.revoked else ''}"
    if record.ended is not None and record.ended.discarded_count:
        yield f"discarded {count(record.ended.discarded_count, 'path')} that the researcher wrote outside its outbox"
    if shown.brief is not None:
        yield ""
        yield for_people(shown.brief)


def _word(shown: BriefShown) -> str:
    return "running" if shown.record.settled is None else shown.record.settled.result


def _state(row: SourceShown) -> str:
    return "revoked" if row.revoked else "recorded"
