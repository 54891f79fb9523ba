"""A process that swaps two names in bursts, until it is killed: `python -m kit.swapping FOLDER A B`.

Swaps without a pause would leave a work of many steps no whole course on a machine whose other core is free, and a race
that one side always wins proves nothing. So each burst of swaps is followed by a pause, and both are of many lengths:
a step can be hit at any place, and a whole course fits between two bursts. Lengths are counted in system calls, not in
seconds, so they keep their proportion to the work that is raced on any machine.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import cycle
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


BURSTS = (1, 3, 10, 100, 1_000)
"""How many swaps a burst holds, in turn."""

PAUSES = (1, 10, 100, 10_000, 30, 1_000)
"""How many looks at the folder a pause takes, in turn; of another number than the bursts, so all pairs occur."""


def main(folder: str, one: str, other: str) -> None:
    """Swap for ever."""
    with Folder.open(folder) as opened:
        assert exchange(opened, one.encode(), opened, other.encode()), "this file system cannot swap names"
        sys.stdout.write("swapping\n")
        sys.stdout.flush()
        for burst, pause in zip(cycle(BURSTS), cycle(PAUSES), strict=False):
            for _ in range(burst):
                exchange(opened, one.encode(), opened, other.encode())
            for _ in range(pause):
                os.stat(folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
