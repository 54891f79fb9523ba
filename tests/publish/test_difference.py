"""What a reviewer is shown of a change: whole files' hunks, in order, within a bound."""

from __future__ import annotations

from unlost.publish.difference import MAXIMUM_CONTENT, ChangedFile, difference_text


def changed(path: bytes, before: bytes | None, after: bytes | None, *, mode: str = "100644") -> ChangedFile:
    return ChangedFile(
        path=path,
        mode_before=None if before is None else "100644",
        mode_after=None if after is None else mode,
        before=before,
        after=after,
    )


def test_hunks_come_with_their_context() -> None:
    """A line that changed among equal ones is shown with three lines around it, numbered as in a unified diff."""
    before = b"".join(b"%d\n" % number for number in range(1, 21))
    after = before.replace(b"10\n", b"ten\n")

    assert difference_text([changed(b"a", before, after)]).text.splitlines() == [
        '=== "a" changed',
        *("@@ -7,7 +7,7 @@", " 7", " 8", " 9", "-10", "+ten", " 11", " 12", " 13"),
    ]


def test_changes_that_lie_near_are_one_hunk() -> None:
    """Two changes whose contexts touch are told together, two far apart are not."""
    before = b"".join(b"%d\n" % number for number in range(1, 41))
    near = before.replace(b"10\n", b"x\n").replace(b"15\n", b"y\n")
    far = before.replace(b"10\n", b"x\n").replace(b"35\n", b"y\n")

    assert difference_text([changed(b"a", before, near)]).text.count("@@ -") == 1
    assert difference_text([changed(b"a", before, far)]).text.count("@@ -") == 2


def test_added_deleted_and_modes_are_said() -> None:
    """A path that came, went or became executable says so in its headline."""
    text = difference_text(
        [changed(b"new", None, b"a\n"), changed(b"old", b"a\n", None), changed(b"x", b"a\n", b"a\n", mode="100755")]
    ).text

    assert '=== "new" added\n@@ -1,0 +1,1 @@\n+a' in text
    assert '=== "old" deleted\n@@ -1,1 +1,0 @@\n-a' in text
    assert '=== "x" changed, mode 100644 to 100755' in text


def test_what_is_no_text_is_named_and_left_out() -> None:
    """N.R1: binary content and content that was not read are listed, never shown in part."""
    found = difference_text([changed(b"bin", b"a\0", b"b\0"), changed(b"t", b"a\n", b"b\n")])
    unread = ChangedFile(path=b"big", mode_before="100644", mode_after="100644", before=b"a", after=None)

    assert found.left_out == (b"bin",)
    assert found.shown == (b"t",)
    assert difference_text([unread]).left_out == (b"big",)
    assert MAXIMUM_CONTENT == 1 << 20


def test_the_whole_is_bounded_and_says_what_is_missing() -> None:
    """N.R1: a file that does not fit any more is left out whole; a smaller one after it still comes."""
    files = [changed(b"a", None, b"x\n" * 100), changed(b"b", None, b"x\n" * 1000), changed(b"c", None, b"x\n")]
    found = difference_text(files, limit=600)

    assert found.shown == (b"a", b"c")
    assert found.left_out == (b"b",)
    assert found.paths == (b"a", b"b", b"c")
    assert len(found.text.encode()) <= 600
