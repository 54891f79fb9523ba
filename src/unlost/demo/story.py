"""The acts of the demo: what is told, what is typed, and how it must end.

The commands are the ones that a person would type, given to the real program; the demo knows no other way.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from unlost.demo.material import LOST_FILE, PLAN_FILE
from unlost.facts.errors import UnlostError, WorkLost
from unlost.facts.records import dataclass


@dataclass(frozen=True, kw_only=True)
class Act:
    """One act: lines told before, the arguments of unlost that are typed, and the exit code it ends with.

    `arguments` name files as a person would in the demo's folder; `shows` is a file to print afterwards.
    """

    tells: tuple[str, ...]
    arguments: tuple[str, ...]
    exit_code: int
    shows: str | None = None


ACTS: Final = (
    Act(
        tells=(
            "An agent gets a plan of three tasks: swap the call sites, add the function, write the notes.",
            "All of its work stays uncommitted. In task three it gets stuck, and starts over",
            f"with `git checkout -- {LOST_FILE}`. That throws away what task one wrote there.",
        ),
        arguments=("run", PLAN_FILE),
        exit_code=WorkLost.exit_code,
        shows=LOST_FILE,
    ),
    Act(
        tells=(
            "git remembers nothing of it, and the agent reports success. unlost took a snapshot at every",
            "boundary, so it knows what is gone. It stopped there: no later task builds on the loss.",
            "One command brings it back:",
        ),
        arguments=("restore", LOST_FILE),
        exit_code=0,
        shows=LOST_FILE,
    ),
    Act(
        tells=("Byte for byte. Now the plan can go on; finished tasks do not run again:",),
        arguments=("resume",),
        exit_code=0,
    ),
)

CLOSING: Final = (
    "That was the real program in a repository of its own; nothing of yours was touched.",
    "In your repository:",
)
NEXT: Final = (
    ("unlost mark", "take a boundary now, before an agent starts"),
    ("unlost run -- your-agent", "or let unlost take one before and after"),
    ("unlost check", "is all of it still there?"),
    ("unlost restore --lost", "bring back what is not"),
    ("unlost plan new", "write a plan and let unlost supervise it"),
)
"""What to type next, and what it does."""


def check_ending(act: Act, exit_code: int) -> None:
    """Raise UnlostError when an act ended in another way than the story says."""
    if exit_code != act.exit_code:
        typed = " ".join(act.arguments)
        raise UnlostError(f"the demo went wrong: `unlost {typed}` ended with {exit_code}, not {act.exit_code}")


def next_steps() -> Iterator[str]:
    """The closing lines, the commands aligned."""
    yield from CLOSING
    width = max(len(command) for command, _ in NEXT)
    for command, meaning in NEXT:
        yield f"  {command.ljust(width)}   {meaning}"
