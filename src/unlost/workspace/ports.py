"""What workspaces need of the outside: a way to reach a place, and a store that places share."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Protocol

from unlost.facts.errors import TryLater
from unlost.facts.records import dataclass
from unlost.snapshot.facts import Snapshot

Progress = Callable[[str], None]
"""Told in a few words what takes long."""


class Unreachable(TryLater):
    """A place or the shared store does not answer, or the way to it was cut; what was sent before stays there."""


@dataclass(frozen=True, kw_only=True)
class Done:
    """How a program on a place ended: exit code (negative for a signal) and its two streams, bounded."""

    exit_code: int
    stdout: bytes
    stderr: bytes

    @property
    def ok(self) -> bool:
        """Whether it ended with exit code 0."""
        return self.exit_code == 0


class Transport(Protocol):
    """A way to one place. Names on the place are absolute paths; every adapter passes one contract suite.

    A place needs a POSIX system and a Python 3.8 or later, nothing of unlost's.
    """

    @property
    def python(self) -> str:
        """What starts Python on the place."""

    def run(
        self, argv: tuple[str, ...], *, stdin: bytes = b"", timeout: float = 600.0, output_limit: int = 1 << 20
    ) -> Done:
        """Run a program on the place, feed it, wait for its end. Arguments arrive exactly, whatever bytes they hold.

        Raises Unreachable when the place does not answer or the timeout passed; then it may have run.
        """

    def send(self, source: str, target: str, progress: Progress) -> None:
        """Put a local file on the place: whole and verified under its name, or not at all; readable for its owner.

        What a cut left is gone on with. Memory does not grow with the file. Raises Unreachable, TransferFailed.
        """

    def receive(self, source: str, target: str, progress: Progress) -> None:
        """Bring a file of the place here, under the same promises as `send`."""

    def close(self) -> None:
        """Let go of connections; harmless when done before."""


@dataclass(frozen=True, kw_only=True)
class Stored:
    """A snapshot in the shared store; `private`: its precious ignored files are there, too.

    `sent`: the bytes that travelled for it, None where the way there does not tell.
    """

    snapshot: str
    sequence: int
    private: bool
    sent: int | None = None


Beside = Callable[[Collection[str]], Sequence[Snapshot]]
"""Told which snapshots the store has, it names the others that belong beside the one that is put there."""


def nothing_beside(_known: Collection[str]) -> Sequence[Snapshot]:
    """Nothing else belongs there."""
    return ()


class Store(Protocol):
    """A place for snapshots that several machines share, content-addressed and incremental."""

    def put(self, snapshot: Snapshot, *, private: bool, progress: Progress, beside: Beside = nothing_beside) -> Stored:
        """Put a snapshot there with all that a restore needs; harmless again. Its precious ignored files if `private`.

        `beside` names earlier ones of the workspace, which its claims rest on. When this returns the store has them
        durably, by its own answer. Raises Unreachable, StoreRefused.
        """

    def holds(self, workspace: str, snapshot: str) -> bool:
        """Whether the store has a snapshot whole. Raises Unreachable."""

    def newest(self, workspace: str) -> str | None:
        """The snapshot of a workspace with the highest number; None when it has none. Raises Unreachable."""

    def get(self, workspace: str, snapshot: str, *, progress: Progress) -> Snapshot:
        """Bring a snapshot into the local store, and those beside it, whole and verified.

        Raises Unreachable, StoreRefused, SnapshotUnreadable.
        """
