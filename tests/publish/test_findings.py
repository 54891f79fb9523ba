"""Findings files: strict, bounded, redacted, with one canonical form."""

from __future__ import annotations

import json
from typing import Any

import pytest

from unlost.facts.errors import FileInvalid
from unlost.publish.findings import (
    Findings,
    canonical_findings,
    complaint_of,
    findings_digest,
    findings_text,
)
from unlost.publish.findings_reading import parse_findings

GOOD: dict[str, Any] = {"file": "src/a.py", "lines": [3, 5], "severity": "error", "what": "Wrong.", "why": "Because."}


def parsed(*found: dict[str, Any], **more: Any) -> Findings:
    data = json.dumps({"findings": list(found), **more}).encode()
    return parse_findings(data, redact=lambda text: text.replace("s3cret", "[REDACTED:test]"))


def faults(value: object) -> list[str]:
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    with pytest.raises(FileInvalid) as caught:
        parse_findings(data, redact=str)
    return [problem.what for problem in caught.value.problems]


def test_a_whole_file_is_read() -> None:
    """R.5: typed findings come back as they were written; no findings is a file, too."""
    found = parsed(GOOD, {**GOOD, "lines": None, "severity": "note"}, {**GOOD, "lines": 7}).findings

    assert [(each.file, each.lines, each.severity) for each in found] == [
        (b"src/a.py", (3, 5), "error"),
        (b"src/a.py", None, "note"),
        (b"src/a.py", (7, 7), "error"),
    ]
    assert parsed().findings == ()


def test_prose_is_redacted_and_cleaned_and_the_file_is_not() -> None:
    """R.20, H.32: secrets and escapes are taken out of what and why; a file's name stays byte for byte."""
    (found,) = parsed({**GOOD, "what": "s3cret \x1b[31mred\x1b[0m", "file": {"bytes": "cy/vcw=="}}).findings

    assert found.what == "[REDACTED:test] red"
    assert found.file == b"s/\xefs"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"file": "../a"}, "file: "),
        ({"file": "/etc/passwd"}, "file: "),
        ({"file": ".git/config"}, "file: "),
        ({"file": 3}, "file: "),
        ({"lines": [5, 3]}, "lines must be"),
        ({"lines": [0, 3]}, "lines must be"),
        ({"lines": [1, 2, 3]}, "lines must be"),
        ({"lines": "3"}, "lines must be"),
        ({"lines": [True, True]}, "lines must be"),
        ({"severity": "blocker"}, "severity is none of"),
        ({"severity": ["error"]}, "severity is none of"),
        ({"what": ""}, "what is empty"),
        ({"what": "\u200b"}, "what is empty"),
        ({"why": None}, "why must be text"),
        ({"what": "x" * 501}, "what has 501 characters"),
        ({"why": "x" * 2001}, "why has 2001 characters"),
        ({"fix": "rm -rf"}, 'unknown key "fix"'),
    ],
)
def test_a_fault_is_named_with_its_place(change: dict[str, Any], words: str) -> None:
    """R.5, N.R2: unknown keys, wrong types, impossible lines and paths that leave the root are refused by place."""
    (fault,) = faults({"findings": [{**GOOD, **change}]})

    assert words in fault
    assert "findings[0]" in fault


@pytest.mark.parametrize(
    "value",
    [
        b"{",
        b'{"findings": [], "findings": [1]}',
        b"\xff",
        [],
        {},
        {"findings": {}},
        {"findings": [3]},
        {"findings": [], "schema": "unlost.findings/2"},
        {"findings": [], "verdict": "approved"},
        {"findings": [GOOD] * 51},
        b" " * ((256 << 10) + 1),
        b"[" * 100_000,
    ],
)
def test_what_is_no_findings_file_is_refused(value: object) -> None:
    """R.5, N.R1: not JSON, doubled keys, another schema, too many, too large: refused, never half taken."""
    assert faults(value)


def test_the_whole_is_bounded_after_redaction() -> None:
    """R.2, N.R1: many long findings are over the bound although each is within its own."""
    assert "64 KiB" in faults({"findings": [{**GOOD, "why": "x" * 1990}] * 50})[0]


def test_the_canonical_form_is_read_back_alike() -> None:
    """R.43: what is stored gives the same findings and the same digest again."""
    found = parsed(GOOD, {**GOOD, "file": {"bytes": "cy/vcw=="}})
    again = parse_findings(canonical_findings(found), redact=str)

    assert again == found
    assert findings_digest(again) == findings_digest(found)


def test_the_same_complaint_is_known_by_other_lines_and_reasons() -> None:
    """G.20: order, lines, reasons and notes do not make a new complaint; another file, severity or sentence does."""
    other = {**GOOD, "file": "src/b.py"}
    note = {**GOOD, "severity": "note", "what": "A thought."}
    same = parsed(other, {**GOOD, "lines": [90, 91], "why": "Still.", "what": "wrong"}, note)

    assert complaint_of(same) == complaint_of(parsed(GOOD, other))
    assert complaint_of(parsed(GOOD)) != complaint_of(parsed({**GOOD, "what": "Too slow."}))
    assert complaint_of(parsed(GOOD)) != complaint_of(parsed({**GOOD, "severity": "warning"}))


def test_files_are_those_that_somebody_has_to_act_on() -> None:
    """Notes name no work; files come once, bytewise."""
    found = parsed({**GOOD, "file": "b"}, {**GOOD, "file": "a"}, {**GOOD, "file": "b"}, {**GOOD, "severity": "note"})

    assert found.files == (b"a", b"b")


def test_a_name_cannot_pretend_in_the_text() -> None:
    """N.20: a newline in a name stays inside its JSON string, one finding is one block."""
    text = findings_text(parsed({**GOOD, "file": "a\n2. b", "lines": None}))

    assert text.splitlines()[0] == '1. "a\\n2. b"  error'
