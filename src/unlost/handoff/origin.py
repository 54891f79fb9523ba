"""Where an ended attempt's handoff comes from: asked of the worker, else derived from what it changed (H.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from unlost.facts.records import dataclass
from unlost.facts.trees import Change
from unlost.handoff.derive import Ended, derive_handoff
from unlost.handoff.facts import Handoff, HandoffInvalid, HandoffSource
from unlost.handoff.schema import load_handoff


@dataclass(frozen=True, kw_only=True)
class Origin:
    """A handoff, which of the two it is, and why the worker's own was refused when it was."""

    handoff: Handoff
    source: HandoffSource
    refused: tuple[str, ...] = ()


def handoff_of(left: bytes | None, ended: Ended, changes: Iterable[Change], content: Callable[[str], bytes]) -> Origin:
    """The handoff of an ended attempt: the file it left, or one derived when it left none or one that is refused.

    `changes` are those of the attempt, opening tree to closing tree; `content` reads a blob by its id.
    """
    refused: tuple[str, ...] = ()
    if left is not None:
        try:
            return Origin(handoff=load_handoff(left), source="asked")
        except HandoffInvalid as error:
            refused = tuple(problem.what for problem in error.problems)
    return Origin(handoff=derive_handoff(ended, changes, content), source="derived", refused=refused)
