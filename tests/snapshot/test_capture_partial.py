"""Partial clones, sparse ones too: measured against what is here of HEAD, and nothing is fetched."""

from __future__ import annotations

from pathlib import Path

import pytest
from kit.captures import Captures
from kit.repository import Repository

from unlost.facts.trees import Entry


@pytest.fixture
def clone(tmp_path: Path) -> Repository:
    """A clone without contents, of which only the folder `in` is checked out; `out` is nowhere here."""
    source = Repository.create(tmp_path / "source")
    for number in range(4):
        source.write(f"in/{number}", f"in {number}\n")
        source.write(f"out/{number}", f"out {number}\n")
    source.commit("first")
    source.git("config", "uploadpack.allowFilter", "true")
    made = Repository(root=tmp_path / "clone")
    source.git("clone", "-q", "--filter=blob:none", "--sparse", f"file://{source.root}", str(made.root))
    made.git("sparse-checkout", "set", "in")
    return made


def changed(captures: Captures) -> list[bytes]:
    """The paths that a capture calls changed; it must be whole."""
    snapshot = captures.capture("boundary")
    assert snapshot.incomplete == ()
    return list(captures.changes(snapshot))


def missing(repository: Repository) -> int:
    """How many objects of HEAD a repository lacks."""
    return repository.git("rev-list", "--objects", "--missing=print", "HEAD").count("?")


def test_what_is_not_here_is_no_change(clone: Repository) -> None:
    """Files that are neither on the disk nor in the clone are no change; the others are measured against HEAD."""
    captures = Captures.of(clone)
    clone.write("in/0", "edited\n")
    clone.write("in/new", "new\n")

    assert changed(captures) == [b"in/0", b"in/new"]
    assert missing(clone) == 4
    with captures.archive() as archive:
        latest = archive.latest()
        assert latest is not None
        assert archive.entry(latest.base, b"in/0") == Entry("100644", clone.git("rev-parse", "HEAD:in/0"))


def test_commits_and_a_wider_checkout_are_followed(clone: Repository) -> None:
    """A commit takes its changes away; files that a wider checkout brings in are HEAD's own, not anybody's news."""
    captures = Captures.of(clone)
    clone.write("in/0", "edited\n")
    assert changed(captures) == [b"in/0"]
    clone.git("commit", "-q", "-a", "-m", "edit")
    assert changed(captures) == []
    assert missing(clone) == 4

    clone.git("sparse-checkout", "disable")

    assert changed(captures) == []
    clone.write("out/1", "edited\n")
    assert changed(captures) == [b"out/1"]
    captures.store_git("fsck", "--strict", "--no-dangling")


def test_a_file_beyond_the_checkout_is_captured(clone: Repository) -> None:
    """What somebody writes where the sparse checkout has nothing is captured, with its content."""
    captures = Captures.of(clone)
    changed(captures)
    clone.write("out/1", "written by hand\n")

    assert changed(captures) == [b"out/1"]
    assert captures.contents(captures.capture())[b"out/1"] == b"written by hand\n"
