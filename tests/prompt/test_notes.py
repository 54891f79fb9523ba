"""The retained-work note: when, what, which files, and that no name can leave its JSON string."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unlost.prompt import notes
from unlost.prompt.notes import RetainedWorkNote, retained_work_note


def everything(path: bytes) -> bool:
    return True


def note_of(*changed: bytes) -> RetainedWorkNote:
    made = retained_work_note(changed, everything)
    assert made is not None
    return made


def listed_in(note: RetainedWorkNote) -> list[str]:
    return [json.loads(line[2:]) for line in note.text.splitlines() if line.startswith("- ")]


def test_no_change_gives_no_note() -> None:
    """N.3, N.T2: a kept tree without changes gives no note."""
    assert retained_work_note([], everything) is None


def test_the_fixed_text_says_what_it_must() -> None:
    """N.9, N.10, N.11, N.12, N.13, N.14: what happened, read first, build on it, do not redo or revert, report."""
    text = note_of(b"a.py").text

    for words in (
        "An earlier coding attempt already changed the files listed below in this workspace.",
        "may have been interrupted, recovered, or stopped for this amendment",
        "Read those files and the plan's acceptance before you edit.",
        "Build on those changes.",
        "Do not redo or revert them unless the plan requires it.",
        "report it; never discard it silently.",
    ):
        assert words in text


def test_two_files_are_named_as_json_strings() -> None:
    """N.20: each path stands as a JSON string literal."""
    assert listed_in(note_of(b"src/a.py", b"b.py")) == ["src/a.py", "b.py"]


def test_capture_order_is_kept() -> None:
    """N.16, N.25: the list is in the order of the captured change list and is never sorted again."""
    assert listed_in(note_of(b"z", b"a", b"m")) == ["z", "a", "m"]


def test_twenty_five_files_list_twenty() -> None:
    """N.17, N.T4: 25 changed paths list 20 and say `and 5 more`."""
    note = note_of(*(b"f%02d" % number for number in range(25)))

    assert len(listed_in(note)) == 20
    assert note.text.endswith("and 5 more")
    assert (note.files, note.listed, note.excluded) == (25, 20, 0)


def test_only_files_in_scope_are_listed() -> None:
    """N.19, N.24: out-of-scope changes are counted as excluded and not named."""
    note = retained_work_note([b"in.py", b"out.py"], lambda path: path == b"in.py")

    assert note is not None
    assert listed_in(note) == ["in.py"]
    assert (note.files, note.listed, note.excluded) == (1, 1, 1)


@pytest.mark.parametrize("path", [b"../x", b"/etc/passwd", b".git/config", b"a/../b", b"a//b", b"a/.GIT/hooks/x"])
def test_paths_that_leave_the_root_are_not_listed(path: bytes) -> None:
    """N.18: only paths that pass the path check are listed."""
    assert listed_in(note_of(path, b"ok.py")) == ["ok.py"]


def test_none_eligible_is_said() -> None:
    """N.25: when none may be listed the note is the fixed text and `N files changed; none may be listed`."""
    note = retained_work_note([b"a", b"b", b"c"], lambda path: False)

    assert note is not None
    assert note.text == notes.RETAINED_WORK + "\n3 files changed; none may be listed"


def test_the_line_for_the_ledger_is_bounded() -> None:
    """N.24: the bounded line has counts, no path, at most 200 bytes."""
    note = note_of(*(b"secret-%d" % number for number in range(25)))

    assert note.told == "retained-work instruction given: 25 files (20 listed)"
    assert len(note.told.encode()) <= 200


@given(st.binary(min_size=1, max_size=60).filter(lambda name: b"\0" not in name and b"/" not in name))
def test_no_name_leaves_its_string(name: bytes) -> None:
    """N.T5, N.20: quotes, newlines, markup, escapes, bidi and bytes that are not UTF-8 stay inside one ASCII string."""
    note = retained_work_note([b"d/" + name], everything)

    assert note is not None
    text = note.text.removeprefix(notes.RETAINED_WORK)
    assert text.isascii()
    assert text.count("\n") == 1
    if note.listed:
        assert json.loads(text[3:]).encode("utf-8", "surrogateescape") == b"d/" + name


def test_the_texts_name_no_absolute_path_and_no_discarding_advice() -> None:
    """G.1, G.2, N.R4: the rules ban discarding, say why, give the hunk-level undo; no absolute path is named."""
    assert "git checkout -- PATH" in notes.LOOP_RULES
    assert "everybody's edits" in notes.LOOP_RULES
    assert "edit those lines back" in notes.LOOP_RULES
    for text in (notes.LOOP_RULES, notes.RETAINED_WORK, notes.AUTOMATIC_RESUME, notes.REPORTING):
        assert " /" not in text
