"""What went from the history of repositories nested in the tree: they are repositories of their own.

A nested repository that is gone took its HEAD with it, unless the outer repository records that very commit. One that
is there is asked for commits that nothing in it reaches any more.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from unlost.facts.errors import UnlostError
from unlost.facts.records import replace
from unlost.git.repository import open_repository
from unlost.guard.sight import GoneCommit
from unlost.plain.gone import Gone
from unlost.plain.trees import NestedAt, Trees
from unlost.traces.inspection import Inspection


def gone_from_nested(
    trees: Trees, before: dict[bytes, NestedAt], now: dict[bytes, NestedAt], tree: str, *, scratch: str
) -> tuple[GoneCommit, ...]:
    """Commits of nested repositories that stood at a boundary (`before`) and that nothing reaches in `now`.

    `tree` is the present one. Paths are as the outer work tree has them; what they held is known by the tree alone.
    """
    found: list[GoneCommit] = []
    for path, at in before.items():
        there = now.get(path)
        if there is None:
            found += _gone_wholly(path, at)
        elif at.surroundings != there.surroundings:
            found += _gone_below(trees, path, at, tree, scratch)
    return tuple(found)


def _gone_wholly(path: bytes, at: NestedAt) -> list[GoneCommit]:
    if at.head is None or at.head == at.recorded:
        return []
    return [GoneCommit(commit=at.head, subject="", was_on="HEAD", on_head=True, paths=None, below=path)]


def _gone_below(trees: Trees, path: bytes, at: NestedAt, tree: str, scratch: str) -> Iterator[GoneCommit]:
    try:
        repository = open_repository(os.path.join(trees.archive.root, os.fsdecode(path)))
    except UnlostError:
        # It is no repository any more: its history is gone, and its files are judged by what stands.
        yield from _gone_wholly(path, at)
        return
    os.makedirs(scratch, mode=0o700, exist_ok=True)
    with Inspection(repository, scratch=scratch) as inspection:
        gone = Gone(inspection, at.surroundings, lambda inner: trees.entry(tree, path + b"/" + inner))
        for commit in gone.commits():
            inner = commit.paths or ()
            yield replace(
                commit,
                paths=tuple(replace(each, path=path + b"/" + each.path) for each in inner),
                below=path,
            )
