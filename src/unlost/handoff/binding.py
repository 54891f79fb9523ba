"""Whose is a stash? All work trees of a repository share one list; another worker's is not brought back blindly.

A stash is bound to this work tree by the branch it was made on and by its base commit. Where there is one work tree
only, every stash is its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from unlost.facts.records import dataclass, replace
from unlost.git.repository import Head, head_of
from unlost.traces.inspection import Inspection

_HEADS: Final = "refs/heads/"
_NO_BRANCH: Final = "(no branch)"


@dataclass(frozen=True, kw_only=True)
class Binding:
    """What ties stashes to one of several work trees. Branches are short names; None: detached.

    `bases` are commits that this work tree's history holds, or that the handoff names as its base.
    """

    branch: str | None
    branches_elsewhere: frozenset[str]
    detached_elsewhere: bool
    alone: bool
    bases: frozenset[str]

    def holds(self, branch: str | None, base: str) -> bool:
        """Whether a stash made on this branch (None: its message does not tell) and base belongs here."""
        if self.alone:
            return True
        if branch in self.branches_elsewhere:
            return False
        if branch == _NO_BRANCH and self.detached_elsewhere:
            return False
        return (branch is not None and branch == self.branch) or base in self.bases


def binding_of(inspection: Inspection) -> Binding:
    """How stashes are bound to the inspected work tree, as far as the heads of all work trees tell: without bases."""
    elsewhere = _heads_elsewhere(inspection)
    return Binding(
        branch=_short(inspection.branch),
        branches_elsewhere=frozenset(name for head in elsewhere if (name := _short(head.branch)) is not None),
        detached_elsewhere=any(head.branch is None for head in elsewhere),
        alone=not elsewhere,
        bases=frozenset(),
    )


def _heads_elsewhere(inspection: Inspection) -> Sequence[Head]:
    repository = inspection.repository
    folders = [*(git_dir for _, git_dir in inspection.linked_git_dirs()), repository.common_dir]
    others = [folder for folder in folders if folder != repository.git_dir]
    return [head_of(replace(repository, git_dir=folder)) for folder in others]


def _short(branch: str | None) -> str | None:
    return None if branch is None else branch.removeprefix(_HEADS)
