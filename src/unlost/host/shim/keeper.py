"""The keeper: the shim's own parent. If the shim itself is killed, it clears the tree before the lock is free.

It holds the same lock descriptor and is a subreaper too, so whatever a killed shim leaves falls to it: also a daemon
that dropped its environment. Killing the keeper alone ends nothing.
"""

from __future__ import annotations

import os
import signal
import time

from unlost.host.shim.facts import Ending, Spec
from unlost.host.shim.records import read_ending, write_ending
from unlost.host.shim.tree import Tree


def part_keeper(spec: Spec) -> None:
    """Fork: the child returns and is the working shim, the parent keeps and never returns."""
    begun = time.monotonic()
    tree = Tree(spec.attempt, adopts=spec.adopts)
    worker = os.fork()
    if worker:
        _keep(spec, tree, worker, begun)
        os._exit(0)


def _keep(spec: Spec, tree: Tree, worker: int, begun: float) -> None:
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: None)
    # The relay must close when the worker dies, or the supervisor would wait for it.
    for end in (0, 1):
        os.close(end)
    os.waitpid(worker, 0)
    struck = tree.clear()
    if read_ending(spec.folder, spec.attempt) is None:
        seconds = round(time.monotonic() - begun, 3)
        ending = Ending(spec.attempt, by="keeper", reason="shim_lost", struck=len(struck), seconds=seconds)
        write_ending(spec.folder, ending)
