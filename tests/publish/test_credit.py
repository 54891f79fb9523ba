"""Which heads a unit may go on from: receipts of its own, and nothing that was merely said."""

from __future__ import annotations

from dataclasses import replace

import pytest

from unlost.publish.credit import Standing, credited_heads, newest_after
from unlost.publish.facts import CommitReceipt, ProducerPointer, PushReceipt, RebaseReceipt, Receipt, WriterPointer

INSPECTED, COMMITTED, PUSHED, REBASED, ADMITTED = (letter * 40 for letter in "abcde")
MAIN, TOPIC = "refs/heads/main", "refs/heads/unlost/x-u-1"
PRODUCER = ProducerPointer(
    ledger="l-1",
    unit="u-1",
    requester="a person",
    step="research",
    attempt="u-1-research-1-1",
    repository="r" * 64,
    commit=INSPECTED,
    contract="c" * 64,
    brief="b" * 64,
    sources=("s-1",),
)
WRITER = WriterPointer(
    unit="u-1",
    producer=PRODUCER.attempt,
    brief=PRODUCER.brief,
    kind="code",
    identity="u-1-1-1-1",
    epoch=1,
    head=ADMITTED,
    branch=MAIN,
)
COMMIT = CommitReceipt(
    unit="u-1", producer=PRODUCER.attempt, tasks=("swap",), branch=MAIN, before=INSPECTED, after=COMMITTED
)
PUSH = PushReceipt(
    unit="u-1", producer=PRODUCER.attempt, remote="origin", url="u" * 64, ref=TOPIC, before=None, after=PUSHED
)
REBASE = RebaseReceipt(
    unit="u-1",
    producer=PRODUCER.attempt,
    action="maintain 1",
    target=MAIN,
    onto="f" * 40,
    branch=TOPIC,
    before=PUSHED,
    after=REBASED,
)


def standing(*receipts: Receipt, writer: WriterPointer | None = None) -> Standing:
    """A unit on `main` that is published as its topic and may be rebased onto `main`."""
    return Standing(
        unit="u-1",
        producer=PRODUCER,
        writer=writer,
        receipts=receipts,
        branch=MAIN,
        remote_ref=TOPIC,
        targets=frozenset({MAIN}),
    )


def test_the_inspected_commit_is_where_coding_begins() -> None:
    """R.32: before anything was recorded, the commit that was investigated is the only head."""
    assert credited_heads(standing()) == {INSPECTED}


@pytest.mark.parametrize(("receipt", "head"), [(COMMIT, COMMITTED), (PUSH, PUSHED), (REBASE, REBASED)])
def test_a_receipt_proves_an_advanced_head(receipt: Receipt, head: str) -> None:
    """R.33, R.56: a recorded commit, a push that was read back, a rebase: each gives its head, and keeps the first."""
    assert credited_heads(standing(receipt)) == {INSPECTED, head}


def test_a_writer_keeps_the_head_that_it_was_admitted_on() -> None:
    """R.52, R.56: a complete writer may retain its admitted head after a failure; it proves no other one."""
    assert credited_heads(standing(writer=WRITER)) == {INSPECTED, ADMITTED}


@pytest.mark.parametrize(
    "writer",
    [
        replace(WRITER, producer="u-1-research-2-1"),
        replace(WRITER, brief="0" * 64),
        replace(WRITER, unit="u-2"),
        replace(WRITER, branch="refs/heads/other"),
        replace(WRITER, kind="maintenance"),
        replace(WRITER, action="maintain 1"),
        replace(WRITER, head=None),
    ],
)
def test_a_foreign_or_incomplete_writer_proves_nothing(writer: WriterPointer) -> None:
    """R.57, R.62: another producer, unit, branch, or a maintenance writer without its action's key gives no head."""
    assert credited_heads(standing(writer=writer)) == {INSPECTED}


MAINTAINER = replace(WRITER, kind="maintenance", identity="u-1-maintenance-1-1", action=REBASE.action)


def test_a_maintenance_writer_counts_with_the_receipt_of_its_own_run() -> None:
    """R.62, R.A13e: the exact action's receipt, settled by the exact run, and the pointer keeps its admitted head."""
    own = replace(REBASE, writer=MAINTAINER.identity)

    assert credited_heads(standing(own, writer=MAINTAINER)) == {INSPECTED, REBASED, ADMITTED}


@pytest.mark.parametrize(
    "receipt",
    [
        REBASE,
        replace(REBASE, writer="u-1-maintenance-2-1"),
        replace(REBASE, writer=MAINTAINER.identity, action="maintain 2"),
        replace(REBASE, writer=MAINTAINER.identity, unit="u-2"),
        replace(REBASE, writer=MAINTAINER.identity, target="refs/heads/other"),
    ],
)
def test_a_maintenance_writer_of_another_action_run_or_unit_keeps_nothing(receipt: RebaseReceipt) -> None:
    """R.62, R.A13e: a clean receipt, another run's, another action's or another unit's gives its pointer no head."""
    assert ADMITTED not in credited_heads(standing(receipt, writer=MAINTAINER))


@pytest.mark.parametrize(
    "receipt",
    [
        replace(COMMIT, unit="u-2"),
        replace(COMMIT, producer="u-1-research-2-1"),
        replace(COMMIT, branch="refs/heads/other"),
        replace(COMMIT, branch=None),
        replace(PUSH, unit="u-2"),
        replace(PUSH, producer=None),
        replace(PUSH, ref="refs/heads/topic"),
        replace(REBASE, unit="u-2"),
        replace(REBASE, target="refs/heads/other"),
        replace(REBASE, branch="refs/heads/other"),
    ],
)
def test_foreign_receipts_give_no_head(receipt: Receipt) -> None:
    """R.57, R.58, R.A12c: another unit, producer, branch or target: no credit."""
    assert credited_heads(standing(receipt)) == {INSPECTED}


def test_a_unit_without_research_is_bound_to_no_producer() -> None:
    """R.28: its receipts name none, and count for it alone."""
    own = replace(COMMIT, producer=None)
    plain = replace(standing(own, COMMIT), producer=None)

    assert credited_heads(plain) == {COMMITTED}


def test_the_lease_is_what_the_newest_receipt_left() -> None:
    """A later push is allowed only over what the unit's own last one left at that ref."""
    later = replace(PUSH, before=PUSHED, after=REBASED)

    assert newest_after((PUSH, later, COMMIT), TOPIC) == REBASED
    assert newest_after((PUSH,), MAIN) is None
