"""The handoffs of a unit's attempts, as the engine asks for them."""

from __future__ import annotations

from unlost.app.handoffs import Handoffs
from unlost.facts.records import dataclass
from unlost.git.repository import discover
from unlost.handoff.derive import Ended
from unlost.handoff.facts import Handoff
from unlost.handoff.origin import Origin
from unlost.handoff.report import LossReport
from unlost.handoff.restore import Brought
from unlost.host.clock import Clock
from unlost.settings import Settings
from unlost.snapshot.archive import Archive


@dataclass(frozen=True, kw_only=True)
class LocalHandoffs:
    """`engine.ports.Handoffs` over the repository at `root`, whose snapshots are in `archive`.

    The repository is looked for anew each time: an agent may have thrown it away, which must not keep a unit from
    being shown or stopped. Without one every method raises NotARepository.
    """

    root: str
    archive: Archive
    settings: Settings
    clock: Clock

    def of_attempt(self, left: bytes | None, ended: Ended, *, opening: str, closing: str) -> Origin:
        """What an attempt hands over (see `Handoffs.of_attempt`)."""
        return self._here().of_attempt(left, ended, opening=opening, closing=closing)

    def verify(self, handoff: Handoff) -> LossReport:
        """What became of its work (see `Handoffs.verify`)."""
        return self._here().verify(handoff)

    def bring_back(self, handoff: Handoff) -> Brought:
        """Put its work back (see `Handoffs.bring_back`)."""
        here = self._here()
        return here.bring_back(handoff, here.verify(handoff))

    def prompt(self, handoff: Handoff) -> str:
        """What the next attempt is told of it (see `Handoffs.prompt`)."""
        return self._here().prompt(handoff, done=None)[1]

    def _here(self) -> Handoffs:
        return Handoffs(discover(self.root), self.settings, self.clock, archive=self.archive)
