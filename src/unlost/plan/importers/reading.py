"""A file of another tool, read as the draft of a plan. The file itself is never written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from unlost.facts.errors import Problem
from unlost.facts.records import dataclass
from unlost.plan.draft import Draft
from unlost.plan.fences import lines_of
from unlost.plan.importers.assembling import draft_of
from unlost.plan.importers.facts import Source
from unlost.plan.importers.json_source import NotJson, read_json, read_json_lines
from unlost.plan.importers.registry import importer_of

_JSON_NAMES: Final = (".json", ".jsonl", ".ndjson")


@dataclass(frozen=True, kw_only=True)
class Imported:
    """What became of a file: its format, the draft of a plan, and what was left out, by the tool's own words."""

    format: str
    draft: Draft
    left_out: Mapping[str, int]


def looks_like_json(text: str, *, name: str) -> bool:
    """Whether a file is to be read as JSON: by its name, or because it begins as no TOML and no prose does."""
    return name.lower().endswith(_JSON_NAMES) or text.lstrip()[:1] == "{" or text.lstrip()[:2] in ("[{", "[\n", "[]")


def import_json(text: str, *, name: str) -> Imported | None:
    """A JSON file as an imported plan; None when it is of no format that is known. Raises NotJson."""
    try:
        return _imported(Source(name=name, documents=(read_json(text),)), ())
    except NotJson:
        documents, problems = read_json_lines(text)
        # Exports have a document a line; whether this is one its first line tells, and then every other is held to it.
        if not documents or documents[0].line != 1 + text[: len(text) - len(text.lstrip())].count("\n"):
            raise
    return _imported(Source(name=name, documents=documents), problems)


def import_markdown(text: str, *, name: str) -> Imported | None:
    """A Markdown file as an imported plan; None when it is of no format that is known."""
    return _imported(Source(name=name, lines=tuple(lines_of(text))), ())


def _imported(source: Source, problems: tuple[Problem, ...]) -> Imported | None:
    found = importer_of(source)
    if found is None:
        return None
    name, importer = found
    foreign = importer.read(source)
    draft = draft_of(foreign, name=source.name)
    draft = Draft(values=draft.values, lines=draft.lines, problems=(*problems, *draft.problems))
    return Imported(format=name, draft=draft, left_out=foreign.left_out)
