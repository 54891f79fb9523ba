"""A process that swaps two names as fast as it can, until it is killed: `python -m kit.swapping FOLDER A B`."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from unlost.host.folders import Folder
from unlost.host.renaming import exchange


@contextmanager
def swapping(folder: Path, one: str, other: str) -> Iterator[None]:
    """Two names that swap all the while; the first swap has happened when the block begins."""
    process = subprocess.Popen(
        [sys.executable, "-m", "kit.swapping", str(folder), one, other],
        cwd=Path(__file__).parent.parent,
        stdout=subprocess.PIPE,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == b"swapping\n"
        yield
        assert process.poll() is None, "the swaps ended before the test did"
    finally:
        process.kill()
        process.communicate()


def main(folder: str, one: str, other: str) -> None:
    """Swap for ever."""
    with Folder.open(folder) as opened:
        assert exchange(opened, one.encode(), opened, other.encode()), "this file system cannot swap names"
        sys.stdout.write("swapping\n")
        sys.stdout.flush()
        while True:
            exchange(opened, one.encode(), opened, other.encode())


if __name__ == "__main__":
    main(*sys.argv[1:])
