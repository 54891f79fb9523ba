"""Follow HEAD: what a work tree's changes are measured against."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Final

from unlost.facts.trees import NESTED, Change
from unlost.git.call import GitFailed
from unlost.git.reader import ObjectMissing
from unlost.git.repository import Repository
from unlost.git.trees import difference, find_file
from unlost.host.stamps import stamp_at
from unlost.snapshot.conversions import Doubt, may_be_converted
from unlost.snapshot.facts import Surroundings
from unlost.snapshot.partial import Brought, fetch_present, is_partial
from unlost.snapshot.records import tree_and_message
from unlost.snapshot.session import Session
from unlost.snapshot.setup import fetch_head
from unlost.snapshot.state import State
from unlost.snapshot.surroundings import read_surroundings
from unlost.snapshot.survey import Survey

_TRIES: Final = 3
_ATTRIBUTES: Final = b".gitattributes"
_ATTRIBUTES_LIMIT: Final = 4 << 20


def follow_head(session: Session, state: State, surroundings: Surroundings) -> tuple[Surroundings, tuple[Change, ...]]:
    """Bring `state` to what HEAD names now; returns surroundings of the same moment, and what differs in HEAD's tree.

    HEAD may move while it is fetched, so it is read again afterwards. Raises GitFailed when the user's repository
    cannot give its commit; `state` is then as before.
    """
    if session.repository is None:
        return surroundings, ()
    if surroundings.head == state.head and not (state.lacking and _index_moved(session.repository, state)):
        return surroundings, ()
    for _ in range(_TRIES):
        brought = bring_in_head(session, session.repository, known=state.head_tree)
        surroundings = read_surroundings(session.repository)
        if surroundings.head == brought.head:
            break
    else:
        raise GitFailed("fetch", exit_code=0, stderr="HEAD moves faster than it can be read")
    return surroundings, adopt_head(session, state, brought)


def _index_moved(repository: Repository, state: State) -> bool:
    """Whether the user's index was written since the last capture: a wider checkout brings in what HEAD lacked."""
    return stamp_at(os.path.join(repository.git_dir, "index")) != state.index_stamp


def bring_in_head(session: Session, repository: Repository, *, known: str | None) -> Brought:
    """HEAD and its tree, verified and in the store; of a partial clone the tree of what is here.

    `known` is a tree that the store has. Raises GitFailed when the user's repository is damaged or lacks objects that
    nobody promised.
    """
    if is_partial(repository):
        return fetch_present(session, repository, known=known)
    head = fetch_head(session.layout, repository, session.store)
    return Brought(head=head, tree=tree_of(session, head))


def adopt_head(session: Session, state: State, brought: Brought) -> tuple[Change, ...]:
    """Make a commit, and its tree, what changes are measured against; returns what differs in HEAD's tree."""
    moved = tuple(difference(session.trees, state.head_tree, brought.tree))
    _note_links(state, moved)
    state.lfs = state.lfs or _uses_lfs(session, moved)
    state.head, state.head_tree, state.lacking, state.dirty = brought.head, brought.tree, brought.lacking, True
    return moved


def tree_of(session: Session, commit: str | None) -> str:
    """The tree of a commit in the store; the empty one for None."""
    if commit is None:
        return session.format.empty_tree
    return tree_and_message(session.objects.read(commit).data)[0]


def doubts_about(moved: Iterable[Change], session: Session, survey: Survey) -> list[Doubt]:
    """Files that stayed as they are while HEAD's entry changed: they may be conversions of the new one."""
    asked = {doubt.path for doubt in survey.doubts}
    found: list[Doubt] = []
    for change in moved:
        if change.after is None or change.path in asked:
            continue
        if change.path in survey.delta:
            taken = survey.delta[change.path]
            present = taken.entry if taken is not None else None
        else:
            present = find_file(session.trees, survey.state.baseline_tree, change.path)
        if present is not None and may_be_converted(change.after, present):
            found.append(Doubt(path=change.path, head=change.after, taken=present))
    return found


def _note_links(state: State, moved: Iterable[Change]) -> None:
    for change in moved:
        if change.after is not None and change.after.mode == NESTED:
            state.links[change.path] = change.after.oid
        else:
            state.links.pop(change.path, None)


def _uses_lfs(session: Session, moved: Iterable[Change]) -> bool:
    """Whether an attributes file that came in hands files to LFS; once seen, pointers are always looked for."""
    for change in moved:
        if change.after is None or change.path.rpartition(b"/")[2] != _ATTRIBUTES:
            continue
        try:
            if b"filter=lfs" in session.objects.read(change.after.oid, _ATTRIBUTES_LIMIT).data:
                return True
        except ObjectMissing:
            continue
    return False
