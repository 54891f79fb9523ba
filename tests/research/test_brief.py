"""The brief: strict, bounded, redacted, one canonical form."""

from __future__ import annotations

import json
from typing import Any

import pytest

from unlost.facts.errors import FileInvalid
from unlost.research.brief import brief_digest, canonical_brief, parse_brief
from unlost.research.facts import MAXIMUM_BRIEF

COMMIT = "0123456789abcdef0123456789abcdef01234567"
READY: dict[str, Any] = {
    "goal": "Drop the legacy parser",
    "commit": COMMIT,
    "complexity": "simple",
    "readiness": "ready",
    "evidence": [{"claim": "three call sites", "source": "s1"}],
    "sources": [{"id": "s1", "kind": "file", "ref": "src/cli.py"}],
    "assumptions": [],
    "unknowns": ["who else imports it"],
    "approach": "swap the call sites, then delete",
    "verification": ["pytest -q"],
}
BLOCKED: dict[str, Any] = {
    "goal": "Drop the legacy parser",
    "commit": COMMIT,
    "complexity": "moderate",
    "readiness": "blocked",
    "blocked_reason": "Is the 1.x format still to be read?",
}


def parse(value: object, known: str = "hunter2hunter2") -> Any:
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return parse_brief(data, redact=lambda text: text.replace(known, "[REDACTED:known]"))


def faults_of(value: object) -> str:
    with pytest.raises(FileInvalid) as refused:
        parse(value)
    return "\n".join(problem.what for problem in refused.value.problems)


def test_a_small_ready_brief_passes() -> None:
    """R.1, R.5, R.A1: a bounded simple brief is accepted and keeps every field."""
    brief = parse(READY)

    assert brief.is_ready
    assert brief.commit == COMMIT
    assert brief.evidence[0].claim == "three call sites"
    assert brief.approach == ("swap the call sites, then delete",)
    assert brief.unknowns == ("who else imports it",)


@pytest.mark.parametrize("missing", ["evidence", "sources", "approach", "verification"])
def test_ready_needs_each_of_the_four(missing: str) -> None:
    """R.3: ready without evidence, sources, approach or verification is refused, each on its own."""
    value = {**READY, missing: []}
    if missing == "sources":
        value["evidence"] = READY["evidence"]

    assert f"{missing}: a ready brief needs at least one" in faults_of(value)


def test_blocked_needs_a_concrete_reason() -> None:
    """R.4: blocked names the missing decision; without one, or with an empty word, it is refused."""
    assert parse(BLOCKED).blocked_reason == "Is the 1.x format still to be read?"
    assert "blocked_reason" in faults_of({**BLOCKED, "blocked_reason": "later"})
    assert "blocked_reason" in faults_of({key: BLOCKED[key] for key in BLOCKED if key != "blocked_reason"})
    assert "blocked_reason" in faults_of({**READY, "blocked_reason": "but this is ready"})


@pytest.mark.parametrize("commit", ["0123456", COMMIT[:39], COMMIT.upper(), "HEAD", COMMIT + "00"])
def test_short_commit_ids_are_not_full(commit: str) -> None:
    """R.6: an abbreviated, symbolic or otherwise odd commit id is refused; 64 digits are a full id too."""
    assert "commit" in faults_of({**READY, "commit": commit})
    assert parse({**READY, "commit": "a" * 64}).commit == "a" * 64


@pytest.mark.parametrize(
    "value",
    [
        b"",
        b"[]",
        b"{",
        b"\xff\xfe",
        b'{"goal": "a", "goal": "b"}',
        {**READY, "surprise": 1},
        {**READY, "complexity": "huge"},
        {**READY, "evidence": [{"claim": "c", "source": "nobody"}]},
        {**READY, "sources": [READY["sources"][0], READY["sources"][0]]},
        {**READY, "goal": 7},
        {**READY, "goal": "\u200b\u202e"},
        b"[" * 100_000,
    ],
    ids=range(12),
)
def test_malformed_briefs_are_refused(value: object) -> None:
    """R.5: unknown fields, malformed values and duplicate keys are refused."""
    assert faults_of(value)


def test_the_bound_is_measured_after_redaction() -> None:
    """R.2: 8 KiB counts the canonical UTF-8 bytes after redaction, which may lengthen a text."""
    room = MAXIMUM_BRIEF - len(canonical_brief(parse({**READY, "goal": "x"}))) + 1
    assert len(canonical_brief(parse({**READY, "goal": "x" * room}))) == MAXIMUM_BRIEF

    assert "8193 bytes" in faults_of({**READY, "goal": "x" * (room + 1)})
    with pytest.raises(FileInvalid):
        parse({**READY, "goal": "y" + "x" * (room - 1)}, known="y")


def test_all_faults_are_named_at_once() -> None:
    """A brief with two faults names both, so that an agent corrects it in one go."""
    told = faults_of({**READY, "approach": [], "verification": []})

    assert "approach" in told
    assert "verification" in told


def test_secrets_and_hidden_characters_go() -> None:
    """R.20: the brief is redacted and cleaned before anything of it is stored."""
    brief = parse({**READY, "goal": "use hunter2hunter2\u202e now\x1b[2J"})

    assert brief.goal == "use [REDACTED:known] now"


def test_the_digest_names_the_content() -> None:
    """The same brief written differently has one digest; another text has another."""
    spaced = json.dumps({**READY, "approach": [READY["approach"]], "schema": "unlost.brief/1"}, indent=4).encode()

    assert brief_digest(parse(spaced)) == brief_digest(parse(READY))
    assert brief_digest(parse({**READY, "goal": "Another"})) != brief_digest(parse(READY))
