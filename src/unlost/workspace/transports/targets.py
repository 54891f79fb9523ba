"""Where a person says that a workspace shall stand: a folder here, or one behind ssh or another command."""

from __future__ import annotations

import os
import re
from typing import Final, Literal
from urllib.parse import unquote_to_bytes

from unlost.facts.errors import UsageError
from unlost.facts.records import dataclass

TransportName = Literal["local", "ssh", "command"]

_SSH: Final = re.compile(r"ssh://(?:(?P<user>[^@/]*)@)?(?P<host>\[[^\]/]*\]|[^:/@]*)(?::(?P<port>[^/]*))?(?P<root>/.*)")
# What ssh takes for an option, a command or a forward is no name: it begins with a letter, digit or underscore.
_USER: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*\$?")
_HOST: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*|\[[0-9A-Fa-f:.]+(?:%[A-Za-z0-9._-]+)?\]")
_HINT: Final = "a folder, or ssh://[USER@]HOST[:PORT]/FOLDER"


@dataclass(frozen=True, kw_only=True)
class Target:
    """A root on a place, and the way there; `root` is absolute and has no `..`.

    `host`, `user`, `port` are for ssh; `prefix` is for command: what stands before a program's own argv.
    """

    transport: TransportName
    root: str
    host: str = ""
    user: str = ""
    port: int | None = None
    prefix: tuple[str, ...] = ()


def read_target(text: str, *, folder: str, prefix: tuple[str, ...] = ()) -> Target:
    """The target that a person typed; a relative folder starts at `folder`. Raises UsageError.

    With `prefix` the folder is one behind that command (`docker exec -i NAME`), and must be absolute.
    """
    if "\0" in text or not text:
        raise UsageError("an empty target names no place", hint=_HINT)
    if text.startswith("ssh:"):
        if prefix:
            raise UsageError("a target is reached through ssh or through a command, not both", hint=_HINT)
        return _ssh(text)
    if prefix:
        return Target(transport="command", root=_root(text), prefix=prefix)
    return Target(transport="local", root=_root(os.path.normpath(os.path.join(folder, text))))


def _ssh(text: str) -> Target:
    found = _SSH.fullmatch(text)
    if found is None:
        raise UsageError(f"{text!r} names no place", hint=_HINT)
    user, host, port = found["user"], found["host"], found["port"]
    if _HOST.fullmatch(host) is None:
        raise UsageError(f"{host!r} is no name of a host", hint=_HINT)
    if user is not None and _USER.fullmatch(user) is None:
        raise UsageError(f"{user!r} is no name of a user", hint=_HINT)
    if port is not None and not (port.isascii() and port.isdecimal() and 0 < int(port) < 65536):
        raise UsageError(f"{port!r} is no port", hint=_HINT)
    return Target(
        transport="ssh",
        root=_root(os.fsdecode(unquote_to_bytes(found["root"]))),
        host=host.strip("[]"),
        user=user or "",
        port=None if port is None else int(port),
    )


def _root(path: str) -> str:
    """A root, made regular. Raises UsageError for a relative one, one that climbs, and `/` itself."""
    if "\0" in path or not path.startswith("/"):
        raise UsageError(f"{path!r} is no absolute folder", hint=_HINT)
    if ".." in path.split("/"):
        raise UsageError(f"{path!r} climbs with `..`; say where it leads", hint=_HINT)
    root = os.path.normpath(path).replace("//", "/", 1)
    if root == "/":
        raise UsageError("`/` cannot be the root of a workspace", hint=_HINT)
    return root
