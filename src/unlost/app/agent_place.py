"""Where an agent lives while it works: whose settings and logins it sees, and what of the machine it may write."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final

from unlost.attempt.prepare import Folders
from unlost.attempt.sandbox import PROBE, Walls
from unlost.facts.errors import NotARepository, UsageError
from unlost.git.repository import open_repository
from unlost.host.environment import passed_environment
from unlost.host.process import Request, run
from unlost.host.programs import program_on_path
from unlost.plan.facts import AgentChoice
from unlost.snapshot.registry import read_row, registered_workspaces

# The hook, and `unlost` commands inside an agent, must find this workspace. The ledger's address is kept back: it may
# hold a password, and without it a hook still saves.
_STATE_HOME: Final = ("UNLOST_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME")
# Each would lead an agent out of a home of its own.
_CONFIG_FOLDERS: Final = frozenset(
    {"CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "OPENCODE_CONFIG", "OPENCODE_CONFIG_DIR"}
    | {f"XDG_{kind}_HOME" for kind in ("CONFIG", "DATA", "CACHE", "STATE")}
)
_PATIENCE: Final = 10.0
_PROGRAM: Final = "bwrap"


def agent_environment(choice: AgentChoice, names: tuple[str, ...], workspace_folder: str) -> dict[str, str]:
    """The person's variables as an agent gets them; with `home = "own"` its home is the workspace's own.

    That folder is made when it is missing: a person logs in there once, the agent keeps its settings there.
    """
    environment = passed_environment((*names, *choice.env, *_STATE_HOME))
    if choice.home == "user":
        return environment
    home = own_home(workspace_folder)
    os.makedirs(home, mode=0o700, exist_ok=True)
    kept = {name: value for name, value in environment.items() if name not in _CONFIG_FOLDERS or name in choice.env}
    theirs = os.path.join(environment.get("HOME", ""), ".gitconfig")
    # Who commits, and what is ignored, is the person's in any home.
    identity = {"GIT_CONFIG_GLOBAL": theirs} if os.path.isfile(theirs) else {}
    return {**kept, **identity, "HOME": home, "UNLOST_HOME": _state_home(workspace_folder)}


def own_home(workspace_folder: str) -> str:
    """The home of a workspace's agents, one for coders, researchers and reviewers."""
    state_home = _state_home(workspace_folder)
    workspace = os.path.relpath(workspace_folder, os.path.join(state_home, "workspaces")).split(os.sep)[0]
    return os.path.join(state_home, "workspaces", workspace, "home")


def agent_walls(
    choice: AgentChoice, root: str, workspace_folder: str, made: Folders, environment: Mapping[str, str]
) -> Walls | None:
    """The walls of an attempt in the work tree at `root`; None when the plan wants none. Raises UsageError."""
    if choice.sandbox == "none":
        return None
    state_home = _state_home(workspace_folder)
    others = [path for path in _other_roots(state_home) if not _overlap(path, root)]
    home = environment.get("HOME", "")
    temporary = {environment.get("TMPDIR", "/tmp"), "/tmp", "/var/tmp"}  # noqa: S108  (bound, not written by us)
    given = {environment[name] for name in _CONFIG_FOLDERS if name in environment}
    return Walls(
        program=require_sandbox(),
        writable=tuple(path for path in {home, *temporary, *given} if os.path.isdir(path)),
        hidden=(state_home, *others),
        inside=(root, made.outbox, made.private, *_git_folders(root), *([home] if choice.home == "own" else [])),
    )


def require_sandbox() -> str:
    """The absolute path of bubblewrap. Raises UsageError where it is missing or may not build walls."""
    program = program_on_path(_PROGRAM)
    if program is None:
        raise UsageError(
            '`sandbox = "bwrap"` needs bubblewrap, which is not installed; nothing was started',
            hint="apt-get install bubblewrap",
        )
    outcome = run(Request(argv=(program, *PROBE), env=passed_environment(), timeout=_PATIENCE))
    if not outcome.ok:
        told = outcome.stderr.decode("utf-8", "replace").strip() or f"exit code {outcome.exit_code}"
        raise UsageError(
            f"bubblewrap cannot build walls on this machine ({told}); nothing was started",
            hint='allow unprivileged user namespaces, or set `sandbox = "none"`',
        )
    return program


def _state_home(workspace_folder: str) -> str:
    """The state home that a workspace's folder, or one below it, lies in."""
    return workspace_folder.rpartition("/workspaces/w-")[0]


def _other_roots(state_home: str) -> list[str]:
    rows = (read_row(state_home, workspace) for workspace in registered_workspaces(state_home))
    return [row.root for row in rows if row is not None and os.path.isdir(row.root)]


def _overlap(first: str, second: str) -> bool:
    """Whether one of two folders is the other, or lies below it: then hiding one would hide the work."""
    return os.path.commonpath((first, second)) in (first, second)


def _git_folders(root: str) -> tuple[str, ...]:
    """Where git writes for this work tree, when that is elsewhere."""
    try:
        repository = open_repository(root)
    except NotARepository:
        return ()
    return tuple(path for path in (repository.git_dir, repository.common_dir) if not _overlap(path, root))
