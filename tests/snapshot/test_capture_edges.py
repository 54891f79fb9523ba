"""Work trees that are out of the ordinary (each case was met in the field)."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from kit.captures import Captures

from unlost.facts.trees import EXECUTABLE, LINK
from unlost.snapshot.facts import Incomplete, Limits


@pytest.mark.parametrize(
    "name",
    [
        b"new\nline",
        b'"quoted"',
        b"tab\there",
        b"\xff\xfe",
        b"-x",
        b":(glob)*",
        b"*",
        b"[a]",
        b"back\\slash",
        b" a ",
        "é".encode(),
        "e\u0301".encode(),
    ],
)
def test_odd_names(captures: Captures, name: bytes) -> None:
    """A file of any name is captured, untracked, staged and committed, edited and deleted."""
    repository = captures.repository
    path = os.path.join(os.fsencode(repository.root), name)
    for content in (b"one\n", b"two\n"):
        with open(path, "wb") as file:
            file.write(content)
        snapshot = captures.capture()
        captures.prove(snapshot)
        assert captures.contents(snapshot)[name] == content
    repository.commit("odd")
    os.unlink(path)
    snapshot = captures.capture()
    captures.prove(snapshot)
    assert captures.changes(snapshot)[name].after is None


def test_names_that_look_alike(captures: Captures) -> None:
    """One name composed and decomposed, and one that matches another as a pattern, are files of their own."""
    names = ["\u00e9", "e\u0301", "*", "main.*", "?ain.rs"]
    for name in names:
        captures.repository.write(name, f"content of {name}\n")

    snapshot = captures.capture()

    captures.prove(snapshot)
    assert {name: captures.contents(snapshot)[name.encode()].decode() for name in names} == {
        name: f"content of {name}\n" for name in names
    }


def test_links_modes_and_types(captures: Captures) -> None:
    """Links (dangling, absolute, to folders), exec bits, and files, folders, links in each other's place are exact."""
    root = captures.repository.root
    captures.capture()
    (root / "dangling").symlink_to("nowhere")
    (root / "absolute").symlink_to("/etc/passwd")
    (root / "to_folder").symlink_to("docs")
    (root / "main.rs").chmod(0o755)
    (root / "lib.rs").unlink()
    (root / "lib.rs").mkdir()
    captures.repository.write("lib.rs/inner", "inner\n")
    first = captures.capture()
    captures.prove(first)
    files = captures.files(first.tree)
    assert files[b"main.rs"].mode == EXECUTABLE
    assert files[b"to_folder"].mode == LINK

    (root / "lib.rs" / "inner").unlink()
    (root / "lib.rs").rmdir()
    (root / "lib.rs").symlink_to("main.rs")
    (root / "docs" / "notes.md").unlink()
    (root / "docs").rmdir()
    captures.repository.write("docs", "a file now\n")
    captures.prove(captures.capture())


def test_fifo_and_socket_are_listed_when_tracked(captures: Captures) -> None:
    """A tracked file that became a fifo or a socket is absent and listed; an untracked one is nothing; nobody hangs."""
    root = captures.repository.root
    captures.capture()
    for path, fifo in (("main.rs", True), ("lib.rs", False), ("pipe", True), ("talk", False)):
        (root / path).unlink(missing_ok=True)
        if fifo:
            os.mkfifo(root / path)
        else:
            # The name of a socket is short; bound from within the folder it fits wherever the test runs.
            code = f"import socket; socket.socket(socket.AF_UNIX).bind({path!r})"
            subprocess.run([sys.executable, "-c", code], cwd=root, check=True)

    snapshot = captures.capture()

    assert snapshot.incomplete == tuple(Incomplete(path=path, reason="special") for path in (b"lib.rs", b"main.rs"))
    assert captures.files(snapshot.tree).keys() == {b"docs/notes.md"}


def test_too_big_is_listed_and_absent(captures: Captures) -> None:
    """A file over the cap is listed with its size, new or tracked, and taken once it is small enough."""
    captures.limits = Limits(max_file=1000)
    captures.repository.write("model.bin", b"x" * 1001)
    captures.repository.write("main.rs", b"y" * 2000)

    first = captures.capture()
    assert first.incomplete == (
        Incomplete(path=b"main.rs", reason="too_big", bytes=2000),
        Incomplete(path=b"model.bin", reason="too_big", bytes=1001),
    )
    assert captures.files(first.tree).keys() == {b"lib.rs", b"docs/notes.md"}

    captures.repository.write("model.bin", b"x" * 1000)
    captures.repository.write("main.rs", b"small\n")
    second = captures.capture()
    captures.prove(second)
    assert second.incomplete == ()


def test_budget_leaves_out_the_largest(captures: Captures) -> None:
    """When the store would grow beyond its bound, the largest new files are left out and listed."""
    captures.limits = Limits(max_file=1 << 30, max_store=80 << 20)
    captures.repository.write("large.bin", os.urandom(70 << 20))
    captures.repository.write("small.txt", "kept\n")
    first = captures.capture()
    assert first.incomplete == ()
    captures.repository.write("large.bin", os.urandom(70 << 20))

    second = captures.capture()

    assert second.incomplete == (Incomplete(path=b"large.bin", reason="budget", bytes=70 << 20),)
    assert b"small.txt" in captures.files(second.tree)


def test_large_files_are_streamed(captures: Captures) -> None:
    """Contents beyond what is held in memory are exact, noise and text, and git can read them."""
    noise, text = os.urandom(9 << 20), b"line of text\n" * (1 << 19)
    captures.repository.write("noise", noise)
    captures.repository.write("text", text)

    snapshot = captures.capture()

    captures.prove(snapshot)
    contents = captures.contents(snapshot)
    assert (contents[b"noise"], contents[b"text"]) == (noise, text)
    captures.store_git("fsck", "--strict", "--no-dangling")


def test_hidden_edits_are_captured(captures: Captures) -> None:
    """assume-unchanged and skip-worktree hide edits from the person's git, not from a capture."""
    repository = captures.repository
    repository.git("update-index", "--assume-unchanged", "main.rs")
    repository.git("update-index", "--skip-worktree", "lib.rs")
    repository.write("main.rs", "hidden one\n")
    repository.write("lib.rs", "hidden two\n")
    assert repository.git("status", "--porcelain") == ""

    snapshot = captures.capture()

    captures.prove(snapshot)
    assert list(captures.changes(snapshot)) == [b"lib.rs", b"main.rs"]


def test_sparse_checkout_is_no_deletion(captures: Captures) -> None:
    """What a sparse checkout leaves out is no change; what is on disk beyond it is captured; widening is no news."""
    repository = captures.repository
    captures.capture()
    repository.git("sparse-checkout", "set", "--no-cone", "/main.rs")
    assert not repository.exists("docs/notes.md")

    sparse = captures.capture()
    assert captures.changes(sparse) == {}
    repository.write("main.rs", "edited\n")
    repository.write("docs/notes.md", "written outside the cone\n")
    edited = captures.capture()
    assert list(captures.changes(edited)) == [b"docs/notes.md", b"main.rs"]
    assert captures.contents(edited)[b"docs/notes.md"] == b"written outside the cone\n"

    repository.git("sparse-checkout", "disable")
    repository.git("checkout", "-q", "-f", "HEAD", "--", ".")
    whole = captures.capture()
    captures.prove(whole)
    assert captures.changes(whole) == {}
    repository.remove("lib.rs")
    assert list(captures.changes(captures.capture())) == [b"lib.rs"]


def test_sparse_checkout_at_the_first_capture(captures: Captures) -> None:
    """A repository that is sparse (cone, sparse index) from the start begins without changes."""
    repository = captures.repository
    repository.git("sparse-checkout", "set", "--cone", "--sparse-index", "docs")
    repository.write("docs/notes.md", "edited\n")

    assert list(captures.changes(captures.capture())) == [b"docs/notes.md"]
    assert list(captures.changes(captures.capture())) == [b"docs/notes.md"]


def test_what_is_staged_and_edited_since(captures: Captures) -> None:
    """The file on disk is captured, whatever stage of it the person's index holds."""
    repository = captures.repository
    repository.write("main.rs", "staged\n")
    repository.git("add", "main.rs")
    repository.write("main.rs", "edited since\n")

    assert captures.contents(captures.capture())[b"main.rs"] == b"edited since\n"


def test_intent_to_add_and_staged_deletion(captures: Captures) -> None:
    """`add -N` and `rm --cached` change the person's index; the files on disk are captured as they are."""
    repository = captures.repository
    repository.write("intended", "later\n")
    repository.git("add", "-N", "intended")
    repository.git("rm", "-q", "--cached", "main.rs")

    snapshot = captures.capture()

    captures.prove(snapshot)
    assert list(captures.changes(snapshot)) == [b"intended"]


def test_conflicted_index(captures: Captures) -> None:
    """In a merge conflict the files are captured with their markers, and the operation is recorded."""
    repository = captures.repository
    repository.git("checkout", "-q", "-b", "other")
    repository.write("main.rs", "theirs\n")
    repository.commit("theirs")
    repository.git("checkout", "-q", "main")
    repository.write("main.rs", "ours\n")
    repository.commit("ours")
    captures.capture()
    repository.git("merge", "other", check=False)

    made = repository.git("stash", "create", check=False)
    assert len(made) != len(repository.git("rev-parse", "HEAD")), "git stashes it, so this test would prove nothing"

    snapshot = captures.capture()

    captures.prove(snapshot)
    assert snapshot.surroundings.operation == "merge"
    assert b"<<<<<<<" in captures.contents(snapshot)[b"main.rs"]


@pytest.mark.parametrize(
    ("place", "operation"),
    [
        ("rebase-merge/", "rebase"),
        ("rebase-apply/", "rebase"),
        ("rebase-apply/applying", "am"),
        ("CHERRY_PICK_HEAD", "cherry-pick"),
        ("REVERT_HEAD", "revert"),
        ("BISECT_LOG", "bisect"),
    ],
)
def test_operation_in_progress(captures: Captures, place: str, operation: str) -> None:
    """Each operation that leaves a mark in `.git` is told by its name."""
    mark = captures.repository.root / ".git" / place
    if place.endswith("/"):
        mark.mkdir()
    else:
        mark.parent.mkdir(exist_ok=True)
        mark.write_text("")

    assert captures.capture().surroundings.operation == operation


def test_case_of_names_is_kept(captures: Captures) -> None:
    """Two names that differ in case are two files, whatever the repository's configuration says."""
    repository = captures.repository
    repository.write("Readme", "upper\n")
    repository.commit("the first of them")
    captures.capture()
    repository.git("config", "core.ignoreCase", "true")
    repository.write("readme", "lower\n")
    repository.write("new/File", "upper\n")
    repository.write("new/file", "lower\n")
    repository.git("add", "-A", check=False)
    assert "new/file" not in repository.git("ls-files"), "git takes all of them, so this test would prove nothing"

    snapshot = captures.capture()

    captures.prove(snapshot)
    assert {b"Readme", b"readme", b"new/File", b"new/file"} <= captures.files(snapshot.tree).keys()


def test_reserved_folders_are_never_captured(captures: Captures) -> None:
    """`.jj`, `.hg`, `.sl` and `.unlost` are left alone at every depth."""
    for folder in (".jj", ".hg", ".sl", ".unlost", "docs/.jj"):
        captures.repository.write(f"{folder}/state", "theirs\n")

    snapshot = captures.capture()

    assert captures.files(snapshot.tree).keys() == {b"main.rs", b"lib.rs", b"docs/notes.md"}
    assert snapshot.private is None


def test_vanishing_and_growing_files(captures: Captures, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that goes while it is looked at is absent; one that never holds still is listed as unstable."""
    captures.repository.write("going", "x\n")
    captures.repository.write("growing", "x\n")
    real = os.fstat
    growing = captures.repository.root / "growing"

    def moving(descriptor: int) -> os.stat_result:
        status = real(descriptor)
        if os.readlink(f"/proc/self/fd/{descriptor}").endswith("/growing"):
            with growing.open("ab") as file:
                file.write(b"more\n")
        if captures.repository.exists("going"):
            captures.repository.remove("going")
        return status

    with monkeypatch.context() as patched:
        patched.setattr(os, "fstat", moving)
        snapshot = captures.capture()

    assert [(each.path, each.reason) for each in snapshot.incomplete] == [(b"growing", "unstable")]
    assert captures.files(snapshot.tree).keys() == {b"main.rs", b"lib.rs", b"docs/notes.md"}
    captures.prove(captures.capture())
