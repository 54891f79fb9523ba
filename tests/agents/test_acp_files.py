"""The files that an agent over ACP reads and writes through its client."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from unlost.agents.acp_files import FileMissing, FileRefused, serve_file

READ, WRITE = "fs/read_text_file", "fs/write_text_file"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace with one file, beside an outbox and a secret."""
    for name in ("root", "outbox", "root-of-another"):
        (tmp_path / name).mkdir()
    (tmp_path / "root" / "a.txt").write_bytes("one\r\ntwo\nthrée".encode())
    (tmp_path / "secret").write_text("s3cret", encoding="utf-8")
    return tmp_path / "root"


def ask(root: Path, method: str, path: object, **asked: Any) -> dict[str, Any]:
    return serve_file(method, {"path": str(path), **asked}, roots=(str(root), str(root.parent / "outbox")))


def test_files_below_the_workspace_are_served(root: Path) -> None:
    """Content comes and goes byte for byte, by absolute or relative names, in folders that are made on the way."""
    assert ask(root, READ, root / "a.txt") == {"content": "one\r\ntwo\nthrée"}
    assert ask(root, READ, "a.txt", line=2, limit=1) == {"content": "two\n"}
    assert ask(root, WRITE, root / "new" / "deep" / "b.txt", content="x\r\né") == {}
    assert (root / "new" / "deep" / "b.txt").read_bytes() == "x\r\né".encode()
    ask(root, WRITE, "a.txt", content="short")
    assert (root / "a.txt").read_bytes() == b"short"
    ask(root, WRITE, root.parent / "outbox" / "report.json", content="{}")
    assert (root.parent / "outbox" / "report.json").read_bytes() == b"{}"


@pytest.mark.parametrize("method", [READ, WRITE])
@pytest.mark.parametrize(
    "path",
    [
        "../secret",
        "/etc/passwd",
        "{root}/../secret",
        "{root}-of-another/x",
        "{root}",
        "",
        ".git/config",
        "\0",
        "link/x",
    ],
)
def test_nothing_else_is_served(root: Path, method: str, path: str) -> None:
    """Paths outside, through links, into version control, or no paths: refused with a reason, and nothing written."""
    (root / "link").symlink_to(root.parent)
    before = sorted(os.listdir(root.parent))

    with pytest.raises(FileRefused, match=r".+"):
        ask(root, method, path.format(root=root), content="x")

    assert sorted(os.listdir(root.parent)) == before
    assert (root.parent / "secret").read_text(encoding="utf-8") == "s3cret"
    assert not (root / ".git").exists()


def test_a_file_that_is_not_there_is_told_as_such(root: Path) -> None:
    """An agent that looks before it makes a file hears the words and the code of ACP for that."""
    with pytest.raises(FileMissing, match=r"Resource not found: new/deep\.txt") as caught:
        ask(root, READ, "new/deep.txt")

    assert caught.value.code == -32002


def test_a_link_is_never_written_through(root: Path) -> None:
    """A link at the end of a path is no file, whoever put it there."""
    (root / "link").symlink_to(root.parent / "secret")

    for method in (READ, WRITE):
        with pytest.raises(FileRefused, match=r".+"):
            ask(root, method, "link", content="x")
    assert (root.parent / "secret").read_text(encoding="utf-8") == "s3cret"


def test_bytes_that_are_no_text_are_not_read(root: Path) -> None:
    """What would come back changed, should the agent write it again, is refused; so are pipes, which would block."""
    (root / "binary").write_bytes(b"\xff\xfe")
    os.mkfifo(root / "pipe")

    for name in ("binary", "pipe", "none"):
        with pytest.raises(FileRefused, match=r".+"):
            ask(root, READ, name)
    with pytest.raises(FileRefused, match=r".+"):
        ask(root, WRITE, "pipe", content="x")
