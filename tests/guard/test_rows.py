"""The verdict table of design.md, section 5: each row where it fits, and where it just does not."""

from __future__ import annotations

import pytest
from kit.story import Story
from kit.trees import Content

from unlost.facts.trees import EXECUTABLE, LINK
from unlost.guard.facts import Rules, Tip
from unlost.guard.sight import Trace

OLD = "".join(f"line {number}\n" for number in range(20))
MINE = OLD.replace("line 5\n", "my fifth line\n").replace("line 12\n", "line 12\nmy inserted line\n")


def claimed(mine: Content = MINE, old: Content | None = OLD) -> Story:
    """A person's claim on `a.py`: HEAD holds `old`, the boundary `mine`."""
    return Story().write({"a.py": old, "other.py": "other\n"}).commit().write({"a.py": mine}).boundary()


@pytest.mark.parametrize("now", [MINE, ("100755", MINE)])
def test_standing(now: Content) -> None:
    """Same content stands; a gained exec bit changes nothing. Nobody is asked."""
    story = claimed().write({"a.py": now})

    assert story.state("a.py") is None
    assert story.verdict().standing == 1


def test_committed_since_is_standing() -> None:
    """A claim that was committed meanwhile stands."""
    assert claimed().commit().state("a.py") is None


def test_moved() -> None:
    """Gone here, and a path that had it not holds the same content: fine, with the place."""
    story = claimed().write({"a.py": None, "lib/a.py": MINE})

    assert story.state("a.py") == ("moved", "ok")
    finding = story.finding("a.py")
    assert finding is not None
    assert finding.move is not None
    assert (finding.move.to, finding.move.edited) == (b"lib/a.py", False)


def test_moved_with_a_link_left_behind() -> None:
    """`mv a.py lib/a.py; ln -s lib/a.py a.py` moves the file; a link to a content that was there before does not."""
    story = claimed().write({"a.py": (LINK, "lib/a.py"), "lib/a.py": MINE})

    assert story.state("a.py") == ("moved", "ok")
    assert claimed().write({"a.py": (LINK, "other.py")}).state("a.py") == ("type_changed", "loss")


def test_moved_with_edits() -> None:
    """Every line the claim added stands in a file that is new: moved, edited."""
    story = claimed().write({"a.py": None, "b.py": "import os\n" + MINE.replace("line 0\n", "line zero\n")})

    assert story.state("a.py") == ("moved", "ok")


def test_a_file_that_is_split_in_several() -> None:
    """Lines that went to several files together have moved, to the one that took most; less is no move."""
    parts = ["def first(rows):\n    return rows[0]\n", "def last(rows):\n    tail = rows[-1]\n    return tail\n"]
    story = claimed("".join(parts), None).write({"a.py": None, "first.py": parts[0], "last.py": parts[1]})

    finding = story.finding("a.py")
    assert finding is not None
    assert finding.move is not None
    assert (finding.state, finding.move.to, finding.move.edited) == ("moved", b"last.py", True)
    assert story.write({"first.py": "def first(rows): ...\n"}).state("a.py") == ("deleted", "warning")
    assert story.write({"last.py": "def last(rows): ...\n"}).state("a.py") == ("deleted", "loss")


def test_a_new_file_renamed_and_rewritten() -> None:
    """Half of its lines in another new file: a warning, neither a loss nor nothing; fewer lines: a loss."""
    lines = [f"value_{number} = compute({number})\n" for number in range(10)]
    story = claimed("".join(lines), None).write({"a.py": None, "a.ts": "".join(lines[:5]) + "rewritten\n" * 5})

    assert story.state("a.py") == ("deleted", "warning")
    assert story.write({"a.ts": "".join(lines[:4])}).state("a.py") == ("deleted", "loss")


def test_a_link_that_became_the_file_it_led_to() -> None:
    """The content that was reached through the link stands at its path now: a warning, for the link is gone."""
    story = Story().write({"lib/b.py": "b\n", "a.py": (LINK, "lib/b.py")}).boundary()

    assert story.write({"a.py": "b\n"}).state("a.py") == ("type_changed", "warning")
    assert story.write({"a.py": "other\n"}).state("a.py") == ("type_changed", "loss")


def test_a_version_out_of_the_stash_or_the_index() -> None:
    """What lay in a stash or the index is old text, unless it holds all that was claimed."""
    story = claimed().write({"a.py": "what the stash held\n"})
    story.evidence.traces[b"a.py"] = Trace(put_aside=True)

    assert story.state("a.py") == ("reverted", "loss")
    assert story.write({"a.py": MINE + "and more\n"}).state("a.py") == ("extended", "ok")


def test_lines_that_move_to_another_file_while_this_one_stays() -> None:
    """A function that moved to another file is no loss, although this file is as it was before."""
    function = "def mine(rows):\n    return sorted(rows)\n"
    story = claimed(OLD + function).write({"a.py": OLD, "b.py": "# moved here\n" + function})

    assert story.state("a.py") == ("moved", "ok")


def test_a_backup_copy_is_no_move() -> None:
    """`cp a.py a.py.bak; git checkout a.py` is a loss: a copy of the whole file is a backup."""
    story = claimed().write({"a.py": OLD, "a.py.bak": MINE})

    assert story.state("a.py") == ("reverted", "loss")


def test_a_content_that_was_elsewhere_before_is_no_move() -> None:
    """A path that held the content already explains nothing."""
    story = Story().write({"a.py": OLD}).commit().write({"a.py": MINE, "copy.py": MINE}).boundary()

    assert story.write({"a.py": None}).state("a.py") == ("deleted", "loss")


def test_one_arrival_explains_one_claim() -> None:
    """Two files of equal content are gone and one is there: one moved, one deleted."""
    story = Story().write({"a.txt": "same\n", "b.txt": "same\n"}).boundary()
    story.write({"a.txt": None, "b.txt": None, "c.txt": "same\n"})

    states = [story.state(path) for path in ("a.txt", "b.txt")]

    assert sorted(state for state in states if state) == [("deleted", "loss"), ("moved", "ok")]


def test_an_empty_file_does_not_move() -> None:
    """Any empty file equals any other, so emptiness explains nothing."""
    story = Story().write({"a.txt": ""}).boundary().write({"a.txt": None, "b.txt": ""})

    assert story.state("a.txt") == ("deleted", "loss")


@pytest.mark.parametrize(
    ("paths", "reverts", "now", "state"),
    [
        (("a.py",), (), MINE.replace("my fifth line\n", "their fifth line\n"), ("superseded", "ok")),
        (("a.py",), (), None, ("superseded", "ok")),
        (("*.py",), (), "all new\n", ("superseded", "ok")),
        (("a.py",), (), OLD, ("reverted", "loss")),
        (("a.py",), (), MINE.replace("my fifth line\n", "line 5\n"), ("hunks_reverted", "warning")),
        (("a.py",), (), MINE[:50], ("overwritten", "loss")),
        ((), ("a.py",), OLD, ("superseded", "ok")),
        ((), ("other.py",), OLD, ("reverted", "loss")),
        (("other.py",), (), None, ("deleted", "loss")),
    ],
)
def test_superseded(paths: tuple[str, ...], reverts: tuple[str, ...], now: str | None, state: tuple[str, str]) -> None:
    """A task may rewrite, move or delete what its `paths` names, and put back only what its `reverts` names."""
    assert claimed().task("later", paths=paths, reverts=reverts).write({"a.py": now}).state("a.py") == state


def test_elsewhere() -> None:
    """HEAD holds another content here, and the claimed one stands at the tip of a live branch."""
    story = claimed().write({"a.py": OLD})
    story.evidence.traces[b"a.py"] = Trace(earlier=True, tip=Tip(ref="refs/heads/work", commit="c1"))

    assert story.state("a.py") == ("elsewhere", "ok")


def test_a_claim_that_head_holds_is_not_elsewhere() -> None:
    """Committed on this very branch and put back in the tree: that is a return to old text."""
    story = claimed().commit().write({"a.py": OLD})
    story.evidence.traces[b"a.py"] = Trace(tip=Tip(ref="refs/heads/main", commit="c1"))

    assert story.state("a.py") == ("reverted", "loss")


def test_reverted_to_head() -> None:
    """G.9: the file equals HEAD's content again."""
    assert claimed().write({"a.py": OLD}).state("a.py") == ("reverted", "loss")


def test_reverted_to_an_earlier_boundary() -> None:
    """A return to what stood at any earlier boundary is a loss too."""
    story = claimed().write({"a.py": MINE + "more\n"}).boundary().write({"a.py": MINE})

    assert story.state("a.py") == ("reverted", "loss")


def test_reverted_to_a_version_in_history() -> None:
    """A version that history or a reflog held before the claim."""
    story = claimed().write({"a.py": "ancient\n"})
    story.evidence.traces[b"a.py"] = Trace(earlier=True)

    assert story.state("a.py") == ("reverted", "loss")


def test_a_deletion_that_is_undone() -> None:
    """A deletion is a claim: the file being back as it was is a loss, a new file of that name a warning."""
    story = Story().write({"a.py": OLD}).commit().write({"a.py": None}).boundary()

    assert story.write({"a.py": OLD}).state("a.py") == ("reverted", "loss")
    assert story.write({"a.py": "new\n"}).state("a.py") == ("rewritten", "warning")


def test_deleted() -> None:
    """Gone, and nowhere else."""
    assert claimed().write({"a.py": None}).state("a.py") == ("deleted", "loss")


def test_present_though_not_captured_is_not_deleted() -> None:
    """A file that an ignore rule hides since the boundary stands when it is on disk unchanged."""
    story = claimed()
    story.evidence.on_disk[b"a.py"] = story.trees.put_file(MINE)

    assert story.write({"a.py": None}).state("a.py") is None


@pytest.mark.parametrize(
    ("mine", "now", "old", "state"),
    [
        ((EXECUTABLE, OLD), OLD, OLD, ("mode_changed", "loss")),
        ((EXECUTABLE, MINE), MINE, (EXECUTABLE, OLD), ("mode_changed", "warning")),
        ((EXECUTABLE, MINE), MINE + "more\n", OLD, ("mode_changed", "loss")),
        (MINE, (EXECUTABLE, MINE + "more\n"), OLD, ("extended", "ok")),
        ((LINK, "target"), "target", OLD, ("type_changed", "loss")),
        ((LINK, "target"), "target", None, ("type_changed", "warning")),
        ((LINK, "target"), "a file now\n", None, ("type_changed", "loss")),
        (MINE, (LINK, "elsewhere"), OLD, ("type_changed", "loss")),
    ],
)
def test_mode_and_type(mine: Content, now: Content, old: Content | None, state: tuple[str, str]) -> None:
    """Content stands and exec bit or link type does not: back at the reference a loss, else a warning."""
    assert claimed(mine, old).write({"a.py": now}).state("a.py") == state


@pytest.mark.parametrize(
    "now",
    [
        "",
        "\n\n",
        MINE[:57],
        "version https://git-lfs.github.com/spec/v1\noid sha256:" + "0" * 64 + "\nsize 10\n",
        "<<<<<<< HEAD\n=======\n>>>>>>> topic\n",
        "\0" * len(MINE),
        "{}\n",
        "line 0\nline 1\n# ... rest of the file unchanged ...\n",
        "// … existing code …\n",
    ],
)
def test_overwritten(now: str) -> None:
    """Emptied, zeros, an empty document, torn, a pointer, only conflict markers, a placeholder for the rest."""
    assert claimed().write({"a.py": now}).state("a.py") == ("overwritten", "loss")


@pytest.mark.parametrize(
    ("mine", "now", "state"),
    [
        ("Größe\nMaß\n", "Gr??e\nMa?\n", ("overwritten", "loss")),
        ("Größe\nMaß\n", "Gr\ufffd\ufffde\nMa\ufffd\n", ("overwritten", "loss")),
        ("Größe\nMaß\n", "Groesse\nMass\n", ("rewritten", "warning")),
        ("Is it!\nWell.\n", "Is it?\nWell.\n", ("rewritten", "warning")),
        ("# ... the rest is unchanged\none\ntwo\n", "# ... the rest is unchanged\nthree\n", ("rewritten", "warning")),
    ],
)
def test_letters_and_placeholders(mine: str, now: str, state: tuple[str, str]) -> None:
    """Question marks for letters are no author's doing; other words for them are, and so is an old placeholder."""
    assert claimed(mine, None).write({"a.py": now}).state("a.py") == state


def test_cut_at_a_line_is_an_authors_doing() -> None:
    """A file that ends earlier, at the end of a line, was edited and not torn."""
    end = MINE.index("line 16")

    assert claimed().write({"a.py": MINE[:end]}).state("a.py") == ("extended", "ok")


def test_torn_at_a_block() -> None:
    """What ends at a multiple of the block size lost its rest on the way to the disk."""
    long = "".join(f"line number {number:06d}\n" for number in range(200))

    assert claimed(long, None).write({"a.py": long[:1024]}).state("a.py") == ("overwritten", "loss")


def test_reformatted() -> None:
    """Other white space, quotes, line ends and line breaks are the same text."""
    mine = OLD + "call('a', 'b')\n"

    assert claimed(mine).write({"a.py": OLD.replace("\n", "\r\n") + 'call(\r\n\t"a",\r\n\t"b",\r\n)\r\n'}).state(
        "a.py"
    ) == ("reformatted", "ok")


def test_all_hunks_of_one_owner_reverted() -> None:
    """Checkout and re-edit: the owner's hunks are back at the old text, and new text stands beside."""
    assert claimed().write({"a.py": OLD + "edited again\n"}).state("a.py") == ("hunks_reverted", "loss")


def test_some_hunks_reverted() -> None:
    """One of two hunks is back at the old text: a warning."""
    now = MINE.replace("my fifth line\n", "line 5\n") + "more\n"

    assert claimed().write({"a.py": now}).state("a.py") == ("hunks_reverted", "warning")


def test_all_hunks_of_one_owner_among_several() -> None:
    """G.11: one task's hunks stand, an earlier one's are all undone: a loss, although the file is no old version."""
    story = Story().write({"a.py": OLD}).commit().boundary("admission", unit="u-1").task("one")
    story.write({"a.py": MINE}).done("one")
    story.task("two").write({"a.py": MINE.replace("line 18\n", "line 18 by two\n")}).done("two")
    story.task("three").write({"a.py": OLD.replace("line 18\n", "line 18 by two\n") + "by three\n"})

    assert story.state("a.py") == ("hunks_reverted", "loss")


def test_extended() -> None:
    """Every hunk stands and there is more."""
    assert claimed().write({"a.py": "import os\n" + MINE}).state("a.py") == ("extended", "ok")


@pytest.mark.parametrize(
    "now",
    [
        OLD.replace("line 5\n", "their fifth line\n").replace("line 12\n", "line 12\nmy other inserted line\n"),
        b"\0binary",
    ],
)
def test_rewritten(now: str | bytes) -> None:
    """G.10: replacement by new text never trips; a binary that changed is a warning as well."""
    assert claimed().write({"a.py": now}).state("a.py") == ("rewritten", "warning")


def test_a_new_file_has_no_old_text_to_return_to() -> None:
    """An untracked file whose lines are all replaced was rewritten."""
    assert claimed(MINE, None).write({"a.py": "quite another text\n"}).state("a.py") == ("rewritten", "warning")


def test_unproved() -> None:
    """A path that cannot be read now is neither lost nor fine."""
    story = claimed()
    story.unread[b"a.py"] = "unreadable"

    assert story.write({"a.py": None}).state("a.py") == ("unproved", "unproved")
    assert story.verdict().word == "incomplete"


def test_an_ignored_file_is_claimed_for_existence() -> None:
    """It may change; gone it is a loss, in a unit a warning, and never one when a build makes it again."""
    story = Story()
    story.ignored = {".env": "secret\n", "main.o": "object"}
    story.boundary()
    story.ignored = {".env": "other\n"}
    assert story.verdict().findings == ()

    story.ignored = {}
    assert story.state(".env") == ("deleted", "loss")
    assert story.state("main.o") is None
    story.rules = Rules(mode="unit")
    assert story.state(".env") == ("deleted", "warning")


def test_what_was_too_big_is_claimed_for_existence() -> None:
    """A file over the limit that is gone is a loss without content; still there it stands, whatever it holds."""
    story = Story().boundary(skipped=((b"model.bin", "too_big"),))

    assert story.state("model.bin") == ("deleted", "loss")
    story.unread[b"model.bin"] = "too_big"
    assert story.state("model.bin") is None


def test_an_untracked_file_of_a_task_is_guarded_where_the_plan_says_so() -> None:
    """G.12: in a unit an untracked file of a task is a loss only within declared paths or an explicit scope."""
    story = Story().write({"a.py": OLD}).commit().boundary("admission", unit="u-1").task("one")
    story.write({"draft.md": "draft\n"}).done("one").write({"draft.md": None})
    story.rules = Rules(mode="unit")
    assert story.state("draft.md") == ("deleted", "warning")

    story.rules = Rules(mode="unit", guarded={"one": ("draft.md",)})
    assert story.state("draft.md") == ("deleted", "loss")


def test_committed_and_taken_back_by_a_commit() -> None:
    """Without a plan a claim that was committed since and reverted by a commit is a warning with that commit."""
    story = claimed().write({"a.py": OLD}).commit()
    story.evidence.traces[b"a.py"] = Trace(kept_since=(("c2", "old"), ("c1", story.trees.put_file(MINE).oid)))

    finding = story.finding("a.py")

    assert finding is not None
    assert (finding.state, finding.severity, finding.commit) == ("reverted", "warning", "c2")
    story.rules = Rules(mode="unit")
    assert story.state("a.py") == ("reverted", "loss")
