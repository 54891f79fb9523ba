"""A machine of its own for tests of shared stores, and the same put or get as a process that can be killed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from unlost.host.clock import SystemClock
from unlost.snapshot.archive import Archive
from unlost.workspace.ports import Store
from unlost.workspace.stores.registry import open_store

WORKSPACE = "w-0123456789ab"


class StoringPlace:
    """A state home with the archive of one workspace, and the shared store as this machine reaches it."""

    def __init__(self, home: Path, root: Path, url: str) -> None:
        self.home, self.root, self.url = home, root, url
        self.archive = Archive(
            store_folder=str(home / "store"),
            workspace_folder=str(home / "workspace"),
            workspace=WORKSPACE,
            root=str(root),
            clock=SystemClock(),
        )
        (home / "workspace").mkdir(parents=True, exist_ok=True)

    def store(self) -> Store:
        """The shared store."""
        return open_store(self.url, self.archive.layout)

    def killed(self, point: str, what: str) -> int:
        """The exit code of a put or get (`put`, `get SNAPSHOT`) in a process that dies at a crash point."""
        return subprocess.run(
            [sys.executable, "-m", "kit.stores", str(self.home), str(self.root), self.url, *what.split()],
            cwd=Path(__file__).parent.parent,
            env={**os.environ, "UNLOST_CRASH_AT": point},
            timeout=240,
            check=False,
        ).returncode


def say_nothing(_: str) -> None:
    """Nobody watches."""


def main(home: str, root: str, url: str, what: str, snapshot: str = "") -> None:
    """Put the newest snapshot, or get one."""
    place = StoringPlace(Path(home), Path(root), url)
    if what == "put":
        newest = place.archive.latest()
        assert newest is not None
        place.store().put(newest, private=True, progress=say_nothing)
    else:
        place.store().get(WORKSPACE, snapshot, progress=say_nothing)


if __name__ == "__main__":
    main(*sys.argv[1:])
