"""The name of the branch that a unit's work is published as: its own, so that nobody else's is ever moved. Pure."""

from __future__ import annotations

import re
from typing import Final

OWN_BRANCHES: Final = "unlost/"
"""How the names of branches begin that unlost makes by itself."""

_SLUG_AT_MOST: Final = 40
_NOT_SLUG: Final = re.compile(r"[^a-z0-9]+")
_FORBIDDEN: Final = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//")


def branch_name(wanted: str, *, title: str, unit: str) -> str:
    """The branch: what the plan says, else `unlost/<slug>-<unit>`."""
    if wanted:
        return wanted.removeprefix("refs/heads/")
    slug = _NOT_SLUG.sub("-", title.lower()).strip("-")[:_SLUG_AT_MOST].rstrip("-")
    return f"{OWN_BRANCHES}{slug}-{unit}" if slug else f"{OWN_BRANCHES}{unit}"


def is_branch_name(name: str) -> bool:
    """Whether git takes a text for the name of a branch (git-check-ref-format)."""
    parts = name.split("/")
    if not name or _FORBIDDEN.search(name) or name.startswith("-") or name.endswith((".", "/")) or name == "@":
        return False
    return all(part and not part.startswith(".") and not part.endswith(".lock") for part in parts)
