"""Whether a text holds a fix: the four shapes where `after in text` is wrong, duplicates, anchors, links."""

from __future__ import annotations

import pytest
from handoff.handoffs import fix

from unlost.handoff.classify import Body, Standing, Wording, classify, classify_file
from unlost.handoff.facts import ExactFix


def standing(text: str, of: ExactFix) -> Standing:
    return classify(Body(text.encode()), Wording.of(of))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("return a + b;", "return a * b;", id="replaced"),
        pytest.param("return a + b + 0;", "return a + b", id="trimmed"),
        pytest.param("    log(a);\n", "", id="deleted"),
        pytest.param("return a;\n", "return a;\nreturn b;\n", id="added"),
        pytest.param("x = 1", "x = 12", id="longer-number"),
        pytest.param("name", "rename", id="word-in-word"),
    ],
)
def test_both_ways(before: str, after: str) -> None:
    """H.11: a fix is open where `before` stands and applied where `after` does, whichever text lies in the other."""
    whole = "head();\n{}tail();\n"
    one = fix(anchor="head();", before=before, after=after)

    assert standing(whole.format(before), one) == "open"
    assert standing(whole.format(after), one) == "applied"


def test_insertion_without_before() -> None:
    """A pure insertion is open beside its anchor, and applied once its text stands there."""
    one = fix(anchor="import os", before="", after="import sys\n")

    assert standing("import os\n\nmain()\n", one) == "open"
    assert standing("import os\nimport sys\n\nmain()\n", one) == "applied"


def test_short_insertion_elsewhere() -> None:
    """A short inserted text far from the anchor is somebody else's; the insertion is still open."""
    one = fix(anchor="def first():", before="", after="    x = 1\n")
    far = "def first():\n    pass\n" + "# filler\n" * 300 + "def second():\n    x = 1\n"

    assert standing(far, one) == "open"


def test_deletion_with_a_twin_far_away() -> None:
    """A short deleted text whose twin stands far from the anchor counts as deleted."""
    one = fix(anchor="def first():", before="    x = 1\n", after="")
    far = "def first():\n    pass\n" + "# filler\n" * 300 + "def second():\n    x = 1\n"

    assert standing(far, one) == "applied"
    assert standing(far.replace("    pass\n", "    x = 1\n"), one) == "open"


def test_anchor_decides_between_twins() -> None:
    """Where both texts occur, the one nearer to the anchor is the fix's own."""
    one = fix(anchor="int second()", before="return 0;", after="return 1;")
    text = "int first() {{ {} }}\nint second() {{ {} }}\n"

    assert standing(text.format("return 1;", "return 0;"), one) == "open"
    assert standing(text.format("return 0;", "return 1;"), one) == "applied"


def test_both_without_anchor() -> None:
    """Where both texts occur and no anchor helps, the fix counts as still to be made: nothing is claimed."""
    one = fix(anchor="gone by now", before="return 0;", after="return 1;")

    assert standing("return 0;\nreturn 1;\n", one) == "open"


def test_moved_anchor() -> None:
    """An anchor that moved or vanished does not hide a fix that only one text speaks for."""
    one = fix(anchor="double solve", before="return a + b;", after="return a * b;")

    assert standing("float other() {\n    return a * b;\n}\n", one) == "applied"
    assert standing("float other() {\n    return a + b;\n}\n", one) == "open"


def test_neither() -> None:
    """H.15: where neither text occurs, the file went another way."""
    assert standing("return a - b;\n", fix(before="return a + b;", after="return a * b;")) == "neither"
    assert standing("", fix(before="return a + b;", after="return a * b;")) == "neither"


def test_deletion_in_an_emptied_file() -> None:
    """A deletion is not proved by a file that lost everything, its anchor too."""
    assert standing("", fix(anchor="int main()", before="debug();\n", after="")) == "neither"


def test_line_ends_do_not_matter() -> None:
    """A fix written with LF is found in a file with CRLF, and the other way round."""
    with_lf = fix(before="a\nb\n", after="a\nc\n")
    with_crlf = fix(before="a\r\nb\r\n", after="a\r\nc\r\n")

    assert standing("a\r\nc\r\n", with_lf) == "applied"
    assert standing("a\nb\n", with_crlf) == "open"


def test_line_ends_as_the_change() -> None:
    """A fix that changes nothing but line ends is told apart by them."""
    one = fix(anchor="", before="a\r\nb\r\n", after="a\nb\n")

    assert standing("a\r\nb\r\n", one) == "open"
    assert standing("a\nb\n", one) == "applied"


def test_last_line_without_newline() -> None:
    """A fix that ends in a newline fits the end of a file that has none."""
    assert standing("a\nc", fix(before="a\nb\n", after="a\nc\n")) == "applied"


def test_build_on_one_another() -> None:
    """A fix that a later one rewrote is applied with it; a fix that waits for an open one is open, in any order."""
    first = Wording.of(fix(before="step_one();", after="step_two();"))
    second = Wording.of(fix(before="step_two();", after="step_three();"))

    for fixes in ((first, second), (second, first)):
        assert set(classify_file(Body(b"step_three();\n"), fixes)) == {"applied"}
        assert set(classify_file(Body(b"step_one();\n"), fixes)) == {"open"}
        assert set(classify_file(Body(b"other();\n"), fixes)) == {"neither"}


def test_partly_applied() -> None:
    """One of two independent fixes of a file may stand while the other does not."""
    first = Wording.of(fix(before="alpha = 1", after="alpha = 2"))
    second = Wording.of(fix(before="beta = 1", after="beta = 2"))

    assert classify_file(Body(b"alpha = 2\nbeta = 1\n"), (first, second)) == ("applied", "open")


def test_half_of_one_fix() -> None:
    """Half of a fix is neither of its texts."""
    one = fix(before="a1\nb1\n", after="a2\nb2\n")

    assert standing("a2\nb1\n", one) == "neither"


def test_work_is_bounded() -> None:
    """A text made to be found everywhere is answered all the same, soon."""
    many = fix(anchor="a", before="a", after="aa")

    assert classify(Body(b"a" * (1 << 20)), Wording.of(many)) in ("applied", "open", "neither")


def test_text_that_is_not_utf8() -> None:
    """Bytes that are not UTF-8 are compared as they are."""
    one = fix(before="caf\udce9 = 1", after="caf\udce9 = 2")

    assert classify(Body(b"caf\xe9 = 2\n"), Wording.of(one)) == "applied"
