from __future__ import annotations

from pathlib import Path

import pytest

from unlost.cli.files import path_below, read_named_file, write_new_file
from unlost.facts.errors import UsageError


@pytest.mark.parametrize(
    ("argument", "path"),
    [
        ("a.py", b"sub/a.py"),
        ("../a.py", b"a.py"),
        ("./x/../a.py", b"sub/a.py"),
        ('"tab\\tand \\u00e9.py"', b"sub/tab\tand \xc3\xa9.py"),
        ('"\\udcff.py"', b"sub/\xff.py"),
        ('"not json', b'sub/"not json'),
        ("[id]", b"sub/[id]"),
        ("a:b", b"sub/a:b"),
        ("link/inside", b"sub/link/inside"),
    ],
)
def test_a_path_is_relative_to_where_one_stands(tmp_path: Path, argument: str, path: bytes) -> None:
    """Paths are read as git reads them; a quoted name from a report is read back; exotic names are legal."""
    root = tmp_path / "work"
    (root / "sub").mkdir(parents=True)
    (root / "sub" / "link").symlink_to("/")

    assert path_below(argument, root=str(root), folder=str(root / "sub")) == path


def test_with_a_named_workspace_paths_are_below_its_root() -> None:
    """With --workspace the root may be gone, so paths are relative to it."""
    assert path_below("a/b", root="/gone/work", folder=None) == b"a/b"
    assert path_below("/gone/work/a", root="/gone/work", folder="/") == b"a"


def test_an_absolute_path_through_a_link_is_found(tmp_path: Path) -> None:
    """An absolute path that reaches the root through a link lies below it."""
    (tmp_path / "work").mkdir()
    (tmp_path / "shortcut").symlink_to("work")

    assert path_below(f"{tmp_path}/shortcut/a", root=str(tmp_path / "work"), folder="/") == b"a"


@pytest.mark.parametrize("argument", ["..", "../..", "/etc/passwd", ".git/config", "sub/.GIT/x", ".", ""])
def test_a_path_that_leaves_the_root_is_refused(tmp_path: Path, argument: str) -> None:
    """Decision 9: traversal, absolute paths elsewhere, the root itself and `.git` in any disguise are refused."""
    with pytest.raises(UsageError):
        path_below(argument, root=str(tmp_path), folder=str(tmp_path))


def test_the_root_itself_is_told_as_what_it_is(tmp_path: Path) -> None:
    """`restore .` at the root is told that this is the whole tree, not that it lies elsewhere."""
    with pytest.raises(UsageError, match="is the whole work tree"):
        path_below(".", root=str(tmp_path), folder=str(tmp_path))


def test_a_file_that_cannot_be_read_is_a_usage_error(tmp_path: Path) -> None:
    """A missing file, a folder and a file over the bound are refused before anything starts."""
    (tmp_path / "big").write_bytes(b"x" * 11)

    for name in ("missing", ".", "big"):
        with pytest.raises(UsageError, match="nothing was started"):
            read_named_file(name, folder=str(tmp_path), limit=10)
    assert read_named_file("big", folder=str(tmp_path), limit=11) == b"x" * 11


def test_a_new_file_never_writes_over_another(tmp_path: Path) -> None:
    """What is there already stays as it is."""
    write_new_file("plan.toml", b"new", folder=str(tmp_path))

    with pytest.raises(UsageError, match="already"):
        write_new_file("plan.toml", b"other", folder=str(tmp_path))
    with pytest.raises(UsageError):
        write_new_file("no/such/folder.toml", b"", folder=str(tmp_path))

    assert (tmp_path / "plan.toml").read_bytes() == b"new"
