"""Names of documents in text."""

from __future__ import annotations

from unlost.facts.quoting import path_from_json, path_text


def shown(name: object) -> str:
    """A name of a document as a person reads it: plain, or as its ASCII JSON literal."""
    return path_text(path_from_json(name))
