"""Settings of a repository that make git look away, refuse, or see another file: captures hold what is on the disk."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from kit.captures import Captures
from kit.program import Program
from kit.repository import Repository

from unlost.facts.trees import EXECUTABLE

MIXED = b"one\r\ntwo\nthree\r\n"


def test_file_mode_that_git_does_not_look_at(captures: Captures) -> None:
    """With `core.fileMode = false` an exec bit is captured all the same, as the disk has it."""
    captures.repository.git("config", "core.fileMode", "false")
    captures.capture()
    (captures.repository.root / "main.rs").chmod(0o755)

    snapshot = captures.capture()

    assert captures.files(snapshot.tree)[b"main.rs"].mode == EXECUTABLE
    assert captures.changes(snapshot).keys() == {b"main.rs"}


@pytest.mark.parametrize("safe", ["true", "warn"])
def test_line_ends_that_git_refuses_to_convert(captures: Captures, safe: str) -> None:
    """With `core.safecrlf` a file of mixed line ends stops `git add`; a capture holds its bytes."""
    repository = captures.repository
    repository.git("config", "core.autocrlf", "true")
    repository.git("config", "core.safecrlf", safe)
    repository.write("mixed.txt", MIXED)
    repository.git("add", "mixed.txt", check=False)
    assert (repository.git("ls-files", "mixed.txt") == "") == (safe == "true"), (
        "git adds it, so this test would prove nothing"
    )

    snapshot = captures.capture()

    captures.prove(snapshot)
    assert captures.contents(snapshot)[b"mixed.txt"] == MIXED


@pytest.mark.parametrize("required", ["true", "false"])
@pytest.mark.parametrize("clean", ["tr a-z A-Z", "false"], ids=["converts", "fails"])
def test_a_filter_that_git_asks(captures: Captures, clean: str, required: str) -> None:
    """Whether a clean filter converts or fails, and may fail or not, the bytes on the disk are captured, unasked."""
    repository = captures.repository
    repository.git("config", "filter.x.clean", clean)
    repository.git("config", "filter.x.smudge", "cat")
    repository.git("config", "filter.x.required", required)
    repository.write(".gitattributes", "*.txt filter=x\n")
    repository.write("filtered.txt", "as it lies here\n")
    repository.git("add", "filtered.txt", check=False)
    staged = repository.git("cat-file", "blob", ":filtered.txt", check=False)
    is_fooled = staged == "AS IT LIES HERE" if clean != "false" else (staged == "") == (required == "true")
    assert is_fooled, "git takes the file as it is, so this test would prove nothing"

    snapshot = captures.capture()

    captures.prove(snapshot)
    assert captures.contents(snapshot)[b"filtered.txt"] == b"as it lies here\n"
    assert snapshot.incomplete == ()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_a_repository_of_another_owner(repository: Repository) -> None:
    """Git refuses a repository that belongs to somebody else; it is captured as data, and nobody's trust is changed."""
    captures = Captures.of(repository)
    for folder, _, names in os.walk(repository.root):
        for path in (folder, *(os.path.join(folder, name) for name in names)):
            os.chown(path, 12345, 12345)
    repository.write("main.rs", "edited\n")

    snapshot = captures.capture()

    assert captures.contents(snapshot)[b"main.rs"] == b"edited\n"
    assert captures.changes(snapshot).keys() == {b"main.rs"}
    assert not Path(os.environ["HOME"], ".gitconfig").exists()


def test_the_home_folder_is_no_project(repository: Repository, program: Program) -> None:
    """A repository whose root is the home folder is refused before anything is read, with what to do instead."""
    refused = program.with_variables(HOME=str(repository.root))("mark", code=2)

    assert "the home folder" in refused.err
    assert "hint:" in refused.err
    assert not list(Path(os.environ["UNLOST_HOME"]).glob("stores/*"))
