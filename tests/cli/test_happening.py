from __future__ import annotations

import pytest
from cli.documents import SNAPSHOT

from unlost.agents.protocol import AgentEvent, Said, Started, ToolCall
from unlost.cli.palette import PLAIN
from unlost.cli.render.happening import agent_line, event_line
from unlost.cli.render.unit import UnitDocument, unit_text
from unlost.facts.quoting import path_json, path_text
from unlost.unit import attempt_events, events, handoff_events

CAFE = b"caf\xe9.rs"
ENDED = attempt_events.AttemptEnded(
    task="swap",
    attempt=1,
    reason="idle",
    failed=True,
    exit_code=None,
    outcome=None,
    reasoned=False,
    handoff=False,
    turns=3,
    tokens=None,
    cost_usd=None,
    seconds=602.0,
    settled=False,
)
CHECKED = attempt_events.CheckEnded(
    name="tests",
    task=None,
    attempt=None,
    round=1,
    passed=False,
    exit_code=2,
    timed_out=False,
    seconds=1.0,
    snapshot=SNAPSHOT,
    tree=SNAPSHOT,
)


@pytest.mark.parametrize(
    ("payload", "line"),
    [
        (ENDED, "agent     ended: idle after 10m2s"),
        (CHECKED, "check     tests failed (2)"),
        (
            attempt_events.TaskSettled(task="swap", state="no_change", reason="", boundary=4),
            "no change swap  boundary 4",
        ),
        (
            events.Blocked(reason="loss", task="notes", paths=(b"a\nb", *[b"c"] * 6), count=7),
            'blocked   loss  "a\\nb", c, c, c, c and 2 more  during notes',
        ),
        (events.Paused(reason="price_unknown"), "paused    price unknown"),
        (events.RestoreDone(restored=(b"main.rs",), failed=()), "restored  main.rs"),
        (
            handoff_events.HandoffTaken(task="swap", attempt=1, source="asked"),
            "handoff   asked, attempt 1 of swap",
        ),
        (
            handoff_events.HandoffVerified(
                task="swap", attempt=1, tree="t", recoverable=(b"a",), recoverable_count=1, lost=(), lost_count=0
            ),
            "handoff   recoverable: a",
        ),
        (
            handoff_events.HandoffRestored(task="swap", attempt=1, restored=(b"a",), left=(b"b",), kept=SNAPSHOT),
            "restored  a  not back: b",
        ),
        (events.Ended(phase="done", reason=""), "done"),
        (events.StopAsked(by="person"), None),
    ],
)
def test_each_event_that_a_person_follows_has_its_line(payload: object, line: str | None) -> None:
    """A run tells tasks, checks, waits and ends as they happen; names cannot break out of their line."""
    assert event_line(payload, PLAIN) == line


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (Said(text="first\n\x1b[2Jsecond"), "          │ first second"),
        (ToolCall(call="1", name="Bash", detail="ls"), "          │ Bash: ls"),
        (Said(text=" \n"), None),
        (Started(), None),
    ],
)
def test_what_an_agent_says_is_cleaned_and_stands_apart(event: AgentEvent, line: str | None) -> None:
    """Talk of an agent is untrusted: one line, no escape sequence, behind a bar of ours."""
    assert agent_line(event, PLAIN) == line


def test_talk_of_an_agent_is_cut() -> None:
    """A flood of text on one line stays one short line."""
    line = agent_line(Said(text="x" * 10_000), PLAIN)

    assert line is not None
    assert len(line) < 200


def _document() -> UnitDocument:
    return {
        "unit": "u-3f9c2a7b1d04",
        "title": "Drop the legacy parser",
        "revision": 2,
        "digest": "d" * 64,
        "phase": "blocked",
        "outcome": None,
        "reason": "loss",
        "requester": "ada",
        "tasks": [
            {"id": "swap", "state": "lost", "attempts": 1, "claims": {"standing": 2, "lost": 1}},
            {"id": "write-notes", "state": "running", "attempts": 2, "claims": {}},
            {"id": "delete", "state": "waiting", "attempts": 0, "claims": {}},
        ],
        "lost": [{"path": "main.rs", "state": "reverted", "last_seen": {"boundary": 1, "snapshot": SNAPSHOT}}],
        "question": None,
        "spent": {"usd": 1.2, "tokens": 52000, "turns": 31, "seconds": 842.0},
        "budget": {"cost_usd": 20.0},
        "next": "unlost restore --lost && unlost resume u-3f9c2a7b1d04",
    }


def test_a_unit_as_text() -> None:
    """Headline, a line a task, losses, what was spent and what to type next."""
    assert unit_text(_document(), PLAIN).splitlines() == [
        "u-3f9c2a7b1d04  Drop the legacy parser  blocked (loss) · revision 2",
        "lost      swap         1 attempt · 2 claims stand · 1 lost",
        "running   write-notes  2 attempts",
        "waiting   delete",
        "lost      main.rs  reverted  (last seen at boundary 1, snapshot 2f9c1a7b3d)",
        "spent     14m2s · 31 turns · 52,000 tokens · $1.20 of $20.00",
        "next      unlost restore --lost && unlost resume u-3f9c2a7b1d04",
    ]


def test_a_parked_unit_tells_its_question_and_how_to_answer() -> None:
    """R.15: the question in one line, then the command that answers it; who may not read it is told who may."""
    document = _document()
    document["question"] = {"id": "q-1", "text": "which\nparser?"}
    document["next"] = 'unlost answer u-3f9c2a7b1d04 "..."'

    assert unit_text(document, PLAIN).splitlines()[-2:] == [
        "parked: which parser?",
        'answer: unlost answer u-3f9c2a7b1d04 "..."',
    ]
    document["question"] = {"id": "q-1"}
    assert unit_text(document, PLAIN).splitlines()[-2] == "parked: a question to ada"


def test_research_is_told_without_a_word_of_it() -> None:
    """R.41, R.35: state, reasons for a refusal and what was discarded; no text of a brief."""
    document = _document()
    document["research"] = {"state": "ready", "refused": ["moved_head"], "discarded": 2}

    assert unit_text(document, PLAIN).splitlines()[1] == (
        "research  ready · moved head · 2 paths written outside the outbox, discarded"
    )


def test_a_handoff_is_told_with_its_source_and_its_paths() -> None:
    """H.3: asked or derived, what was brought back, and what is still elsewhere or nowhere; not a word of it."""
    document = _document()
    document["handoffs"] = [
        {
            "task": "swap",
            "attempt": 1,
            "source": "derived",
            "refused": 2,
            "recoverable": ["lib.rs"],
            "lost": [],
            "restored": ["main.rs", path_json(CAFE)],
        }
    ]

    assert unit_text(document, PLAIN).splitlines()[4] == (
        "handoff   swap/1 derived · its own was refused for 2 faults · brought back: main.rs, "
        f"{path_text(CAFE)} · recoverable: lib.rs"
    )
