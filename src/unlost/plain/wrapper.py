"""`unlost run -- CMD`: a boundary before, the program in our place, the proof after it.

It takes no writer lock and kills nothing: what CMD leaves running belongs to CMD, and several may share a tree.
"""

from __future__ import annotations

import signal
from collections.abc import Mapping
from typing import Final, Protocol

from unlost.facts.records import dataclass
from unlost.host.foreground import ForegroundEnd, run_in_foreground

LOSS_EXIT: Final = 4


@dataclass(frozen=True, kw_only=True)
class Proof:
    """What the boundary after a run found: how many files differ, how many claims are lost, its number."""

    changed: int
    lost: int
    boundary: int


class Around(Protocol):
    """What plain mode does before and after a run."""

    def before(self) -> None:
        """Take the boundary that the run is held against; an error here means that CMD does not start."""

    def after(self) -> Proof:
        """Re-prove all claims and take the next boundary."""


@dataclass(frozen=True, kw_only=True)
class WrapperEnd:
    """How a wrapped run ended; `exit_code` is what we leave with."""

    command: ForegroundEnd
    proof: Proof
    exit_code: int

    @property
    def is_interrupt(self) -> bool:
        """Whether we should die of SIGINT as CMD did, so that a shell loop around us ends too."""
        return self.command.signal == signal.SIGINT and self.exit_code == self.command.code


def run_wrapped(
    argv: tuple[str, ...], environment: Mapping[str, str], around: Around, *, loss_exit: int = LOSS_EXIT
) -> WrapperEnd:
    """Run a program between two boundaries. Call it from the main thread; raises what `around` raises."""
    around.before()
    command = run_in_foreground(argv, environment)
    proof = around.after()
    return WrapperEnd(command=command, proof=proof, exit_code=loss_exit if proof.lost else command.code)


def summary(proof: Proof) -> str:
    """The one line at the end, on stderr."""
    changed = f"{proof.changed} {'file' if proof.changed == 1 else 'files'} changed"
    lost = f"{proof.lost} lost" if proof.lost else "nothing lost"
    way_back = " · unlost restore --lost" if proof.lost else ""
    return f"unlost: {changed}, {lost} · boundary {proof.boundary}{way_back}"
