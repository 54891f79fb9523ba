"""Reading a handoff file: what is legal, and every way of being refused."""

from __future__ import annotations

import json
from typing import Any

import pytest
from handoff.handoffs import fix_object, handoff_file, handoff_object
from hypothesis import given, settings
from hypothesis import strategies as st

from unlost.facts.errors import FileInvalid, UsageError
from unlost.handoff.facts import DesignDecision, ExactFix, FailingTest, Handoff, HandoffInvalid, handoff_json
from unlost.handoff.schema import LIMIT, load_handoff
from unlost.handoff.secret_fields import secret_fields
from unlost.handoff.transcript import assert_not_transcript


def problems_of(data: bytes | str) -> list[str]:
    with pytest.raises(HandoffInvalid) as caught:
        load_handoff(data)
    return [problem.what for problem in caught.value.problems]


def test_every_field() -> None:
    """H.1, H.2: task, cap, decisions, tests with their outcome, exact fixes, files, steps and source are read."""
    handoff = load_handoff(handoff_file(base_commit="0" * 40, git_status="?? newfile.h", notes="a note"))

    assert handoff.task == "make the solver multiply"
    assert handoff.iteration_cap == 200
    assert handoff.design_decisions == (DesignDecision(decision="keep the signature", reason="callers depend on it"),)
    assert handoff.failing_tests == (FailingTest(test="test_solver", expected="6", observed="5"),)
    assert handoff.exact_fixes == (
        ExactFix(file=b"solver.cpp", anchor="double solve", before="return a + b;", after="return a * b;"),
    )
    assert handoff.new_files == (b"newfile.h",)
    assert handoff.remaining_steps == ("include newfile.h", "run the tests")
    assert (handoff.source, handoff.base_commit, handoff.git_status) == ("handoff", "0" * 40, "?? newfile.h")


def test_defaults() -> None:
    """H.1: only the task and one section are needed; the source is then `handoff`, and no cap is known."""
    handoff = load_handoff(json.dumps({"task": "t", "remaining_steps": ["go on"]}))

    assert (handoff.source, handoff.iteration_cap, handoff.files) == ("handoff", 0, ())


def test_transcript_source() -> None:
    """H.4, H.T14: source = transcript is refused with a ValueError."""
    with pytest.raises(ValueError, match="transcript"):
        load_handoff(handoff_file(source="transcript"))
    with pytest.raises(ValueError, match="transcript"):
        assert_not_transcript(Handoff(task="t", remaining_steps=("go on",), source="transcript"))


@pytest.mark.parametrize(
    "dump",
    [
        pytest.param({"task": "t", "source": "handoff"}, id="no-sections"),
        pytest.param({"task": "t", "exact_fixes": [], "remaining_steps": []}, id="empty-sections"),
        pytest.param({"task": "t", "messages": [{"role": "user", "content": "hi"}]}, id="messages"),
        pytest.param([{"role": "user", "content": "hi"}], id="a-list-of-messages"),
        pytest.param("User: do it\nAssistant: done\n", id="a-text"),
        pytest.param(
            {"task": "t", "remaining_steps": ["User: do it\nAssistant: I ran it\nTool: ok\nUser: again"]}, id="dialogue"
        ),
        pytest.param(
            {"task": "t", "remaining_steps": ["x"], "notes": '[{"role": "user"}, {"role": "assistant"}]'}, id="in-notes"
        ),
        pytest.param(
            {
                "task": "t",
                "design_decisions": [{"decision": '{"tool_calls": [1]} {"type": "tool_use"}', "reason": ""}],
            },
            id="tool-calls",
        ),
    ],
)
def test_transcript_shape(dump: Any) -> None:
    """H.5, H.T15: a transcript-shaped dump is refused with a ValueError, in whatever dress it comes."""
    with pytest.raises(ValueError, match=r"transcript|object with sections"):
        load_handoff(json.dumps(dump))
    if not isinstance(dump, list | str):
        with pytest.raises(ValueError, match="transcript"):
            assert_not_transcript(dump)


def test_text_that_is_no_json() -> None:
    """H.5: a raw dialogue that is no JSON at all is refused with a ValueError."""
    assert any("does not parse" in what for what in problems_of(b"User: do it\nAssistant: done\n"))
    with pytest.raises(ValueError, match="dump without sections"):
        assert_not_transcript("User: do it\nAssistant: done\n")


def test_chat_program_is_no_transcript() -> None:
    """A fix and a test of a chat program may quote messages: only prose is asked whether it reads like a transcript."""
    text = '[{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]\nuser: a\nassistant: b\nuser: c'
    loaded = load_handoff(
        handoff_file(
            exact_fixes=[fix_object(before=text, after=text + "!")],
            failing_tests=[{"test": "t", "expected": text, "observed": text}],
        )
    )

    assert loaded.exact_fixes[0].before == text


@pytest.mark.parametrize("task", [None, "", "  \n"])
def test_missing_task(task: str | None) -> None:
    """H.6, H.T16: a missing task is refused with a ValueError."""
    document = handoff_object()
    document.pop("task")
    if task is not None:
        document["task"] = task

    with pytest.raises(ValueError, match="task is missing"):
        load_handoff(json.dumps(document))


@pytest.mark.parametrize("name", ["file", "anchor", "before", "after"])
def test_incomplete_fix(name: str) -> None:
    """H.7, H.T17: a fix without file, anchor, before or after is refused with a ValueError; null is no value."""
    absent = fix_object()
    absent.pop(name)

    for broken in (absent, {**fix_object(), name: None}):
        with pytest.raises(ValueError, match=rf"exact_fixes\[0\]\.{name} is missing"):
            load_handoff(handoff_file(exact_fixes=[broken]))
        with pytest.raises(ValueError, match=f"{name} is missing"):
            assert_not_transcript(handoff_object(exact_fixes=[broken]))


def test_empty_text_is_a_value() -> None:
    """H.7: an empty `before` creates and an empty `after` deletes; neither is missing."""
    fixes = load_handoff(handoff_file(exact_fixes=[fix_object(before=""), fix_object(after="", anchor="")])).exact_fixes

    assert [(fix.before, fix.after) for fix in fixes] == [("", "return a * b;"), ("return a + b;", "")]


def test_every_fault_at_once() -> None:
    """Every fault is named at once, with its place."""
    found = problems_of(
        handoff_file(
            task=7,
            iteration_cap="200",
            exact_fixes=[{"file": "../x", "anchor": "", "before": "", "extra": 1}],
            new_files=["/etc/passwd", ".git/config", ""],
            remaining_steps="not a list",
            failing_tests=[{"expected": "1"}],
            surprise=True,
        )
    )

    assert "task must be text" in found
    assert "iteration_cap must be a whole number, zero or more" in found
    assert "exact_fixes[0].after is missing" in found
    assert 'unknown key "extra" in exact_fixes[0]' in found
    assert any(what.startswith("exact_fixes[0].file: ") for what in found)
    assert [sum(what.startswith(f"new_files[{index}]: ") for what in found) for index in range(3)] == [1, 1, 1]
    assert "remaining_steps must be a list" in found
    assert "failing_tests[0].test is missing" in found
    assert 'unknown key "surprise"' in found


def test_doubled_keys() -> None:
    """A key that stands twice is refused, at any depth: two readers would read two handoffs."""
    assert problems_of('{"task": "a", "task": "b", "remaining_steps": ["x"]}') == ['the key "task" stands twice']
    nested = '{"task": "a", "design_decisions": [{"decision": "a", "decision": "b"}]}'
    assert problems_of(nested) == ['the key "decision" stands twice']


def test_size_is_bounded() -> None:
    """A file over 256 KiB is refused before it is parsed."""
    large = handoff_file(notes="x" * (300 << 10))

    assert problems_of(large) == [f"{len(large)} bytes are more than the {LIMIT} allowed"]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff\xfe",
        b"{",
        b'{"task": NaN}',
        b'{"iteration_cap": 1e999}',
        b"[" * 100_000,
        b'{"a":' + b"9" * 5000 + b"}",
    ],
)
def test_what_is_no_json(data: bytes) -> None:
    """Anything that is no JSON object is refused by name, however odd; nothing else is ever raised."""
    assert problems_of(data)


@pytest.mark.parametrize(
    "path",
    [
        "../x",
        "a/../../x",
        "/abs",
        "a//b",
        ".git/hooks/pre-commit",
        "a/.GIT/x",
        "git~1/x",
        ".g\u200cit/x",
        ".unlost/x",
        "a\0b",
    ],
)
def test_paths_that_leave(path: str) -> None:
    """A path that leaves the workspace or enters a version control folder is refused, in a fix and as a new file."""
    assert len(problems_of(handoff_file(exact_fixes=[fix_object(path)], new_files=[path]))) == 2


def test_exotic_paths() -> None:
    """Exotic names are legal, also ones that are not UTF-8."""
    names: list[Any] = ["[id].ts", "a:b", 'quote".py', "new\nline", {"bytes": "/2Y="}]

    assert load_handoff(handoff_file(new_files=names)).new_files == (
        *(b"[id].ts", b"a:b", b'quote".py', b"new\nline", b"\xfff"),
    )


def test_refusal_is_both_errors() -> None:
    """A refusal is a ValueError for a library's caller, and a usage error with a hint for the command line."""
    with pytest.raises(HandoffInvalid) as caught:
        load_handoff("{}")

    assert isinstance(caught.value, FileInvalid)
    assert isinstance(caught.value, UsageError)
    assert caught.value.exit_code == 2
    assert caught.value.hint


def test_control_characters_in_keys_are_quoted() -> None:
    """A refusal never prints what a file calls its keys but as ASCII text."""
    found = problems_of(json.dumps({"task": "t", "remaining_steps": ["x"], "\x1b]0;evil\x07\u202e": 1}))

    assert all(what.isprintable() and what.isascii() for what in found)


def test_secrets_are_reported_by_field() -> None:
    """H.32: a token-like text in a fix stays byte for byte, and is reported by field without its value."""
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    handoff = load_handoff(handoff_file(exact_fixes=[fix_object(after=f"token = '{token}'\n")]))
    found = secret_fields(handoff)

    assert token in handoff.exact_fixes[0].after
    assert [each.field for each in found] == ["exact_fixes[0].after"]
    assert token not in repr(found)


TEXTS = st.text(max_size=20)
PATHS = st.sampled_from([b"a.py", b"d/e.h", b"\xff", b"new\nline"])


@settings(max_examples=150)
@given(
    st.builds(
        Handoff,
        task=st.just("t"),
        iteration_cap=st.integers(0, 1000),
        design_decisions=st.lists(st.builds(DesignDecision, decision=st.just("d"), reason=TEXTS), max_size=2).map(
            tuple
        ),
        failing_tests=st.lists(
            st.builds(FailingTest, test=st.just("t"), expected=TEXTS, observed=TEXTS), max_size=2
        ).map(tuple),
        exact_fixes=st.lists(st.builds(ExactFix, file=PATHS, anchor=TEXTS, before=TEXTS, after=TEXTS), max_size=3).map(
            tuple
        ),
        new_files=st.lists(PATHS, max_size=2).map(tuple),
        remaining_steps=st.just(("go on",)),
    )
)
def test_round_trip(handoff: Handoff) -> None:
    """H.3: what is written as a file is read back as an equal handoff."""
    assert load_handoff(json.dumps(handoff_json(handoff))) == handoff


@settings(max_examples=80)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | TEXTS,
        lambda inner: (
            st.lists(inner)
            | st.dictionaries(
                st.sampled_from(["task", "exact_fixes", "new_files", "file", "before", "messages", "notes", "x"]), inner
            )
        ),
    )
)
def test_any_json(value: Any) -> None:
    """H.8: any JSON at all is either a handoff or refused as one; the ban runs on every load."""
    try:
        handoff = load_handoff(json.dumps(value))
    except HandoffInvalid as refusal:
        refused = refusal.problems
    else:
        refused = ()
        assert_not_transcript(handoff)
    assert refused or isinstance(value, dict)
