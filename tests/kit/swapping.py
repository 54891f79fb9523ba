"""A process that swaps two names in bursts, until it is killed: `python -m kit.swapping FOLDER A B`.

Swaps without a pause would leave a work of many steps no whole course on a machine whose other core is free, and a race
that one side always wins proves nothing. So each burst of swaps is followed by a pause, and both are of many lengths:
a step can be hit at any place, and a whole course fits between two bursts. Lengths are counted in system calls, not in
seconds, so they keep their proportion to the work that is raced on any machine.
"""

from __future__ import annotations

import os
import random
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


LENGTHS = (1, 3, 10, 100, 1_000, 10_000)
"""How many swaps a burst may hold, and how many looks at the folder a pause may take."""


def main(folder: str, one: str, other: str) -> None:
    """Swap for ever, in bursts whose lengths are the same in every run."""
    lengths = random.Random(0)
    with Folder.open(folder) as opened:
        assert exchange(opened, one.encode(), opened, other.encode()), "this file system cannot swap names"
        sys.stdout.write("swapping\n")
        sys.stdout.flush()
        while True:
            for _ in range(lengths.choice(LENGTHS)):
                exchange(opened, one.encode(), opened, other.encode())
            for _ in range(lengths.choice(LENGTHS)):
                os.stat(folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
