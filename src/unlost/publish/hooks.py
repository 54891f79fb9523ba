"""The repository's commit hooks, run only where a plan says so, each in its time and with nothing left running.

A hook gets what git would give it: the work tree as its folder, an index that holds exactly what is about to be
committed, the message's file. What it runs bears a mark as an attempt does, so it cannot speak for a person.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Mapping
from typing import Final

from unlost.facts.records import dataclass
from unlost.git.call import Git, GitFailed
from unlost.host.environment import current_environment
from unlost.host.process import NotStarted, Request, run
from unlost.host.reading import read_regular
from unlost.host.shim.facts import MARK
from unlost.host.shim.sweep import sweep

HOOK_TIMEOUT: Final = 300.0
"""Seconds that one hook may take."""

_OUTPUT_LIMIT: Final = 64 * 1024
_LARGEST: Final = 16 << 20
_GRACE: Final = 1.0
_INDEX: Final = "hook-index"


@dataclass(frozen=True, kw_only=True)
class HookEnd:
    """How a hook ended; `output` is what it said, bounded."""

    name: str
    exit_code: int
    timed_out: bool
    output: str

    @property
    def is_well(self) -> bool:
        """Whether the commit may go on."""
        return self.exit_code == 0 and not self.timed_out


@dataclass(frozen=True, kw_only=True)
class Hooks:
    """The commit hooks of one work tree; `found` maps a name to its path."""

    found: Mapping[str, str]
    root: str
    mark: str
    timeout: float = HOOK_TIMEOUT

    def run(self, name: str, index: str, *arguments: str) -> HookEnd | None:
        """Run one hook to its end; None when there is none of that name."""
        path = self.found.get(name)
        if path is None:
            return None
        kept = {key: value for key, value in current_environment().items() if not key.startswith(("GIT_", "UNLOST_"))}
        environment = {**kept, MARK: self.mark, "GIT_INDEX_FILE": index, "GIT_EDITOR": ":", "GIT_PREFIX": ""}
        request = Request(
            argv=(path, *arguments),
            env=environment,
            cwd=self.root,
            timeout=self.timeout,
            output_limit=_OUTPUT_LIMIT,
            merge=True,
        )
        try:
            outcome = run(request)
        except NotStarted as error:
            return HookEnd(name=name, exit_code=127, timed_out=False, output=error.message)
        finally:
            sweep(self.mark, grace=_GRACE)
        output = outcome.stdout.decode("utf-8", "replace")
        return HookEnd(name=name, exit_code=outcome.exit_code, timed_out=outcome.timed_out, output=output)


def hooks_digest(found: Mapping[str, str]) -> str | None:
    """What tells these hooks from others, by content; None for no hooks."""
    if not found:
        return None
    digest = hashlib.sha256()
    for name, path in sorted(found.items()):
        data = read_regular(os.path.realpath(path), _LARGEST) or b""
        digest.update(b"%b %d\0%b" % (name.encode(), len(data), data))
    return digest.hexdigest()


def make_index(git: Git, root: str, tree: str) -> str:
    """An index of exactly this tree, over the files of the work tree; its path, in a git dir of ours."""
    index = os.path.join(git.git_dir, _INDEX)
    if os.path.lexists(index):
        os.unlink(index)
    over = Git(git.git_dir, home=git.home, work_tree=root)
    over.run("read-tree", tree, variables={"GIT_INDEX_FILE": index})
    # So that a hook sees at once which files differ from what is committed; what does differ is no error.
    with contextlib.suppress(GitFailed):
        over.run("update-index", "-q", "--refresh", variables={"GIT_INDEX_FILE": index})
    return index


def tree_of_index(git: Git, index: str) -> str:
    """The tree that an index holds now. Raises GitFailed."""
    return git.run("write-tree", variables={"GIT_INDEX_FILE": index}).decode("ascii").strip()
