"""`hooks install`, `status`, `uninstall`: our hook in the settings files of agents, because a person asked for it.

What a file was before is kept in the state home, so that an uninstall gives back the very bytes.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shlex
import sys
from collections.abc import Mapping
from typing import Final, Literal, get_args

from unlost.facts.errors import UsageError
from unlost.facts.records import dataclass
from unlost.host.reading import read_regular, write_atomically
from unlost.host.state_home import make_state_home
from unlost.plain.hook_settings import FRONT, has_hook, with_hook, without_hook

Scope = Literal["local", "user", "project"]
SCOPES: Final[tuple[Scope, ...]] = get_args(Scope)
AGENTS: Final[Mapping[str, tuple[Scope, ...]]] = {"claude": ("local", "user", "project"), "codex": ("user",)}
"""The agents that take hooks, with the scopes that each has; the first is what is meant when none is said."""

_FRONT: Final = os.path.join(os.path.dirname(os.path.abspath(__file__)), FRONT)
_LIMIT: Final = 4 << 20
# A file that is committed is read on other machines: it names no path of this one, and where unlost was never asked for
# it does nothing. The agent's name follows.
_SHARED: Final = (
    f'f="${{UNLOST_HOME:-${{XDG_STATE_HOME:-$HOME/.local/state}}/unlost}}/hooks/{FRONT}"; '
    '[ ! -r "$f" ] || exec /bin/sh "$f" '
)


@dataclass(frozen=True, kw_only=True)
class HookFile:
    """The settings file of an agent in a scope; `stands` says whether it calls our hook."""

    agent: str
    scope: Scope
    path: str
    stands: bool


def hook_command(agent: str) -> str:
    """The command line that agents call as their hook."""
    return shlex.join(["/bin/sh", _FRONT, sys.executable, agent])


def hook_file(agent: str, scope: Scope | None, *, root: str | None, environment: Mapping[str, str]) -> HookFile:
    """The settings file that is meant. Raises UsageError for an agent or a scope that there is not."""
    if agent not in AGENTS:
        raise UsageError(f"no hooks are known for {agent!r}", hint=f"agents with hooks: {', '.join(AGENTS)}")
    scope = scope or AGENTS[agent][0]
    if scope not in AGENTS[agent]:
        raise UsageError(f"{agent} has no {scope} hooks", hint=f"unlost hooks install {agent} --{AGENTS[agent][0]}")
    # The file itself, should it be reached through a link: a link is not replaced by a file.
    path = os.path.realpath(os.path.join(*_place(agent, scope, root, environment)))
    return HookFile(agent=agent, scope=scope, path=path, stands=has_hook(_read(path)))


def hook_files(*, root: str | None, environment: Mapping[str, str]) -> tuple[HookFile, ...]:
    """Every settings file that could call our hook from here."""
    return tuple(
        hook_file(agent, scope, root=root, environment=environment)
        for agent, scopes in AGENTS.items()
        for scope in scopes
        if root is not None or scope == "user"
    )


def install(file: HookFile, *, home: str) -> bytes:
    """Put our hook into a settings file and return what was written. Raises FileInvalid, OSError; then it is as before.

    Installed again, it stays one hook, and what the file was before the first time is still known.
    """
    before = _read(file.path)
    is_shared = file.scope == "project"
    after = with_hook(before, _SHARED + file.agent if is_shared else hook_command(file.agent))
    known = _record(home, file.path)
    if not file.stands or known is None:
        known = {"path": file.path, "before": None if before is None else base64.b64encode(before).decode()}
    make_state_home(home)
    os.makedirs(os.path.join(home, "hooks"), mode=0o700, exist_ok=True)
    if is_shared:
        front = shlex.join(["/bin/sh", _FRONT, sys.executable])
        write_atomically(os.path.join(home, "hooks", FRONT), f'exec {front} "$1"\n'.encode())
    os.makedirs(os.path.dirname(file.path), exist_ok=True)
    kept = {**known, "after": hashlib.sha256(after).hexdigest()}
    write_atomically(_record_file(home, file.path), json.dumps(kept).encode())
    _write(file.path, after)
    return after


def uninstall(file: HookFile, *, home: str) -> bool:
    """Take our hook out of a settings file; False when it is not in there.

    A file that nobody edited since gets its old bytes back, or goes when there was none; in an edited one everything
    else stays. Raises FileInvalid, OSError.
    """
    data = _read(file.path)
    if data is None or not file.stands:
        return False
    known = _record(home, file.path)
    if known is None or known.get("after") != hashlib.sha256(data).hexdigest():
        _write(file.path, without_hook(data))
    elif known["before"] is None:
        os.unlink(file.path)
    else:
        _write(file.path, base64.b64decode(known["before"]))
    if known is not None:
        os.unlink(_record_file(home, file.path))
    return True


def _place(agent: str, scope: Scope, root: str | None, environment: Mapping[str, str]) -> tuple[str, str]:
    """The folder of a settings file, and its name."""
    home = environment.get("HOME") or os.path.expanduser("~")
    if agent == "codex":
        return environment.get("CODEX_HOME") or os.path.join(home, ".codex"), "hooks.json"
    if scope == "user":
        return environment.get("CLAUDE_CONFIG_DIR") or os.path.join(home, ".claude"), "settings.json"
    if root is None:
        raise UsageError(f"{scope} hooks belong to a repository, and here is none", hint="--user is for all of them")
    return os.path.join(root, ".claude"), "settings.json" if scope == "project" else "settings.local.json"


def _read(path: str) -> bytes | None:
    """What is in a settings file; None without one. Raises UsageError for what is there and is no such file."""
    data = read_regular(path, _LIMIT)
    if data is None and os.path.lexists(path):
        raise UsageError(f"{path} is no settings file of at most 4 MiB, so it is left alone")
    return data


def _write(path: str, data: bytes) -> None:
    mode = os.stat(path).st_mode & 0o777 if os.path.exists(path) else 0o644
    write_atomically(path, data)
    os.chmod(path, mode)


def _record(home: str, path: str) -> dict[str, str | None] | None:
    data = read_regular(_record_file(home, path), 8 * _LIMIT)
    try:
        value = json.loads(data) if data is not None else None
    except ValueError:
        return None
    return value if isinstance(value, dict) and value.get("path") == path else None


def _record_file(home: str, path: str) -> str:
    name = hashlib.sha256(os.fsencode(path)).hexdigest()[:16]
    return os.path.join(home, "hooks", f"{name}.json")
