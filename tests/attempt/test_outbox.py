"""The outbox holds untrusted files: each is taken whole or refused by name."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from unlost.attempt.facts import Report
from unlost.attempt.outbox import parse_report, read_outbox


def test_what_the_agent_hands_back(tmp_path: Path) -> None:
    """Report, handoff and brief are read from their files; the report's paths as bytes."""
    (tmp_path / "report.json").write_text('{"outcome": "no_change", "reason": "it stands", "paths": ["a b.py"]}')
    (tmp_path / "handoff.json").write_bytes(b'{"task": "t"}')

    returned = read_outbox(str(tmp_path))

    assert returned.report == Report(outcome="no_change", reason="it stands", paths=(b"a b.py",))
    assert (returned.handoff, returned.brief, returned.problems) == (b'{"task": "t"}', None, ())


def test_links_pipes_and_giants_are_refused(tmp_path: Path) -> None:
    """A link is not followed, a pipe does not block, a file over 256 KiB is not read; each is named."""
    secret = tmp_path / "secret"
    secret.write_text('{"outcome": "completed"}')
    outbox = tmp_path / "outbox"
    outbox.mkdir()
    (outbox / "report.json").symlink_to(secret)
    os.mkfifo(outbox / "handoff.json")
    (outbox / "brief.json").write_bytes(b" " * (256 * 1024 + 1))
    (outbox / "findings.json").mkdir()

    returned = read_outbox(str(outbox))

    assert (returned.report, returned.handoff, returned.brief, returned.findings) == (None, None, None, None)
    named = [problem.partition(":")[0] for problem in returned.problems]
    assert named == ["handoff.json", "brief.json", "findings.json", "report.json"]


def test_outbox_that_is_a_link(tmp_path: Path) -> None:
    """An agent that replaces its outbox by a link hands back nothing."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "handoff.json").write_text("{}")
    (tmp_path / "outbox").symlink_to(tmp_path / "elsewhere")

    returned = read_outbox(str(tmp_path / "outbox"))

    assert returned.handoff is None
    assert returned.problems


@pytest.mark.parametrize(
    "text",
    [
        "not json",
        "[]",
        "{}",
        '{"outcome": "success"}',
        '{"outcome": "completed", "reason": 1}',
        '{"outcome": "completed", "paths": "a"}',
        '{"outcome": "completed", "paths": ["../a"]}',
        '{"outcome": "completed", "paths": ["/etc/passwd"]}',
        '{"outcome": "completed", "paths": [".git/config"]}',
        '{"outcome": "completed", "more": 1}',
        "[" * 100_000,
    ],
)
def test_report_that_is_refused(text: str) -> None:
    """A report with another shape, an unknown outcome or a path out of the tree is refused whole."""
    with pytest.raises(ValueError, match=r"."):
        parse_report(text.encode())
