"""Git as a child process that reads only what unlost gives it: own git dir, own configuration, own environment.

A repository's `.git` can name programs that git runs (fsmonitor, filters, hooks, drivers), and flags do not close
every one of them. So git never gets the user's git dir; `fetch PATH` (upload-pack, which runs nothing that the
repository names) is the one door through which it is read.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from typing import Final

from unlost.facts.errors import UnlostError
from unlost.host.environment import variable
from unlost.host.process import Request, Running, find_program, start

_KNOWN_PLACES: Final = ("/usr/bin/git", "/usr/local/bin/git", "/opt/homebrew/bin/git")
_OUTPUT_LIMIT: Final = 1 << 30
_TIMEOUT: Final = 1800.0
_STDERR_KEPT: Final = 500
_FULL: Final = ("No space left on device", "Disk quota exceeded", "File too large")


class GitFailed(UnlostError):
    """A git process ended with an error, too late, or with more output than is taken."""

    def __init__(self, command: str, *, exit_code: int, stderr: str) -> None:
        super().__init__(f"git {command} failed ({exit_code}): {stderr}" if stderr else f"git {command}: {exit_code}")
        self.status = exit_code
        self.stderr = stderr

    @property
    def disk_is_full(self) -> bool:
        """Whether the cause is the disk, which doing it again does not heal."""
        return any(words in self.stderr for words in _FULL)


@cache
def git_program() -> str:
    """The absolute path of git: the usual places first, because PATH may be the agent's, then PATH."""
    for place in _KNOWN_PLACES:
        if os.access(place, os.X_OK):
            return place
    found = find_program("git", variable("PATH") or os.defpath)
    if found is None:
        raise UnlostError("git was not found", hint="install git 2.39.4 or later")
    return found


def clean_environment(home: str) -> dict[str, str]:
    """The whole environment of a git process; `home` is a folder of ours that may hold a `gitconfig`.

    Everything else (GIT_DIR, GIT_EXTERNAL_DIFF, GIT_TRACE, LD_PRELOAD, …) is left out by not being copied.
    """
    return {
        "PATH": f"{os.path.dirname(git_program())}:/usr/bin:/bin",
        "HOME": home,
        "XDG_CONFIG_HOME": home,
        "LC_ALL": "C",
        "TZ": "UTC",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.path.join(home, "gitconfig"),
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_LITERAL_PATHSPECS": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "/bin/false",
        "SSH_ASKPASS": "/bin/false",
        "GIT_SSH_COMMAND": "/bin/false",
        "GIT_PROTOCOL_FROM_USER": "0",
        "GIT_LFS_SKIP_SMUDGE": "1",
    }


class Git:
    """Calls git on one git dir of ours; with `work_tree`, on the user's files as well.

    `inherit` are lock descriptors that every child keeps, so that a git that outlives us still holds them.
    `calls` counts the processes.
    """

    def __init__(self, git_dir: str, *, home: str, work_tree: str | None = None, inherit: tuple[int, ...] = ()) -> None:
        self.git_dir = git_dir
        self.home = home
        self.work_tree = work_tree
        self.inherit = inherit
        self.calls = 0

    def request(
        self,
        *arguments: str,
        stdin: bytes | str | None = None,
        config: tuple[str, ...] = (),
        variables: Mapping[str, str] | None = None,
    ) -> Request:
        """The request for one call. `config` are `key=value` settings, `variables` go over the environment."""
        # A git whose present folder was deleted refuses to start, so it always gets one.
        place = ("-C", self.work_tree, f"--work-tree={self.work_tree}") if self.work_tree else ("-C", "/")
        settings = tuple(part for setting in config for part in ("-c", setting))
        return Request(
            argv=(git_program(), *place, f"--git-dir={self.git_dir}", "--no-pager", *settings, *arguments),
            env=clean_environment(self.home) | dict(variables or {}),
            stdin=stdin,
            timeout=_TIMEOUT,
            output_limit=_OUTPUT_LIMIT,
            inherit=self.inherit,
        )

    def start(
        self,
        *arguments: str,
        stdin: bytes | str | None = None,
        config: tuple[str, ...] = (),
        variables: Mapping[str, str] | None = None,
    ) -> GitRunning:
        """Start a call that goes on beside us; `finish` it."""
        self.calls += 1
        request = self.request(*arguments, stdin=stdin, config=config, variables=variables)
        return GitRunning(arguments[0], start(request))

    def run(
        self,
        *arguments: str,
        stdin: bytes | str | None = None,
        config: tuple[str, ...] = (),
        variables: Mapping[str, str] | None = None,
    ) -> bytes:
        """Run a call and return its stdout. Raises GitFailed."""
        return self.start(*arguments, stdin=stdin, config=config, variables=variables).finish()[0]


class GitRunning:
    """A git process on its way."""

    def __init__(self, command: str, running: Running) -> None:
        self._command = command
        self._running = running

    def finish(self) -> tuple[bytes, bytes]:
        """(stdout, stderr). Raises GitFailed for a bad exit code, a time-out, or cut output."""
        outcome = self._running.finish()
        if not outcome.ok or outcome.truncated:
            text = outcome.stderr[-_STDERR_KEPT:].decode("utf-8", "replace").strip()
            raise GitFailed(self._command, exit_code=outcome.exit_code, stderr=text)
        return outcome.stdout, outcome.stderr

    @property
    def is_at_work(self) -> bool:
        """Whether the process has not ended yet."""
        return not self._running.ended(0.0)

    def stop(self) -> None:
        """Give it up."""
        self._running.stop()
