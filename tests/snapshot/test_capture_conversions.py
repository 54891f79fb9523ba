"""Bytes that differ from HEAD only by git's own conversions are no change of anybody."""

from __future__ import annotations

import hashlib
import os

import pytest
from kit.captures import Captures
from kit.repository import Repository


def pointer_to(content: bytes) -> bytes:
    """The LFS pointer of a content."""
    digest = hashlib.sha256(content).hexdigest()
    return f"version https://git-lfs.github.com/spec/v1\noid sha256:{digest}\nsize {len(content)}\n".encode()


def with_crlf(repository: Repository, path: str) -> None:
    repository.write(path, repository.read(path).replace(b"\n", b"\r\n"))


def test_line_ends_by_attribute(captures: Captures) -> None:
    """A file checked out with CRLF by `eol=crlf` is no change; the raw bytes stand in base and tree."""
    repository = captures.repository
    repository.write(".gitattributes", "*.txt text eol=crlf\n")
    for name in ("a.txt", "b.txt", "plain"):
        repository.write(name, "one\ntwo\n")
    repository.commit("text")
    for name in ("a.txt", "plain"):
        with_crlf(repository, name)
    repository.write("b.txt", "one\r\ntwo!\r\n")

    snapshot = captures.capture()

    captures.prove(snapshot)
    assert list(captures.changes(snapshot)) == [b"b.txt", b"plain"]
    assert captures.contents(snapshot)[b"a.txt"] == b"one\r\ntwo\r\n"
    assert captures.files(snapshot.base)[b"a.txt"] == captures.files(snapshot.tree)[b"a.txt"]


@pytest.mark.parametrize("where", ["local", "global"])
def test_line_ends_by_setting(captures: Captures, where: str) -> None:
    """`core.autocrlf` of the repository or of the person makes CRLF files no change."""
    repository = captures.repository
    repository.git("config", f"--{where}", "core.autocrlf", "true")
    with_crlf(repository, "main.rs")
    captures.repository.write("lib.rs", "edited\r\n")

    assert list(captures.changes(captures.capture())) == [b"lib.rs"]


def test_edit_of_a_converted_file_and_back(captures: Captures) -> None:
    """A converted file that is edited is a change, and none again when the edit is undone."""
    repository = captures.repository
    repository.git("config", "core.autocrlf", "true")
    with_crlf(repository, "main.rs")
    converted = repository.read("main.rs")
    assert captures.changes(captures.capture()) == {}

    repository.write("main.rs", converted + b"more\r\n")
    assert list(captures.changes(captures.capture())) == [b"main.rs"]
    repository.write("main.rs", converted)
    assert captures.changes(captures.capture()) == {}
    repository.write("main.rs", converted.replace(b"\r\n", b"\n"))
    assert captures.changes(captures.capture()) == {}


def test_commit_of_a_converted_file(captures: Captures) -> None:
    """After the edit of a CRLF file is committed it is no change, though its bytes stayed as they were."""
    repository = captures.repository
    repository.git("config", "core.autocrlf", "true")
    repository.write("main.rs", "edited\r\n")
    assert list(captures.changes(captures.capture())) == [b"main.rs"]
    repository.commit("edited")

    assert captures.changes(captures.capture()) == {}
    assert captures.changes(captures.capture()) == {}


def test_ident_and_encoding(captures: Captures) -> None:
    """`$Id$` expanded by git and a file in another encoding are no change."""
    repository = captures.repository
    repository.write(".gitattributes", "id.txt ident\nwide.txt text working-tree-encoding=UTF-16LE-BOM\n")
    repository.write("id.txt", "$Id$\n")
    repository.write("wide.txt", "wide\n".encode("utf-16"))
    repository.commit("text")
    repository.remove("id.txt")
    repository.git("checkout", "--", "id.txt")
    assert repository.read("id.txt") != b"$Id$\n"

    assert captures.changes(captures.capture()) == {}


def test_lfs_pointers(captures: Captures) -> None:
    """The content that an LFS pointer of HEAD names is no change, small or large; another content is one."""
    repository = captures.repository
    small, large = os.urandom(5000), os.urandom(5 << 20)
    repository.write(".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n")
    for name, content in (("a.bin", small), ("b.bin", small), ("c.bin", large)):
        repository.write(name, pointer_to(content))
    repository.commit("pointers")
    repository.write("a.bin", small)
    repository.write("b.bin", small + b"!")
    repository.write("c.bin", large)

    snapshot = captures.capture()

    captures.prove(snapshot)
    assert list(captures.changes(snapshot)) == [b"b.bin"]


def test_lfs_after_commit_and_in_the_baseline(captures: Captures) -> None:
    """A pointer committed for content that was captured before makes that content no change."""
    repository = captures.repository
    content = os.urandom(5000)
    repository.write("a.bin", content)
    assert list(captures.changes(captures.capture())) == [b"a.bin"]
    repository.write(".gitattributes", "*.bin filter=lfs\n")
    repository.write("a.bin", pointer_to(content))
    repository.commit("as LFS")
    repository.write("a.bin", content)

    assert captures.changes(captures.capture()) == {}


def test_name_with_a_newline_counts_as_changed(captures: Captures) -> None:
    """What git cannot be asked about is a change rather than nothing."""
    repository = captures.repository
    repository.git("config", "core.autocrlf", "true")
    repository.write("odd\nname", "one\r\n")
    repository.commit("odd")
    repository.write("odd\nname", "one\r\n")

    captures.prove(captures.capture())
