"""The place where the demo happens: a temporary folder with a repository, a state home and a program of its own."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Mapping

from unlost.demo.material import FILES, PLAN, PLAN_FILE, SCRIPT, SCRIPT_FILE
from unlost.facts.errors import UnlostError
from unlost.facts.records import dataclass
from unlost.git.call import clean_environment, git_program
from unlost.host.environment import passed_environment
from unlost.host.process import Request, run

_AUTHOR: Mapping[str, str] = {
    "GIT_AUTHOR_NAME": "unlost demo",
    "GIT_AUTHOR_EMAIL": "demo@unlost.invalid",
    "GIT_COMMITTER_NAME": "unlost demo",
    "GIT_COMMITTER_EMAIL": "demo@unlost.invalid",
}
_SECONDS: float = 60.0


@dataclass(frozen=True, kw_only=True)
class Stage:
    """The demo's folders; `folder` holds all others and is ours alone."""

    folder: str

    @property
    def repository(self) -> str:
        """The work tree that the agent works in."""
        return os.path.join(self.folder, "repository")

    @property
    def plan(self) -> str:
        """The plan file, beside the work tree."""
        return os.path.join(self.folder, PLAN_FILE)

    def program(self, *arguments: str) -> tuple[str, ...]:
        """The argv of this very unlost, acting on the demo's repository."""
        return (sys.executable, "-m", "unlost", "-C", self.repository, *arguments)

    def environment(self, *, colored: bool) -> dict[str, str]:
        """An environment in which nothing of the person's settings, snapshots or units is seen or touched."""
        color = {"FORCE_COLOR": "1"} if colored else {"NO_COLOR": "1"}
        places = {
            "UNLOST_HOME": os.path.join(self.folder, "state"),
            "XDG_CONFIG_HOME": os.path.join(self.folder, "config"),
            "GIT_CONFIG_GLOBAL": os.devnull,
        }
        return {**passed_environment(("PYTHONPATH", "VIRTUAL_ENV")), **color, **places}


def set_up() -> Stage:
    """Make the folder, the repository with one commit, and plan and script beside it. Raises UnlostError."""
    stage = Stage(folder=tempfile.mkdtemp(prefix="unlost-demo-"))
    os.mkdir(stage.repository)
    for name, text in FILES.items():
        _write(os.path.join(stage.repository, name), text)
    _write(stage.plan, PLAN)
    _write(os.path.join(stage.folder, SCRIPT_FILE), SCRIPT)
    _git(stage, "init", "--quiet", "--initial-branch=main")
    _git(stage, "add", "--all")
    _git(stage, "commit", "--quiet", "--message=The parser we had")
    return stage


def clear_away(stage: Stage) -> None:
    """Remove the demo's folder, which `set_up` made."""
    shutil.rmtree(stage.folder, ignore_errors=True)


def read_file(stage: Stage, name: str) -> str:
    """A file of the repository as it is now."""
    with open(os.path.join(stage.repository, name), encoding="utf-8") as file:
        return file.read()


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def _git(stage: Stage, *arguments: str) -> None:
    request = Request(
        argv=(git_program(), "-C", stage.repository, *arguments),
        env={**clean_environment(stage.folder), **_AUTHOR},
        timeout=_SECONDS,
    )
    outcome = run(request)
    if not outcome.ok:
        raise UnlostError(f"git {arguments[0]} failed in {stage.repository}: {outcome.stderr.decode(errors='replace')}")
