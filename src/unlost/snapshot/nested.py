"""Repositories within the work tree: each is captured on its own, and the outer snapshot links to that snapshot."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Final

from unlost.facts.errors import NotARepository, UnlostError
from unlost.facts.records import replace
from unlost.facts.trees import NESTED
from unlost.snapshot.facts import Snapshot
from unlost.snapshot.session import Session, Workplace
from unlost.snapshot.state import Conversion, State
from unlost.snapshot.survey import Survey

CaptureOne = Callable[[Workplace], Snapshot]
"""Takes the snapshot of one work tree; equal content is the same snapshot again."""

_DEEPEST: Final = 8
_MOST: Final = 200


def capture_nested(
    session: Session, state: State, survey: Survey, paths: Iterable[bytes], capture: CaptureOne
) -> dict[bytes, Conversion]:
    """Link every nested repository, and note HEAD's own links that went away.

    Returns the links that are as HEAD has them (nothing changed inside, the commit checked out that HEAD names):
    they are no change of anybody, as a conversion is none. A repository that cannot be captured is listed.
    """
    clean: dict[bytes, Conversion] = {}
    for count, path in enumerate(sorted(paths)):
        place = _place(session.place, path)
        if place is None or count >= _MOST:
            survey.miss(path, "nested_repository")
            continue
        try:
            snapshot = capture(place)
        except NotARepository:
            # `.git` is there and no repository: git takes the folder for an ordinary one, and so its files are here.
            continue
        except (UnlostError, OSError):
            survey.miss(path, "nested_repository")
            continue
        survey.link(path, snapshot.id)
        wanted = state.links.get(path)
        if wanted is not None and wanted == snapshot.surroundings.head and snapshot.tree == snapshot.base:
            clean[path] = Conversion(wanted, NESTED, snapshot.id)
    _miss_removed(state, survey)
    return clean


def _miss_removed(state: State, survey: Survey) -> None:
    """A link of HEAD's whose folder is gone is a deletion; an empty folder is a submodule not brought in yet."""
    for path in state.links:
        if path not in survey.delta and survey.files.status_or_none(path) is None:
            survey.delta[path] = None


def _place(outer: Workplace, path: bytes) -> Workplace | None:
    """Where a nested repository is; None when it is too deep, or a link on the way leads out of the work tree."""
    root = os.path.join(os.path.realpath(outer.root), os.fsdecode(path))
    if outer.depth >= _DEEPEST or os.path.realpath(root) != root:
        return None
    return replace(outer, layout=outer.layout.nested(path), root=root, depth=outer.depth + 1)
