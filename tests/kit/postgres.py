"""A real PostgreSQL server for tests: its own folder, a socket, no port; skipped where its programs are missing."""

from __future__ import annotations

import glob
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

LONGEST = 240


class PostgresServer:
    """A running server; every test gets a database of its own."""

    def __init__(self, folder: Path, user: str) -> None:
        self._folder = folder
        self._user = user
        self._databases = 0

    def new_database(self) -> str:
        """The URL of a fresh, empty database."""
        self._databases += 1
        name = f"test_{self._databases}"
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}".encode())
        return self.url(name)

    def url(self, database: str) -> str:
        """The URL of a database over the socket."""
        return f"postgresql://{self._user}@/{database}?host={self._folder}"


@contextmanager
def running_server() -> Iterator[PostgresServer]:
    """Start a server (as another user when root: it refuses root) and stop it."""
    programs = _programs()
    if programs is None:
        pytest.skip("no PostgreSQL server on this machine")
    user = "postgres" if os.getuid() == 0 else pwd.getpwuid(os.getuid()).pw_name
    try:
        account = pwd.getpwnam(user)
    except KeyError:
        pytest.skip("no user that could run a PostgreSQL server")
    folder = Path(tempfile.mkdtemp(prefix="unlost-pg-"))
    try:
        os.chown(folder, account.pw_uid, account.pw_gid)
        data = str(folder / "data")

        def call(program: str, *arguments: str) -> None:
            subprocess.run(
                [str(programs / program), *arguments],
                user=account.pw_uid if os.getuid() == 0 else None,
                group=account.pw_gid if os.getuid() == 0 else None,
                cwd=folder,
                check=True,
                timeout=LONGEST,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )

        call("initdb", "-D", data, "-U", user, "-A", "trust", "-E", "UTF8", "--locale=C", "-N")
        options = f"-c listen_addresses='' -c unix_socket_directories='{folder}' -c fsync=off"
        call("pg_ctl", "-D", data, "-w", "-t", "200", "-l", str(folder / "log"), "-o", options, "start")
        try:
            yield PostgresServer(folder, user)
        finally:
            call("pg_ctl", "-D", data, "-w", "-t", "200", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _programs() -> Path | None:
    found = shutil.which("pg_ctl")
    candidates = [*sorted(glob.glob("/usr/lib/postgresql/*/bin"), reverse=True)]
    if found:
        candidates.append(os.path.dirname(os.path.realpath(found)))
    return next((Path(folder) for folder in candidates if os.path.exists(os.path.join(folder, "initdb"))), None)
