"""Which kind of plan a file is: one of unlost, TOML or Markdown with a TOML head, or a list that another tool keeps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from unlost.facts.errors import Problem
from unlost.facts.records import dataclass, field
from unlost.plan.draft import Draft
from unlost.plan.importers.json_source import NotJson
from unlost.plan.importers.reading import Imported, import_json, import_markdown, looks_like_json
from unlost.plan.importers.registry import IMPORTERS
from unlost.plan.markdown import has_head, read_markdown
from unlost.plan.source import read_toml

OWN: Final = "unlost"
"""The format of plans that are unlost's own."""

_MARKDOWN: Final = (".md", ".markdown")


@dataclass(frozen=True, kw_only=True)
class Drafted:
    """The draft in a file, the format that it was found in, and how many entries of which kind were left out."""

    draft: Draft
    format: str = OWN
    left_out: Mapping[str, int] = field(default_factory=dict)


def read_draft(text: str, *, name: str) -> Drafted:
    """The draft of the plan in a file called `name`; what is no plan at all is a draft with that problem alone."""
    if name.lower().endswith(_MARKDOWN):
        if has_head(text):
            return Drafted(draft=read_markdown(text))
        return _drafted(import_markdown(text, name=name), _NO_PLAN)
    if not looks_like_json(text, name=name):
        return Drafted(draft=read_toml(text))
    try:
        return _drafted(import_json(text, name=name), _UNKNOWN)
    except NotJson as error:
        return _nothing(Problem(line=error.line, what=f"not valid JSON: {error}"))


def _drafted(imported: Imported | None, otherwise: str) -> Drafted:
    if imported is None:
        return _nothing(Problem(line=1, what=otherwise))
    return Drafted(draft=imported.draft, format=imported.format, left_out=imported.left_out)


def _nothing(problem: Problem) -> Drafted:
    return Drafted(draft=Draft(values=None, problems=(problem,)))


_NO_PLAN: Final = (
    "no plan: a Markdown plan begins with a ```toml head that holds its keys (`unlost plan new` shows them), and the "
    "list of another tool has boxes to tick (`- [ ] …`)"
)
_UNKNOWN: Final = f"JSON of no kind that is known here; what is: {', '.join(IMPORTERS)}"
