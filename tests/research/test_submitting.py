"""Redact, validate, store, say so: one call."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from research.test_submission import BLOCKED, READY, STREAM

from unlost.facts.errors import FileInvalid
from unlost.host.clock import SystemClock
from unlost.ledger.protocol import Ledger
from unlost.ledger.sqlite import open_ledger
from unlost.research.standing import fold_research
from unlost.research.submission import Submission, SubmissionUnknown
from unlost.research.submitting import submit_brief


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    opened = open_ledger(str(tmp_path / "ledger.db"), SystemClock())
    yield opened
    opened.close()


@pytest.fixture
def recorder(ledger: Ledger) -> Submission:
    return Submission(ledger=ledger, stream=STREAM, step="research", attempt="a-1")


def test_a_valid_brief_is_stored_and_said_to_be(recorder: Submission, ledger: Ledger) -> None:
    """R.20, R.22, R.A4: as bytes or as an object, it is redacted and stored first, then acknowledged."""
    secret = "ghp_" + "0123456789abcdefABCDEF0123456789abcd"
    first = submit_brief(json.dumps({**READY, "approach": [f"use {secret}"]}).encode(), recorder)
    second = submit_brief(BLOCKED, recorder)
    standing = fold_research(ledger.read(STREAM))

    assert (first.number, second.number) == (1, 2)
    assert "saved" in first.text
    assert BLOCKED["blocked_reason"] in second.text
    assert standing.exportable is not None
    assert standing.exportable.digest == second.digest
    bodies = [ledger.body(STREAM, event.sequence) or b"" for event in ledger.read(STREAM)]
    assert all(secret.encode() not in body for body in bodies)


def test_without_a_recorder_nothing_is_said_to_be_saved() -> None:
    """R.21, R.A4: no recorder is an error that says so."""
    with pytest.raises(SubmissionUnknown, match="not saved"):
        submit_brief(READY, None)


def test_an_invalid_brief_reaches_no_recorder(recorder: Submission, ledger: Ledger) -> None:
    """R.5, R.A4: invalid input is refused before anything is written."""
    with pytest.raises(FileInvalid):
        submit_brief({**READY, "more": 1}, recorder)

    assert ledger.read(STREAM) == ()
