"""Which heads a unit may go on from: those that its own record proves, and no other (R.33, R.56 to R.58). Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from unlost.facts.records import dataclass
from unlost.publish.facts import CommitReceipt, ProducerPointer, PushReceipt, RebaseReceipt, Receipt, WriterPointer


@dataclass(frozen=True, kw_only=True)
class Standing:
    """What a unit's record says of its heads.

    `branch` is the full ref that the work stands on, `remote_ref` the one that it is published as, `targets` the refs
    that it may be rebased onto; None and empty: there is none.
    """

    unit: str
    producer: ProducerPointer | None
    writer: WriterPointer | None
    receipts: tuple[Receipt, ...]
    branch: str | None
    remote_ref: str | None = None
    targets: frozenset[str] = frozenset()


def credited_heads(standing: Standing) -> frozenset[str]:
    """The commits that the work tree may stand on when coding is admitted.

    The producer's own commit; what the unit's own receipts advanced it to; and the head that its newest complete
    writer was admitted on, which needs no push. A receipt of another unit, producer, branch or target gives none.
    """
    producer, writer = standing.producer, standing.writer
    heads: set[str] = set() if producer is None else {producer.commit}
    heads.update(receipt.after for receipt in own_receipts(standing))
    if writer is not None and writer.head is not None and _is_own_writer(standing, writer):
        heads.add(writer.head)
    return frozenset(heads)


def own_receipts(standing: Standing) -> Iterator[Receipt]:
    """The receipts that count for this unit, in their order."""
    name = None if standing.producer is None else standing.producer.attempt
    for receipt in standing.receipts:
        if receipt.unit == standing.unit and receipt.producer == name and _is_here(standing, receipt):
            yield receipt


def newest_after(receipts: Iterable[Receipt], ref: str) -> str | None:
    """What the newest of these receipts left at a remote's ref; None when none did."""
    pushed = [receipt.after for receipt in receipts if isinstance(receipt, PushReceipt) and receipt.ref == ref]
    return pushed[-1] if pushed else None


def _is_here(standing: Standing, receipt: Receipt) -> bool:
    match receipt:
        case CommitReceipt():
            return receipt.branch is not None and receipt.branch == standing.branch
        case PushReceipt():
            return receipt.ref == standing.remote_ref
        case RebaseReceipt():
            return receipt.target in standing.targets and receipt.branch in (standing.branch, standing.remote_ref)


def _is_own_writer(standing: Standing, writer: WriterPointer) -> bool:
    """Whether the pointer is whole and rests on this unit's one producer (R.56).

    That of a maintenance repair counts only with the receipt of its exact action and run (R.62).
    """
    producer = standing.producer
    if producer is None or writer.unit != standing.unit or writer.branch != standing.branch:
        return False
    if (writer.producer, writer.brief) != (producer.attempt, producer.brief):
        return False
    if writer.kind != "maintenance":
        return writer.action is None
    run = (writer.action, writer.identity)
    return any(isinstance(own, RebaseReceipt) and (own.action, own.writer) == run for own in own_receipts(standing))
