"""A real sshd on loopback for tests: its own host key, port and user keys; skipped where OpenSSH is missing."""

from __future__ import annotations

import getpass
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

_LONGEST = 120.0
_CONFIG = """\
Port {port}
ListenAddress 127.0.0.1
HostKey {folder}/host_key
PidFile {folder}/pid
AuthorizedKeysFile {folder}/authorized
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
LogLevel ERROR
MaxStartups 1000
"""


@dataclass(frozen=True)
class SshServer:
    """A running server: `host`, `port`, and the client command that knows its host key and has a key of its own."""

    folder: Path
    port: int
    host: str = "127.0.0.1"

    @property
    def client(self) -> str:
        """What UNLOST_SSH and GIT_SSH_COMMAND name."""
        return f"ssh -F {self.folder}/client_config"

    @property
    def user(self) -> str:
        """Who logs in."""
        return getpass.getuser()

    def url(self, path: Path | str) -> str:
        """An `ssh://` URL of a path on the place."""
        return f"ssh://{self.user}@{self.host}:{self.port}{path}"


@contextmanager
def running_sshd() -> Iterator[SshServer]:
    """Start a server for this user and stop it."""
    programs = {name: _program(name) for name in ("sshd", "ssh", "ssh-keygen")}
    missing = [name for name, path in programs.items() if path is None]
    if missing:
        pytest.skip(f"not on this machine: {', '.join(missing)}")
    # Short, because sockets and sshd's own limits count the bytes of paths.
    folder = Path(tempfile.mkdtemp(prefix="unlost-sshd-"))
    try:
        for name in ("host_key", "user_key"):
            _keygen(programs["ssh-keygen"] or "", folder / name)
        shutil.copy(folder / "user_key.pub", folder / "authorized")
        if os.getuid() == 0:
            Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)  # sshd's own empty folder, which root's server wants
        server, port = _started(programs["sshd"] or "", folder)
        try:
            host_key = (folder / "host_key.pub").read_text().split(" ")
            (folder / "known_hosts").write_text(f"[127.0.0.1]:{port} {host_key[0]} {host_key[1].strip()}\n")
            (folder / "client_config").write_text(
                f"IdentityFile {folder}/user_key\nIdentitiesOnly yes\nUserKnownHostsFile {folder}/known_hosts\n"
                "GlobalKnownHostsFile /dev/null\n"
            )
            yield SshServer(folder=folder, port=port)
        finally:
            server.terminate()
            server.wait(_LONGEST)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _program(name: str) -> str | None:
    # sshd wants to be started by its absolute path, and is not in everybody's PATH.
    return shutil.which(name) or shutil.which(name, path="/usr/sbin:/usr/local/sbin:/sbin")


def _keygen(program: str, file: Path) -> None:
    subprocess.run(
        [program, "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", str(file)],
        check=True,
        timeout=_LONGEST,
        stdin=subprocess.DEVNULL,
    )


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def _started(program: str, folder: Path) -> tuple[subprocess.Popen[bytes], int]:
    """A server that listens, and its port: another one when somebody took it between our look and its start."""
    for _ in range(5):
        port = _free_port()
        (folder / "config").write_text(_CONFIG.format(port=port, folder=folder))
        command = [program, "-D", "-E", str(folder / "log"), "-f", str(folder / "config")]
        server = subprocess.Popen(command, stdin=subprocess.DEVNULL)
        if _listens(server, folder):
            return server, port
        server.kill()
        server.wait()
    raise AssertionError((folder / "log").read_text())


def _listens(server: subprocess.Popen[bytes], folder: Path) -> bool:
    """Whether this server listens: it writes its number down when it does. A port that answers may be another's."""
    deadline = time.monotonic() + _LONGEST
    while time.monotonic() < deadline and server.poll() is None:
        if (folder / "pid").exists():
            return True
        time.sleep(0.02)
    return False
