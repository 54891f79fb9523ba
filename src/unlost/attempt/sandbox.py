"""Walls around an agent, made by bubblewrap: it writes in its workspace and where it has to, and sees no state of ours.

The network, and all else of the machine, is there to be read as ever.
"""

from __future__ import annotations

import os

from unlost.facts.records import dataclass

PROBE = ("--ro-bind", "/", "/", "--dev-bind", "/dev", "/dev", "--", "/bin/sh", "-c", ":")
"""Arguments of a run that does nothing: it succeeds where walls can be built."""


@dataclass(frozen=True, kw_only=True)
class Walls:
    """What an agent behind walls may write and may not see; all paths absolute and present.

    `writable` are folders of the person's, `hidden` those that are empty and read-only to the agent, `inside` what
    it may write although it lies below a hidden one.
    """

    program: str
    writable: tuple[str, ...]
    hidden: tuple[str, ...]
    inside: tuple[str, ...]


def walled(walls: Walls, argv: tuple[str, ...]) -> tuple[str, ...]:
    """The command that runs `argv` behind walls; later words of bubblewrap's cover earlier ones."""
    words = [walls.program, "--die-with-parent", "--ro-bind", "/", "/", "--dev-bind", "/dev", "/dev"]
    for path in _outermost_first(walls.writable):
        words += ["--bind", path, path]
    for path in _outermost_first(walls.hidden):
        words += ["--tmpfs", path]
    for path in _outermost_first(walls.inside):
        words += ["--bind", path, path]
    # Empty is not enough: what is written into an empty folder of ours would look kept, and be gone with the walls.
    for path in _outermost_first(walls.hidden):
        words += ["--remount-ro", path]
    return (*words, "--", *argv)


def _outermost_first(paths: tuple[str, ...]) -> list[str]:
    return sorted(set(paths), key=lambda path: (path.count(os.sep), path))
