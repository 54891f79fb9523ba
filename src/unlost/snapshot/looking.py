"""Ask git what could have changed: one `status` on the private index, and only when needed one more question."""

from __future__ import annotations

import os
from typing import Final

from unlost.facts.paths import is_capturable
from unlost.facts.records import dataclass
from unlost.git.call import Git, GitFailed, GitRunning
from unlost.git.parse import parse_complaints, parse_names, parse_status
from unlost.git.repository import Repository
from unlost.host.reading import read_regular, write_atomically
from unlost.host.stamps import stamp_at
from unlost.snapshot.begun import ask_status, excludes_setting
from unlost.snapshot.layout import Layout
from unlost.snapshot.state import State

_INDEX_LIMIT: Final = 1 << 30
_INDEX: Final = b".git/index"


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


def look(
    work: Git, layout: Layout, state: State, repository: Repository | None, *, status: GitRunning | None = None
) -> Looked:
    """Find the candidates. Held under the capture lock; brings `state`'s index facts up to date.

    `status` is a look that was begun before and still holds.
    """
    question = _UsersIndex(work, layout, state, repository)
    status = status or ask_status(work, layout, sparse=state.is_sparse)
    output, complaints = status.finish()
    is_sound = question.finish()
    found = parse_status(output)
    return Looked(
        tracked=found.tracked,
        untracked=found.untracked,
        forced=tuple(state.forced),
        nested=found.nested,
        unreadable=(*parse_complaints(complaints), *(() if is_sound else (_INDEX,))),
    )


def ignored_although_tracked(work: Git, layout: Layout) -> tuple[bytes, ...]:
    """Files of the baseline that an ignore rule names, most often because their folder is ignored."""
    listed = work.run(
        "ls-files", "--cached", "--ignored", "--exclude-standard", "-z", config=(excludes_setting(layout),)
    )
    return tuple(parse_names(listed))


def index_copy(layout: Layout) -> str:
    """Where the user's index is copied to, as data."""
    return os.path.join(layout.git_dir, "user-index")


def mark_sparse(work: Git, paths: list[bytes], option: str) -> None:
    """Set (`--skip-worktree`) or clear (`--no-skip-worktree`) bits in the private index."""
    if paths:
        work.run("update-index", option, "-z", "--stdin", stdin=b"".join(path + b"\0" for path in paths))


class _UsersIndex:
    """The names that only the user's index knows, asked again when it changed; it is copied, as data."""

    def __init__(self, work: Git, layout: Layout, state: State, repository: Repository | None) -> None:
        self._state = state
        self._question: GitRunning | None = None
        self._is_sound = True
        if repository is None:
            return
        stamp = stamp_at(os.path.join(repository.git_dir, "index"))
        if stamp == state.index_stamp:
            return
        self._is_sound = _copy_index(layout, repository)
        if state.is_sparse or state.sparse:
            _follow_sparse(work, layout, state)
        if os.path.getsize(index_copy(layout)):
            # Names that the user's index has and the baseline has not; nothing but names is taken from it.
            self._question = work.start(
                *("diff-index", "--cached", "--diff-filter=A", "--name-only", "--no-renames", "-z", "HEAD"),
                variables={"GIT_INDEX_FILE": index_copy(layout)},
            )
        else:
            state.forced = []
        state.index_stamp, state.dirty = stamp, True

    def finish(self) -> bool:
        """Bring `state.forced` up to date; False when the index is damaged, and what was forced before still is."""
        if self._question is not None:
            try:
                names = parse_names(self._question.finish()[0])
                self._state.forced = [name for name in names if is_capturable(name)]
            except GitFailed:
                # It may also name trees that are in no commit of ours.
                self._is_sound = False
        if not self._is_sound:
            self._state.index_stamp = None
        return self._is_sound


def _copy_index(layout: Layout, repository: Repository) -> bool:
    """Copy the index and what it is split into; False when it cannot be read."""
    source = os.path.join(repository.git_dir, "index")
    data = _content(source)
    write_atomically(index_copy(layout), data or b"")
    for name in os.listdir(repository.git_dir):
        if name.startswith("sharedindex."):
            write_atomically(
                os.path.join(layout.git_dir, name), _content(os.path.join(repository.git_dir, name)) or b""
            )
    return data is not None or not os.path.lexists(source)


def _content(path: str) -> bytes | None:
    """A file of the user's `.git`; None when it is not there or cannot be read."""
    try:
        return read_regular(path, _INDEX_LIMIT)
    except OSError:
        return None


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
