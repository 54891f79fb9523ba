"""What a linked work tree of unlost's is called: its name, its branch, its folder beside the repository. Pure rules."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import Final

from unlost.facts.errors import UsageError

BRANCH_PREFIX: Final = "unlost/"
_NAME: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9_-])?")
_OTHER: Final = re.compile(r"[^a-z0-9]+")
_LONGEST_MADE: Final = 32


def check_name(name: str) -> str:
    """A name that a person gave, when it can be part of a branch and of a folder's name. Raises UsageError."""
    if _NAME.fullmatch(name) is None or ".." in name or name.endswith(".lock"):
        raise UsageError(
            f"{name!r} cannot name a worktree",
            hint="letters, digits, dots, dashes and underscores, at most 64; the plan's file goes before --worktree",
        )
    return name


def name_for(title: str, is_taken: Callable[[str], bool]) -> str:
    """A free name made of a title: `drop-the-legacy-parser`, with a number behind it where that one is taken."""
    made = _OTHER.sub("-", title.lower()).strip("-")[:_LONGEST_MADE].strip("-") or "work"
    number = 1
    while is_taken(name := made if number == 1 else f"{made}-{number}"):
        number += 1
    return name


def branch_of(name: str) -> str:
    """The short name of its branch."""
    return BRANCH_PREFIX + name


def folder_of(root: str, name: str) -> str:
    """Its folder: beside the repository at `root`, named after both."""
    parent, own = os.path.split(root)
    return os.path.join(parent, f"{own}.{name}")
