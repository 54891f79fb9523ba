"""A handoff made of facts, for a worker that left none."""

from __future__ import annotations

import json

from handoff.handoffs import handoff_file

from unlost.facts.trees import EXECUTABLE, LINK, REGULAR, Change, Entry
from unlost.handoff.classify import Body, Wording, classify_file
from unlost.handoff.derive import DERIVED, Ended, derive_fixes, derive_handoff
from unlost.handoff.facts import FailingTest, Handoff, handoff_json
from unlost.handoff.origin import handoff_of
from unlost.handoff.schema import LIMIT, load_handoff

OLD = b"import os\n\n\ndef area(w, h):\n    return w + h\n\n\ndef edge(w, h):\n    return w + h\n"
NEW = OLD.replace(b"def area(w, h):\n    return w + h", b"def area(w, h):\n    return w * h")


class Blobs:
    """Contents by made-up ids, and changes between them."""

    def __init__(self) -> None:
        self.contents: dict[str, bytes] = {}

    def entry(self, content: bytes | None, mode: str = REGULAR) -> Entry | None:
        if content is None:
            return None
        oid = f"{len(self.contents):040x}"
        self.contents[oid] = content
        return Entry(mode, oid)

    def change(self, path: bytes, before: bytes | None, after: bytes | None, mode: str = REGULAR) -> Change:
        return Change(path, self.entry(before), self.entry(after, mode))


def derived(*changes: tuple[bytes, bytes | None, bytes | None], ended: Ended | None = None) -> Handoff:
    blobs = Blobs()
    made = [blobs.change(path, before, after) for path, before, after in changes]
    return derive_handoff(ended or Ended(task="area"), made, blobs.contents.__getitem__)


def test_fixes_tell_old_from_new() -> None:
    """A changed stretch that stands twice gets enough context to be told apart: open before, applied after."""
    fixes = list(derive_fixes(b"shape.py", OLD, NEW))
    wordings = [Wording.of(fix) for fix in fixes]

    assert [(fix.before in OLD.decode(), fix.after in NEW.decode()) for fix in fixes] == [(True, True)]
    assert classify_file(Body(OLD), wordings) == ("open",)
    assert classify_file(Body(NEW), wordings) == ("applied",)


def test_whole_handoff() -> None:
    """H.3: fixes, new files, failing checks and open tasks, said to be derived, and legal as a file."""
    ended = Ended(
        task="area",
        iteration_cap=200,
        failing_tests=(FailingTest(test="pytest -q", expected="exit 0", observed="exit 1"),),
        remaining_steps=("write the edge task",),
        base_commit="a" * 40,
    )

    handoff = derived((b"shape.py", OLD, NEW), (b"new.py", None, b"x = 1\n"), ended=ended)

    assert [fix.file for fix in handoff.exact_fixes] == [b"shape.py"]
    assert handoff.new_files == (b"new.py",)
    assert (handoff.iteration_cap, handoff.failing_tests) == (200, ended.failing_tests)
    assert handoff.notes == DERIVED
    assert load_handoff(json.dumps(handoff_json(handoff))) == handoff


def test_nothing_changed() -> None:
    """An attempt that changed nothing still hands over what remains: its task."""
    assert derived().remaining_steps == ("finish the task: area",)


def test_what_no_fix_can_say() -> None:
    """Deletions, binary files and links are named in the notes; their content is in the snapshot."""
    blobs = Blobs()
    changes = [
        blobs.change(b"gone.py", OLD, None),
        blobs.change(b"image.png", b"\x89PNG\0\1", b"\x89PNG\0\2"),
        blobs.change(b"link", b"a", b"b", mode=LINK),
        blobs.change(b"run.sh", b"a\n", b"b\n", mode=EXECUTABLE),
    ]

    handoff = derive_handoff(Ended(task="t"), changes, blobs.contents.__getitem__)

    assert [fix.file for fix in handoff.exact_fixes] == [b"run.sh"]
    assert handoff.notes is not None
    for text in ("gone.py (deleted)", "image.png (no text fix)", "link (no text fix)"):
        assert text in handoff.notes


def test_bounded() -> None:
    """What does not fit into 256 KiB is left out as whole fixes and named."""
    changes = [(b"f%d.py" % number, b"old\n", b"new %d\n" % number * 9000) for number in range(8)]

    handoff = derived(*changes)

    assert 0 < len(handoff.exact_fixes) < 8
    assert len(json.dumps(handoff_json(handoff))) <= LIMIT
    assert handoff.notes is not None
    assert "(a fix that does not fit)" in handoff.notes


def test_text_that_is_not_utf8() -> None:
    """Bytes that are not UTF-8 survive the way through the file."""
    handoff = derived((b"latin.py", b"caf\xe9 = 1\n", b"caf\xe9 = 2\n"))
    loaded = load_handoff(json.dumps(handoff_json(handoff)))

    assert classify_file(Body(b"caf\xe9 = 2\n"), [Wording.of(loaded.exact_fixes[0])]) == ("applied",)


def test_asked_before_derived() -> None:
    """H.3: the worker's own handoff is taken when it is one; a transcript in its place is refused for the facts."""
    blobs = Blobs()
    changes = [blobs.change(b"shape.py", OLD, NEW)]
    ended = Ended(task="area")

    asked = handoff_of(handoff_file(), ended, changes, blobs.contents.__getitem__)
    refused = handoff_of(handoff_file(source="transcript"), ended, changes, blobs.contents.__getitem__)
    silent = handoff_of(None, ended, changes, blobs.contents.__getitem__)

    assert (asked.source, asked.handoff.task) == ("asked", "make the solver multiply")
    assert (refused.source, refused.refused) == ("derived", ('source "transcript" is banned',))
    assert (silent.source, silent.refused) == ("derived", ())
    assert silent.handoff == refused.handoff
