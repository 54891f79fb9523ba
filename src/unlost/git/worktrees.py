"""Add and remove linked work trees: the one place where git changes the user's own git dir for `--worktree`.

Nothing of the repository runs: no hook, no fsmonitor, and no filter, because nothing is checked out here (the files
come from a snapshot). Whoever calls this was asked by a person, or by a plan that a person approved.
"""

from __future__ import annotations

import os
from typing import Final

from unlost.git.call import Git
from unlost.git.repository import Repository

_NOTHING_RUNS: Final = ("core.hooksPath=/dev/null", "core.fsmonitor=false", "gc.auto=0", "maintenance.auto=false")


def add_worktree(repository: Repository, root: str, *, branch: str, commit: str, home: str) -> None:
    """Add a linked work tree at `root` (which must not exist) on a new branch, without index and files.

    `branch` is its short name, `home` a folder of ours for git. Raises GitFailed, and then nothing was added.
    """
    arguments = ("worktree", "add", "--quiet", "--no-checkout", "-b", branch, "--", root, commit)
    _git(repository, home).run(*arguments, config=_NOTHING_RUNS)


def remove_worktree(repository: Repository, root: str, *, home: str) -> None:
    """Remove a linked work tree with every file in it; its branch and commits stay. Raises GitFailed."""
    git = _git(repository, home)
    if os.path.lexists(root):
        git.run("worktree", "remove", "--force", "--", root, config=_NOTHING_RUNS)
    else:
        git.run("worktree", "prune", config=_NOTHING_RUNS)


def delete_branch(repository: Repository, branch: str, *, commit: str, home: str) -> None:
    """Delete a branch that still is at `commit`. Raises GitFailed when it moved or is gone."""
    _git(repository, home).run("update-ref", "-d", f"refs/heads/{branch}", commit, config=_NOTHING_RUNS)


def _git(repository: Repository, home: str) -> Git:
    os.makedirs(home, mode=0o700, exist_ok=True)
    return Git(repository.common_dir, home=home)
