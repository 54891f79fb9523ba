"""The address of a shared store: any git URL, with only the one protocol it names opened for git.

Credentials are those of the person who gave the address, and only theirs: ssh uses their agent and keys without asking
anything, https their own credential helper.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping
from typing import Final, Literal
from urllib.parse import unquote, urlsplit

from unlost.facts.errors import UsageError
from unlost.facts.records import dataclass
from unlost.git.configuration import config_value, read_settings
from unlost.host.environment import home_folder, variable
from unlost.host.reading import write_atomically

Protocol = Literal["file", "ssh", "https", "http"]

_SCP: Final = re.compile(
    r"(?:[A-Za-z0-9_][A-Za-z0-9._-]*@)?[A-Za-z0-9_][A-Za-z0-9._-]*:(?!:)[^/-].*|"
    r"(?:[A-Za-z0-9_][A-Za-z0-9._-]*@)?[A-Za-z0-9_][A-Za-z0-9._-]*:/[^/].*"
)
_SCHEMES: Final[Mapping[str, Protocol]] = {"file": "file", "ssh": "ssh", "https": "https", "http": "http"}
_HINT: Final = "a git URL: file:///…, ssh://…, https://…, or HOST:PATH"
_PASSED: Final = ("SSH_AUTH_SOCK", "SSH_AGENT_PID", "TMPDIR")
_SSH: Final = (
    *("-oBatchMode=yes", "-oStrictHostKeyChecking=yes", "-oForwardAgent=no", "-oClearAllForwardings=yes"),
    *("-oPermitLocalCommand=no", "-oConnectTimeout=15", "-oServerAliveInterval=15"),
)


@dataclass(frozen=True, kw_only=True)
class StoreAddress:
    """A git URL that may be used; `folder` is the repository's when it is on this machine."""

    url: str
    protocol: Protocol
    folder: str | None = None


def read_address(url: str) -> StoreAddress:
    """The address in a text. Raises UsageError for what git would take for an option, a helper or another protocol."""
    if url.startswith("/"):
        return StoreAddress(url=url, protocol="file", folder=os.path.normpath(url))
    if "://" not in url and _SCP.fullmatch(url):
        return StoreAddress(url=url, protocol="ssh")
    parts = urlsplit(url)
    protocol = _SCHEMES.get(parts.scheme)
    if protocol is None or not url.startswith(f"{parts.scheme}://") or re.search(r"[\x00-\x20\x7f]", url):
        raise UsageError(f"{url[:200]!r} is no address of a store", hint=_HINT)
    if protocol == "file":
        if parts.netloc or not parts.path.startswith("/"):
            raise UsageError(f"{url[:200]!r} is no address of a store", hint=_HINT)
        return StoreAddress(url=url, protocol="file", folder=os.path.normpath(unquote(parts.path)))
    if not parts.hostname or parts.netloc.startswith("-") or parts.hostname.startswith("-"):
        raise UsageError(f"{url[:200]!r} names no host", hint=_HINT)
    return StoreAddress(url=url, protocol=protocol)


def settings_for(address: StoreAddress) -> tuple[str, ...]:
    """`-c` settings of a git process that speaks with the store: its protocol alone, and a helper for https."""
    settings = [f"protocol.{address.protocol}.allow=always"]
    if address.protocol in ("https", "http"):
        home = home_folder()
        own = read_settings(os.path.join(home, ".gitconfig"), home=home)
        settings += [f"{key}={value}" for key, value in own.items() if key.startswith(("credential.", "http."))]
    return tuple(settings)


def variables_for(address: StoreAddress, home: str) -> dict[str, str]:
    """The variables of such a process over the hardened ones; `home` is a folder of ours that is written to."""
    os.makedirs(home, mode=0o700, exist_ok=True)
    trusted = "" if address.folder is None else f"[safe]\n\tdirectory = {config_value(address.folder)}\n"
    # The other end of a file URL is a git that sees no `-c`, only a file.
    write_atomically(os.path.join(home, "gitconfig"), trusted.encode("utf-8", "surrogateescape"))
    variables = {"HOME": home, "XDG_CONFIG_HOME": home, "GIT_CONFIG_GLOBAL": os.path.join(home, "gitconfig")}
    if address.protocol == "ssh":
        program, *own = shlex.split(variable("UNLOST_SSH") or "ssh")
        variables["GIT_SSH_COMMAND"] = shlex.join((program, *_SSH, *own))
        variables["GIT_SSH_VARIANT"] = "ssh"
        variables |= {name: value for name in _PASSED if (value := variable(name)) is not None}
    if address.protocol in ("https", "http"):
        # A credential helper keeps what it knows in the person's own home.
        variables["HOME"] = home_folder()
    return variables
