"""The events of a handoff: what an attempt that is not done hands over, and what is done about it before the next.

Paths are public, the handoff itself is a private body. Bringing work back is an effect: it has an intent and an
outcome; verifying changes nothing and has an outcome alone.
"""

from __future__ import annotations

from typing import Final

from unlost.facts.records import dataclass
from unlost.handoff.facts import HandoffSource
from unlost.ledger.payload import Declared


@dataclass(frozen=True, kw_only=True, slots=True)
class HandoffTaken:
    """What an attempt hands over. Body: the handoff file.

    `source`: asked of the agent, or derived from what it changed; `refused` counts the faults for which the file that
    it left was refused.
    """

    task: str
    attempt: int
    source: HandoffSource
    refused: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class HandoffVerified:
    """A handoff held against the work tree, which was captured as `tree`, and against all that may keep its work.

    Each list names at most `MAXIMUM_NAMED` of so many files: work that can be brought back, and work that is nowhere.
    """

    task: str
    attempt: int
    tree: str
    recoverable: tuple[bytes, ...]
    recoverable_count: int
    lost: tuple[bytes, ...]
    lost_count: int


@dataclass(frozen=True, kw_only=True, slots=True)
class HandoffRestoreIntended:
    """Work of a handoff is about to be put back: the plan, or the person who resumed, said so."""

    task: str
    attempt: int
    paths: tuple[bytes, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class HandoffRestored:
    """What of the intended paths is back, what is not, and the snapshot that holds what stood there before."""

    task: str
    attempt: int
    restored: tuple[bytes, ...]
    left: tuple[bytes, ...]
    kept: str | None


KINDS: Final = {
    "handoff.taken": Declared(payload=HandoffTaken),
    "handoff.verified": Declared(payload=HandoffVerified),
    "handoff.restore_intended": Declared(payload=HandoffRestoreIntended),
    "handoff.restored": Declared(payload=HandoffRestored),
}
