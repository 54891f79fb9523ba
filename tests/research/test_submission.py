"""Submitting research over the real SQLite ledger, with every write failing once."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from unlost.facts.errors import UnlostError
from unlost.host.clock import SystemClock
from unlost.ledger.events import Event, NewEvent
from unlost.ledger.protocol import Fence, Ledger, LedgerUnavailable
from unlost.ledger.sqlite import open_ledger
from unlost.research.brief import brief_digest, canonical_brief, parse_brief
from unlost.research.facts import Brief
from unlost.research.standing import fold_research
from unlost.research.submission import Submission, SubmissionUnknown

STREAM = "u-000000000001"
READY: dict[str, Any] = {
    "goal": "Drop the legacy parser",
    "commit": "a" * 40,
    "complexity": "simple",
    "readiness": "ready",
    "evidence": [{"claim": "three call sites", "source": "s1"}],
    "sources": [{"id": "s1", "kind": "file", "ref": "src/cli.py"}],
    "approach": ["swap"],
    "verification": ["pytest"],
}
BLOCKED: dict[str, Any] = {
    "goal": "Drop the legacy parser",
    "commit": "a" * 40,
    "complexity": "simple",
    "readiness": "blocked",
    "blocked_reason": "Is the 1.x format still to be read?",
}


def brief(value: dict[str, Any]) -> Brief:
    return parse_brief(json.dumps(value).encode(), redact=lambda text: text)


class FailingLedger:
    """The real ledger, whose append fails at the n-th call: before the write, or after it (a lost reply)."""

    def __init__(self, ledger: Ledger, fail_at: int, *, after_write: bool) -> None:
        self.ledger, self.left, self.after_write = ledger, fail_at, after_write

    def append(
        self, stream: str, events: Sequence[NewEvent], *, expect: int | None = None, fence: Fence | None = None
    ) -> tuple[Event, ...]:
        self.left -= 1
        if self.left == 0 and not self.after_write:
            raise LedgerUnavailable("injected before the write")
        stored = self.ledger.append(stream, events, expect=expect, fence=fence)
        if self.left == 0:
            raise LedgerUnavailable("injected: the acknowledgment was lost")
        return stored

    def read(self, stream: str, *, after: int = 0) -> tuple[Event, ...]:
        return self.ledger.read(stream, after=after)

    def streams(self, prefix: str = "") -> tuple[str, ...]:
        return self.ledger.streams(prefix)

    def body(self, stream: str, sequence: int) -> bytes | None:
        return self.ledger.body(stream, sequence)

    def close(self) -> None:
        self.ledger.close()


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    """A real ledger file."""
    opened = open_ledger(str(tmp_path / "ledger.db"), SystemClock())
    yield opened
    opened.close()


def submission(ledger: Ledger) -> Submission:
    return Submission(ledger=ledger, stream=STREAM, step="research", attempt="a-1")


def test_a_ready_brief_is_acknowledged_and_kept(ledger: Ledger) -> None:
    """R.20, R.43, R.A4: the acknowledgment comes after durable storage, and the exact artifact is read back."""
    acknowledged = submission(ledger).submit(brief(READY))

    standing = fold_research(ledger.read(STREAM))
    assert standing.exportable is not None
    assert standing.exportable.digest == acknowledged.digest == brief_digest(brief(READY))
    assert standing.stored_at is not None
    assert ledger.body(STREAM, standing.stored_at) == canonical_brief(brief(READY))


def test_a_blocked_decision_is_told(ledger: Ledger) -> None:
    """R.22: the acknowledgment of a blocked brief shows the missing decision."""
    assert "Is the 1.x format still to be read?" in submission(ledger).submit(brief(BLOCKED)).text


@pytest.mark.parametrize("call", [1, 2, 3])
@pytest.mark.parametrize("after_write", [False, True], ids=["before", "lost reply"])
def test_a_failing_store_is_never_saved(ledger: Ledger, call: int, after_write: bool) -> None:  # noqa: FBT001
    """R.21: a failed or unacknowledged write is told as not saved, whichever of the three it is."""
    failing = FailingLedger(ledger, call, after_write=after_write)

    with pytest.raises(SubmissionUnknown) as told:
        submission(failing).submit(brief(READY))

    assert "not saved" in told.value.message


@pytest.mark.parametrize("call", [1, 2, 3])
def test_an_unconfirmed_later_brief_withdraws_the_earlier(ledger: Ledger, call: int) -> None:
    """R.36, R.38, R.A7: once a later submission is intended, the earlier ready brief cannot be exported."""
    submission(ledger).submit(brief(READY))

    with pytest.raises(UnlostError):
        submission(FailingLedger(ledger, call, after_write=call == 1)).submit(brief(BLOCKED))

    assert fold_research(ledger.read(STREAM)).exportable is None


def test_an_intent_that_cannot_be_written_leaves_nothing_behind(ledger: Ledger) -> None:
    """R.37: without a stored intent no state is written, so nothing new can ever be reconciled."""
    with pytest.raises(SubmissionUnknown):
        submission(FailingLedger(ledger, 1, after_write=False)).submit(brief(READY))

    assert ledger.read(STREAM) == ()


def test_a_restart_reconciles_the_latest_stored_state(ledger: Ledger) -> None:
    """R.39, R.40, R.A7b: a lost confirmation is made good from the stored state, with the exact artifact."""
    with pytest.raises(SubmissionUnknown):
        submission(FailingLedger(ledger, 3, after_write=False)).submit(brief(READY))

    standing = submission(ledger).reconcile()

    assert standing.exportable is not None
    assert standing.exportable.digest == brief_digest(brief(READY))
    assert submission(ledger).reconcile() == standing


def test_a_restart_cannot_reconcile_a_missing_state(ledger: Ledger) -> None:
    """R.39: an intent whose state was never stored stays insufficient."""
    submission(ledger).submit(brief(READY))
    with pytest.raises(SubmissionUnknown):
        submission(FailingLedger(ledger, 2, after_write=False)).submit(brief(BLOCKED))

    assert submission(ledger).reconcile().exportable is None


def test_a_claimed_confirmation_of_another_state_is_insufficient(ledger: Ledger) -> None:
    """R.39: an event that claims confirmation proves nothing when the stored state is another brief."""
    with pytest.raises(SubmissionUnknown):
        submission(FailingLedger(ledger, 2, after_write=False)).submit(brief(READY))
    digest = brief_digest(brief(READY))
    forged = {"number": 1, "digest": digest}
    ledger.append(
        STREAM,
        [
            NewEvent(kind="research.stored", key="x", facts=forged, body=canonical_brief(brief(BLOCKED))),
            NewEvent(kind="research.confirmed", key="y", facts={**forged, "reconciled": False}),
        ],
    )

    assert fold_research(ledger.read(STREAM)).exportable is None


def test_metadata_holds_no_research_text(ledger: Ledger) -> None:
    """R.41, R.A9b: the events' public facts carry ids and digests, never a word of the brief."""
    submission(ledger).submit(brief(BLOCKED))

    assert all("1.x" not in json.dumps(dict(event.facts)) for event in ledger.read(STREAM))
