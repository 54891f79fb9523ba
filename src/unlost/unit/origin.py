"""A unit's line of origin as its record tells it: one producer, the newest writer, every receipt (R.51 to R.58)."""

from __future__ import annotations

from unlost.facts.records import dataclass
from unlost.publish.credit import Standing
from unlost.publish.facts import ProducerPointer, Receipt, WriterPointer
from unlost.unit.origin_events import RepositoryNoted


@dataclass(frozen=True, kw_only=True, slots=True)
class OriginRecord:
    """What the record of a unit says of where its work comes from and where it went.

    `noted` is the repository at admission; None for a unit from before that was kept.
    """

    noted: RepositoryNoted | None = None
    producer: ProducerPointer | None = None
    writer: WriterPointer | None = None
    receipts: tuple[Receipt, ...] = ()

    @property
    def branch(self) -> str | None:
        """The full ref that the unit was admitted on."""
        return None if self.noted is None else self.noted.branch

    def standing(self, unit: str, *, remote_ref: str | None = None, targets: frozenset[str] = frozenset()) -> Standing:
        """The same for the rule of credited heads."""
        return Standing(
            unit=unit,
            producer=self.producer,
            writer=self.writer,
            receipts=self.receipts,
            branch=self.branch,
            remote_ref=remote_ref,
            targets=targets,
        )
