from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unlost.facts.paths import NEVER, check_path, is_capturable, is_reserved, parent_of


@pytest.mark.parametrize(
    "path",
    [
        b"a",
        b"src/main.rs",
        b"app/[id]/page.tsx",
        b"a:b",
        b'q"uote',
        b"new\nline",
        b"\xff\xfe",
        b"...",
        b".gitignore",
        b".github/workflows/ci.yml",
        b"git",
        b"x/.gitmodules",
        b"a\\b",
        b" ",
    ],
)
def test_exotic_paths_are_legal(path: bytes) -> None:
    """Decision 9: exotic names are legal."""
    check_path(path)


@pytest.mark.parametrize(
    "path",
    [
        b"",
        b"/",
        b"/etc/passwd",
        b"..",
        b"../x",
        b"a/../b",
        b"./a",
        b"a/.",
        b"a//b",
        b"a/",
        b"a\0b",
        b"x" * 256,
        b"/".join([b"x" * 200] * 21),
    ],
)
def test_paths_that_leave_the_root_are_refused(path: bytes) -> None:
    """Decision 9, N.R2: traversal, absolute, empty, NUL and endless paths are refused."""
    with pytest.raises(ValueError, match=r"path|name"):
        check_path(path)


@pytest.mark.parametrize(
    "name",
    [
        *sorted(NEVER),
        b".GIT",
        b".Git",
        b".git.",
        b".git ",
        b".git. .",
        b".git::$INDEX_ALLOCATION",
        b"git~1",
        b"GIT~1",
        ".g\u200cit".encode(),
        "\ufeff.git".encode(),
        ".git\u202e".encode(),
        b".gi\xfft",
    ],
)
def test_version_control_folders_are_refused_in_any_disguise(name: bytes) -> None:
    """Decision 9: `.git` in any disguise that some file system folds to it."""
    if name == b".gi\xfft":
        # HFS+ cannot hold this name at all, so refusing it costs nobody anything.
        assert is_reserved(name)
        return
    assert is_reserved(name)
    with pytest.raises(ValueError, match="version control"):
        check_path(b"a/" + name + b"/config")


@pytest.mark.parametrize("name", [b".gitignore", b".gitattributes", b"git", b".github", b"a.git", b".git2", b"git~2"])
def test_neighbours_of_the_folders_are_ordinary(name: bytes) -> None:
    """Only the folder itself is reserved, not what merely begins or ends like it."""
    assert not is_reserved(name)


@given(parts=st.lists(st.sampled_from([*sorted(NEVER), b"a", b".b", b".gitignore"]), min_size=1, max_size=4))
def test_capture_skips_reserved_folders_at_every_depth(parts: list[bytes]) -> None:
    """design.md, section 4: `.git`, `.jj`, `.hg`, `.sl`, `.unlost` are never captured, wherever they stand."""
    assert is_capturable(b"/".join(parts)) is not any(part in NEVER for part in parts)


def test_parent_of_a_path() -> None:
    """The folder a path is in; a path at the root is in the empty one."""
    assert (parent_of(b"a/b/c"), parent_of(b"a")) == (b"a/b", b"")
