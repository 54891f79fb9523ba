"""A capture that was begun before it was asked for: git looks at the files while the program is still being loaded.

Loading a command takes as long as git's look does, and two processors can do both at once. A capture is begun early
only where it goes the quiet way: the workspace is known, nobody else captures it, and HEAD, the ignore rules and the
user's index are as the last capture left them. In any other case, and after any error, the ordinary capture decides.
What is imported here is paid for before git starts: keep it little.
"""

from __future__ import annotations

import os
from types import TracebackType
from typing import Final, Self

from unlost.facts.errors import UnlostError
from unlost.git.call import Git, GitRunning
from unlost.git.repository import Repository, head_of
from unlost.host.locks import FileLock
from unlost.host.reading import read_regular
from unlost.host.stamps import file_clock, stamp_at
from unlost.snapshot.layout import Layout
from unlost.snapshot.rules import rules_stand
from unlost.snapshot.state import State, load_state

_SMALL: Final = 4096


class Begun:
    """The capture lock, what the last capture saw, and git's look under way; use it up by a capture, or close it.

    `now` is of `file_clock`, from before the look began.
    """

    def __init__(self, layout: Layout, root: str, lock: FileLock, state: State, now: int, status: GitRunning) -> None:
        self.layout = layout
        self.root = root
        self.lock = lock
        self.state = state
        self.now = now
        self._status: GitRunning | None = status

    @property
    def is_looking(self) -> bool:
        """Whether git is still at it."""
        return self._status is not None and self._status.is_at_work

    def take_status(self) -> GitRunning | None:
        """The look, once; None when it was given up."""
        status, self._status = self._status, None
        return status

    def give_up_status(self) -> None:
        """Stop the look: what it went by is no longer so. What git learned so far is lost, and nothing else."""
        if self._status is not None:
            self._status.stop()
            self._status = None

    def close(self) -> None:
        """Stop the look when nobody took it, and free the lock; harmless when done before."""
        self.give_up_status()
        self.lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def begin(workspace_folder: str, repository: Repository) -> Begun | None:
    """Begin a capture of the work tree of a repository; None where it has to take the ordinary way. Never raises.

    Waits for nothing: while another process holds the capture lock there is no head start.
    """
    lock = FileLock(os.path.join(workspace_folder, "capture.lock"))
    try:
        lock.acquire(wait=0.0)
        begun = _begin(workspace_folder, repository, lock)
    except (OSError, UnlostError, ValueError):
        begun = None
    if begun is None:
        lock.release()
    return begun


def ask_status(work: Git, layout: Layout, *, sparse: bool) -> GitRunning:
    """Start the one question to git: what differs from the private index? Held under the capture lock."""
    _remove_stale_lock(layout)
    return work.start(
        *("status", "--porcelain=v2", "-z", "-uall", "--no-renames", "--ignore-submodules=all", "--no-ahead-behind"),
        config=(excludes_setting(layout), f"core.sparseCheckout={str(sparse).lower()}"),
        # Lets status save what it learned in the index, which is ours.
        variables={"GIT_OPTIONAL_LOCKS": "1"},
    )


def excludes_setting(layout: Layout) -> str:
    """The setting that names the ignore rules from outside the work tree."""
    return f"core.excludesFile={layout.excludes}"


def _begin(workspace_folder: str, repository: Repository, lock: FileLock) -> Begun | None:
    layout = _layout_of(workspace_folder)
    if layout is None or _restore_was_interrupted(workspace_folder):
        return None
    state = load_state(layout.state)
    if state is None or not _goes_on_quietly(state, repository):
        return None
    now = file_clock()
    work = Git(layout.git_dir, home=layout.home, work_tree=repository.root, inherit=(lock.descriptor,))
    return Begun(layout, repository.root, lock, state, now, ask_status(work, layout, sparse=False))


def _restore_was_interrupted(workspace_folder: str) -> bool:
    """Whether a restore has to be finished first."""
    try:
        return bool(os.listdir(os.path.join(workspace_folder, "journals")))
    except FileNotFoundError:
        return False


def _layout_of(workspace_folder: str) -> Layout | None:
    """The layout of a workspace that was captured before: its git dir names its store."""
    place, workspace = os.path.split(workspace_folder)
    named = read_regular(os.path.join(place, workspace, "git", "commondir"), _SMALL)
    if not named:
        return None
    store_folder = os.path.dirname(os.fsdecode(named.rstrip(b"\n")))
    return Layout(store_folder=store_folder, workspace_folder=workspace_folder, workspace=workspace)


def _goes_on_quietly(state: State, repository: Repository) -> bool:
    """Whether nothing has to be brought up to date before git may look."""
    if state.is_sparse or state.sparse or state.format != repository.object_format.name:
        return False
    return (
        head_of(repository).oid == state.head
        and stamp_at(os.path.join(repository.git_dir, "index")) == state.index_stamp
        and rules_stand(state.rule_stamps, repository)
    )


def _remove_stale_lock(layout: Layout) -> None:
    """Under the capture lock nobody writes the private index, so a lock file is what a killed git left."""
    path = os.path.join(layout.git_dir, "index.lock")
    if os.path.lexists(path):
        os.unlink(path)
