"""The private baseline: the tree that the private index starts from, moved forward when too much differs from it.

It has nothing to do with HEAD. Without moving it, a work tree checked out with CRLF line ends, or one that went far
from where it was registered, would be listed by `status` file by file in every capture for ever.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from unlost.facts.trees import NESTED, Entry
from unlost.git.objects import ObjectWriter
from unlost.git.trees import find_file, grow
from unlost.host.crash import crash_point
from unlost.snapshot.looking import mark_sparse
from unlost.snapshot.session import Session
from unlost.snapshot.setup import place_baseline, writer_for
from unlost.snapshot.state import State

MOVE_FROM: Final = 1_000
"""This many differences move the baseline."""


def move_baseline(session: Session, state: State, tracked: Collection[bytes], *, head_moved: bool) -> None:
    """Move the baseline when at least MOVE_FROM paths would go into it: `tracked` ones, and new ones HEAD has by now.

    Other untracked files stay out: a later ignore rule must still be able to hide them. Raises GitFailed, OSError.
    """
    if len(tracked) < MOVE_FROM and not (head_moved and len(state.delta) >= MOVE_FROM):
        return
    moved = {path: state.delta[path] for path in tracked if path in state.delta}
    if head_moved:
        for path, taken in state.delta.items():
            if path not in moved and find_file(session.trees, state.head_tree, path) is not None:
                moved[path] = taken
    entries: dict[bytes, Entry | None] = {
        path: taken.entry if taken is not None else None
        for path, taken in moved.items()
        if taken is None or taken.mode != NESTED
    }
    if len(entries) < MOVE_FROM:
        return
    writer = writer_for(session.layout, session.format, pack=True, durable=False)
    try:
        _move(session, state, writer, entries)
    finally:
        writer.abandon()


def _move(session: Session, state: State, writer: ObjectWriter, entries: dict[bytes, Entry | None]) -> None:
    def keep(data: bytes) -> str:
        oid = writer.write_tree(data)
        session.trees.keep(oid, data)
        return oid

    tree = grow(session.trees, keep, state.baseline_tree, entries)
    commit = place_baseline(session.layout, session.store, writer, tree)
    crash_point("capture.baseline_placed")
    # `-i`: the work tree is not asked. Plain `-m` would refuse, because the index is not up to date with it.
    session.work.run("read-tree", "-i", "-m", commit)
    mark_sparse(session.work, state.sparse, "--skip-worktree")
    crash_point("capture.baseline_read")
    session.work.run("update-index", "-q", "--refresh")
    state.baseline, state.baseline_tree, state.seen, state.dirty = commit, tree, None, True
    state.delta = {path: taken for path, taken in state.delta.items() if path not in entries}
