"""Who may write in a workspace: epochs, one stream that only rises (decision 11).

Every change of writer is one event in `epochs-<workspace>`. It is appended where the stream ends as the newcomer saw
it, so of two who reach for the same number one is recorded and the other is told to try later; and whoever writes
elsewhere names, as a fence, how long this stream was when it became the writer.
"""

from __future__ import annotations

from typing import Final, Literal

from unlost.facts.errors import SupersededWriter
from unlost.facts.records import dataclass
from unlost.ledger.payload import Declared, Vocabulary
from unlost.ledger.protocol import Fence, Ledger

Purpose = Literal["run", "move"]
"""What a writer came for: to let agents work in its root, or to bring files there or away."""


@dataclass(frozen=True, kw_only=True, slots=True)
class EpochRaised:
    """A new writer. `holder` is one process's own name for itself, `root_digest` the sha256 of its root's path."""

    number: int
    holder: str
    purpose: Purpose
    place: str
    root_digest: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Epoch:
    """A writer's right: its number, and where its event stands in the stream."""

    workspace: str
    number: int
    holder: str
    purpose: Purpose
    place: str
    root_digest: str
    sequence: int

    @property
    def fence(self) -> Fence:
        """What every append of this writer carries: it ends with the next epoch."""
        return Fence(stream=stream_of(self.workspace), length=self.sequence)

    def is_move_of(self, holder: str, place: str, root_digest: str) -> bool:
        """Whether this writer came to move files to that root under that name."""
        return (self.holder, self.purpose, self.place, self.root_digest) == (holder, "move", place, root_digest)


EVENTS: Final = Vocabulary({"epoch.raised": Declared(payload=EpochRaised)})


def read_epochs(ledger: Ledger, workspace: str) -> tuple[Epoch, ...]:
    """Every writer that a workspace had, the first one first. Raises StreamDamaged."""
    found: list[Epoch] = []
    for event in ledger.read(stream_of(workspace)):
        raised: EpochRaised = EVENTS.payload(event)
        found.append(_epoch(workspace, raised, event.sequence))
    return tuple(found)


def raise_epoch(
    ledger: Ledger, workspace: str, *, holder: str, purpose: Purpose, place: str, root_digest: str, over: int = 0
) -> Epoch:
    """Become the writer of a workspace, in one transaction; every earlier writer is fenced out from then on.

    `over` is a number that it must exceed: writers of the time before there was this stream. Raises StreamMoved or
    KeyTaken (exit 75) when another one was faster; then nothing was changed.
    """
    known = read_epochs(ledger, workspace)
    number = 1 + max(over, known[-1].number if known else 0)
    raised = EpochRaised(number=number, holder=holder, purpose=purpose, place=place, root_digest=root_digest)
    event = EVENTS.new(raised, key=f"epoch {number}")
    stored = ledger.append(stream_of(workspace), [event], expect=len(known))[0]
    return _epoch(workspace, raised, stored.sequence)


def refuse_superseded(ledger: Ledger, epoch: Epoch) -> None:
    """Raise SupersededWriter unless this is still the newest epoch, and of this holder."""
    refuse_overtaken(read_epochs(ledger, epoch.workspace)[-1], epoch)


def refuse_overtaken(newest: Epoch, epoch: Epoch) -> None:
    """Raise SupersededWriter unless the newest epoch on record is this one, of this holder."""
    if newest != epoch:
        raise SupersededWriter(
            f"another writer holds {epoch.workspace} since (epoch {newest.number}); this one changed nothing more",
            hint="unlost status",
        )


def stream_of(workspace: str) -> str:
    """The stream of a workspace's epochs; its length is what fences compare."""
    return f"epochs-{workspace}"


def _epoch(workspace: str, raised: EpochRaised, sequence: int) -> Epoch:
    return Epoch(
        workspace=workspace,
        number=raised.number,
        holder=raised.holder,
        purpose=raised.purpose,
        place=raised.place,
        root_digest=raised.root_digest,
        sequence=sequence,
    )
