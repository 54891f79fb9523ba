"""A place behind OpenSSH: the person's own client and configuration, an ordinary sshd, nothing installed there.

Nobody is asked for anything (BatchMode), host keys must be known, nothing is forwarded, and a name can be no option.
One connection is shared by all calls where its socket's name is short enough.
"""

from __future__ import annotations

import os
import shlex
from typing import Final

from unlost.facts.quoting import clean
from unlost.host.environment import passed_environment, variable
from unlost.host.ids import new_nonce
from unlost.workspace.ports import Done, Unreachable
from unlost.workspace.transports.programs import ProgramTransport
from unlost.workspace.transports.targets import Target

PROGRAM: Final = "UNLOST_SSH"
"""The variable that names another ssh, with options of its own, as GIT_SSH_COMMAND does for git."""

_FAILED: Final = 255
_LONGEST_SOCKET: Final = 90
_TOLD: Final = 300
_OPTIONS: Final = (
    *("BatchMode=yes", "StrictHostKeyChecking=yes", "ForwardAgent=no", "ForwardX11=no", "ClearAllForwardings=yes"),
    *("PermitLocalCommand=no", "ConnectTimeout=15", "ServerAliveInterval=15", "ServerAliveCountMax=4"),
    *("EscapeChar=none", "RequestTTY=no", "LogLevel=ERROR"),
)


class SshTransport(ProgramTransport):
    """Runs programs on one host. Exit code 255 is ssh's own word, and so Unreachable."""

    def __init__(self, target: Target, state_home: str) -> None:
        self._socket = _socket(state_home)
        self._host = target.host
        # The first value of an option counts, so a person's own options come after ours.
        program, *own = shlex.split(variable(PROGRAM) or "ssh")
        self._start = (program, *_options(target, self._socket), *own)
        super().__init__(
            wrap=self._command_line,
            env=passed_environment(("SSH_AUTH_SOCK", "SSH_AGENT_PID", "XDG_*")),
            way=f"ssh://{target.host}",
            python="python3",
        )

    def close(self) -> None:
        """End the shared connection."""
        if self._socket is not None and os.path.exists(self._socket):
            self.start((*self._start, "-O", "exit", "--", self._host), b"", 15.0, 1 << 12)

    def heard(self, done: Done) -> Done:
        """See `ProgramTransport.heard`."""
        if done.exit_code != _FAILED:
            return done
        told = clean(done.stderr.decode("utf-8", "replace").strip()[-_TOLD:], one_line=True)
        raise Unreachable(
            f"ssh://{self._host} cannot be reached: {told or 'ssh ended with 255'}",
            hint=f"`ssh {self._host}` must connect without asking, its host key known",
        )

    def _command_line(self, argv: tuple[str, ...]) -> tuple[str, ...]:
        # The far side's login shell reads one text: every argument is quoted, so it can only be itself.
        return (*self._start, "--", self._host, shlex.join(argv))


def transport(target: Target, state_home: str) -> SshTransport:
    """The way to a host; the shared connection's socket is made in the state home."""
    return SshTransport(target, state_home)


def _options(target: Target, socket: str | None) -> list[str]:
    options = [f"-o{option}" for option in _OPTIONS]
    if socket is not None:
        options += ["-oControlMaster=auto", f"-oControlPath={socket}", "-oControlPersist=60"]
    if target.user:
        options += ["-l", target.user]
    if target.port is not None:
        options += ["-p", str(target.port)]
    return options


def _socket(state_home: str) -> str | None:
    """Where the shared connection listens; None when the name would be too long for a socket (sun_path)."""
    folder = os.path.join(state_home, "ssh")
    path = os.path.join(folder, new_nonce()[:12])
    if len(os.fsencode(path)) > _LONGEST_SOCKET:
        return None
    os.makedirs(folder, mode=0o700, exist_ok=True)
    return path
