"""The user's repository around a snapshot, gathered as data and kept as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from unlost.facts.quoting import canonical_json
from unlost.git.repository import Repository, head_of, refs_of, stashes_of, worktrees_of
from unlost.snapshot.facts import Surroundings

NOWHERE: Final = Surroundings(head=None, branch=None, refs={}, stashes=(), worktrees=(), operation=None)
"""The surroundings of a work tree whose `.git` is gone."""

_MOST_REFS: Final = 20_000


def read_surroundings(repository: Repository) -> Surroundings:
    """What the repository says of itself now; beyond 20,000 refs the last by name are left out."""
    head = head_of(repository)
    refs = refs_of(repository)
    return Surroundings(
        head=head.oid,
        branch=head.branch,
        refs=refs if len(refs) <= _MOST_REFS else dict(sorted(refs.items())[:_MOST_REFS]),
        stashes=stashes_of(repository),
        worktrees=worktrees_of(repository),
        operation=head.operation,
    )


def surroundings_json(surroundings: Surroundings) -> bytes:
    """One byte form, so that equal surroundings are one object in the store."""
    return canonical_json(
        {
            "schema": "unlost.surroundings/1",
            "head": surroundings.head,
            "branch": surroundings.branch,
            "refs": dict(surroundings.refs),
            "stashes": list(surroundings.stashes),
            "worktrees": list(surroundings.worktrees),
            "operation": surroundings.operation,
        }
    )


def surroundings_from_json(facts: Mapping[str, Any]) -> Surroundings:
    """What `surroundings_json` wrote. Raises KeyError, TypeError, ValueError for anything else."""
    return Surroundings(
        head=facts["head"],
        branch=facts["branch"],
        refs=dict(facts["refs"]),
        stashes=tuple(facts["stashes"]),
        worktrees=tuple(facts["worktrees"]),
        operation=facts["operation"],
    )
