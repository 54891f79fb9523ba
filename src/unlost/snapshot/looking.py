"""Ask git what could have changed: one `status` on the private index, and only when needed one more question."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Final

from unlost.facts.paths import is_capturable
from unlost.git.call import Git, GitFailed, GitRunning
from unlost.git.parse import parse_complaints, parse_names, parse_status
from unlost.git.repository import Repository
from unlost.host.reading import read_regular, write_atomically
from unlost.host.stamps import stamp_at
from unlost.snapshot.layout import Layout
from unlost.snapshot.state import State

_INDEX_LIMIT: Final = 1 << 30


@dataclass(frozen=True, kw_only=True)
class Looked:
    """Paths to look at, each list as git gave it.

    `tracked` differ from the baseline, `untracked` are not in it, `forced` are ignored and yet under the user's
    version control. `nested` are repositories, `unreadable` are folders that could not be listed.
    """

    tracked: tuple[bytes, ...]
    untracked: tuple[bytes, ...]
    forced: tuple[bytes, ...]
    nested: tuple[bytes, ...]
    unreadable: tuple[bytes, ...]


def look(work: Git, layout: Layout, state: State, repository: Repository | None) -> Looked:
    """Find the candidates. Held under the capture lock; brings `state`'s index facts up to date."""
    _remove_stale_lock(layout)
    index = os.path.join(repository.git_dir, "index") if repository else None
    question: GitRunning | None = None
    unreadable: tuple[bytes, ...] = ()
    stamp = stamp_at(index) if index else state.index_stamp
    changed = stamp != state.index_stamp
    if changed and repository is not None:
        _copy_index(layout, repository)
        if state.is_sparse or state.sparse:
            _follow_sparse(work, layout, state)
        question = _ask_forced(work, layout)
    status = work.start(
        *("status", "--porcelain=v2", "-z", "-uall", "--no-renames", "--ignore-submodules=all", "--no-ahead-behind"),
        config=(_excludes(layout), f"core.sparseCheckout={str(state.is_sparse).lower()}"),
        # Lets status save what it learned in the index, which is ours.
        variables={"GIT_OPTIONAL_LOCKS": "1"},
    )
    output, complaints = status.finish()
    if question is not None:
        try:
            names = parse_names(question.finish()[0])
            state.forced = [name for name in names if is_capturable(name)]
        except GitFailed:
            # The user's index is damaged, or names trees that are not in HEAD: what was forced before still is.
            unreadable = (b".git/index",)
    if changed:
        state.index_stamp, state.dirty = stamp, True
    found = parse_status(output)
    return Looked(
        tracked=found.tracked,
        untracked=found.untracked,
        forced=tuple(state.forced),
        nested=found.nested,
        unreadable=(*parse_complaints(complaints), *unreadable),
    )


def ignored_although_tracked(work: Git, layout: Layout) -> tuple[bytes, ...]:
    """Files of the baseline that an ignore rule names, most often because their folder is ignored."""
    listed = work.run("ls-files", "--cached", "--ignored", "--exclude-standard", "-z", config=(_excludes(layout),))
    return tuple(parse_names(listed))


def index_copy(layout: Layout) -> str:
    """Where the user's index is copied to, as data."""
    return os.path.join(layout.git_dir, "user-index")


def mark_sparse(work: Git, paths: list[bytes], option: str) -> None:
    """Set (`--skip-worktree`) or clear (`--no-skip-worktree`) bits in the private index."""
    if paths:
        work.run("update-index", option, "-z", "--stdin", stdin=b"".join(path + b"\0" for path in paths))


def _excludes(layout: Layout) -> str:
    return f"core.excludesFile={layout.excludes}"


def _remove_stale_lock(layout: Layout) -> None:
    """Under the capture lock nobody writes the private index, so a lock file is what a killed git left."""
    path = os.path.join(layout.git_dir, "index.lock")
    if os.path.lexists(path):
        os.unlink(path)


def _copy_index(layout: Layout, repository: Repository) -> None:
    source = os.path.join(repository.git_dir, "index")
    write_atomically(index_copy(layout), read_regular(source, _INDEX_LIMIT) or b"")
    for name in os.listdir(repository.git_dir):
        if name.startswith("sharedindex."):
            data = read_regular(os.path.join(repository.git_dir, name), _INDEX_LIMIT) or b""
            write_atomically(os.path.join(layout.git_dir, name), data)


def _ask_forced(work: Git, layout: Layout) -> GitRunning | None:
    """Names that the user's index has and the baseline has not; nothing but names is taken from it."""
    if not os.path.getsize(index_copy(layout)):
        return None
    return work.start(
        *("diff-index", "--cached", "--diff-filter=A", "--name-only", "--no-renames", "-z", "HEAD"),
        variables={"GIT_INDEX_FILE": index_copy(layout)},
    )


def _follow_sparse(work: Git, layout: Layout, state: State) -> None:
    """Make the private index leave out what the user's sparse checkout leaves out."""
    wanted: set[bytes] = set()
    if state.is_sparse:
        try:
            listed = work.run("ls-files", "-t", "-z", variables={"GIT_INDEX_FILE": index_copy(layout)})
        except GitFailed:
            return
        wanted = {name[2:] for name in parse_names(listed) if name.startswith(b"S ")}
    before = set(state.sparse)
    mark_sparse(work, sorted(before - wanted), "--no-skip-worktree")
    known = set(parse_names(work.run("ls-files", "-z"))) if wanted - before else set()
    mark_sparse(work, sorted((wanted - before) & known), "--skip-worktree")
    state.sparse = sorted((wanted & known) | (wanted & before))
