from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unlost.facts.patterns import at_any_depth, check_pattern, matches, matches_any, prepared
from unlost.settings import DEFAULT_SCRATCH

NAMES = st.text(alphabet="ab*?[]\\.é\n", min_size=1, max_size=4).filter(lambda name: name not in (".", ".."))
PATTERN_COMPONENTS = st.one_of(st.just("**"), st.text(alphabet="ab*?[\\é", min_size=1, max_size=4))
PATTERNS = st.builds(
    lambda components, folder: "/".join(components) + ("/" if folder else ""),
    st.lists(PATTERN_COMPONENTS, min_size=1, max_size=4),
    st.booleans(),
)
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)


def slow_name(pattern: str, name: str) -> bool:
    """The meaning of `*` and `?`, tried in every possible way."""
    if not pattern:
        return not name
    if pattern[0] == "*":
        return any(slow_name(pattern[1:], name[taken:]) for taken in range(len(name) + 1))
    return bool(name) and pattern[0] in ("?", name[0]) and slow_name(pattern[1:], name[1:])


def slow_components(pattern: list[str], names: list[str]) -> bool:
    """The meaning of `**` and of a folder, tried in every possible way."""
    if not pattern:
        return not names
    if pattern == ["**"]:
        return bool(names)
    if pattern[0] == "**":
        return any(slow_components(pattern[1:], names[taken:]) for taken in range(len(names) + 1))
    if not names or not slow_name(pattern[0], names[0]):
        return False
    literal_end = len(pattern) == 1 and "*" not in pattern[0] and "?" not in pattern[0]
    return literal_end or slow_components(pattern[1:], names[1:])


def oracle(pattern: str, path: str) -> bool:
    if pattern.endswith("/"):
        return slow_components([*pattern[:-1].split("/"), "**"], path.split("/"))
    return slow_components(pattern.split("/"), path.split("/"))


@settings(max_examples=600)
@given(pattern=PATTERNS, path=PATHS)
def test_matching_agrees_with_slow_oracle(pattern: str, path: str) -> None:
    """contracts.md: `**` any depth, `*` and `?` within a name, all else literal, a folder all below it."""
    assert matches(pattern, path.encode()) == oracle(pattern, path)


@settings(max_examples=200)
@given(path=PATHS.filter(lambda path: "*" not in path and "?" not in path))
def test_literal_path_names_itself_and_all_below(path: str) -> None:
    """N.R7: an entry without a wildcard is one file; a folder means all below it, and nothing beside it."""
    assert matches(path, path.encode())
    assert matches(path, f"{path}/below".encode())
    assert not matches(path, f"{path}x".encode())
    assert not matches(path, f"x/{path}".encode()) or path.startswith("x/")


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("**", b"a", True),
        ("**", b"a/b/c", True),
        ("src/**", b"src/a/b.py", True),
        ("src/**", b"src", False),
        ("src/*", b"src/a.py", True),
        ("src/*", b"src/a/b.py", False),
        ("src/*.py", b"src/a.py", True),
        ("**/*.py", b"a.py", True),
        ("**/*.py", b"x/y/a.py", True),
        ("a/**/b", b"a/b", True),
        ("a/**/b", b"a/x/y/b/c", True),
        ("*/tests", b"pkg/tests/test_a.py", True),
        ("src/", b"src/a.py", True),
        ("src/", b"src", False),
        ("app/[id]/page.tsx", b"app/[id]/page.tsx", True),
        ("app/[id]/page.tsx", b"app/i/page.tsx", False),
        ("{a,b}", b"a", False),
        ("a\\*", b"a\\x", True),
        ("README.md", b"readme.md", False),
        ("?", "é".encode(), True),
        ("?.txt", b"\xff.txt", True),
        ("??.txt", b"\xff.txt", False),
        ("a\nb", b"a\nb", True),
        ("*", b".hidden", True),
    ],
)
def test_pattern_examples(pattern: str, path: bytes, expected: bool) -> None:  # noqa: FBT001  (a table of examples)
    """contracts.md: patterns are relative, case-sensitive, and only `**`, `*`, `?` are special."""
    assert matches(pattern, path) is expected


def test_any_of_several_patterns_is_enough() -> None:
    """A path is named by a list when one entry names it; an empty list names nothing."""
    assert matches_any(("docs/**", "src/**"), b"src/a.py")
    assert not matches_any((), b"src/a.py")


@settings(max_examples=300)
@given(patterns=st.lists(PATTERNS | PATTERNS.map(lambda pattern: f"**/{pattern}"), max_size=6), path=PATHS)
def test_prepared_patterns_name_the_same_paths(patterns: list[str], path: str) -> None:
    """Patterns that are looked up by name or ending say what each of them says by itself."""
    assert prepared(patterns)(path.encode()) == matches_any(patterns, path.encode())


@pytest.mark.parametrize(
    "path", [b"a.log", b"x/a.log", b"tmp", b"tmp/x", b"a/tmp/x", b".DS_Store", b"a~", b"~", b"\xff.log", b"log"]
)
def test_prepared_scratch_patterns(path: bytes) -> None:
    """The default scratch patterns, prepared, name what they name one by one."""
    patterns = [at_any_depth(each) for each in DEFAULT_SCRATCH]

    assert prepared(patterns)(path) == matches_any(patterns, path)


def test_pattern_without_folder_applies_at_every_depth_when_asked() -> None:
    """Scratch patterns such as `*.log` and `tmp/` are read as ignore files read them."""
    assert matches(at_any_depth("*.log"), b"x/y/debug.log")
    assert matches(at_any_depth("tmp/"), b"x/tmp/file")
    assert not matches(at_any_depth("tmp/"), b"x/tmp")
    assert at_any_depth("build/*.log") == "build/*.log"


@pytest.mark.parametrize(
    "pattern",
    ["", "/", "/etc/passwd", "../x", "a/../b", "a//b", "./src", ".", "a\0b", ".git/config", "src/.GIT/x", "x" * 5000],
)
def test_pattern_that_leaves_root_is_refused(pattern: str) -> None:
    """Decision 9: traversal, absolute, empty and version control paths are refused."""
    with pytest.raises(ValueError, match=r"path|tree|name"):
        check_pattern(pattern)


@pytest.mark.parametrize("pattern", ["**", "src/", "src/**", "app/[id]", "a:b", 'q"uote', "new\nline"])
def test_exotic_pattern_is_legal(pattern: str) -> None:
    """Decision 9: exotic names are legal in a pattern."""
    check_pattern(pattern)


def test_hostile_pattern_stays_cheap() -> None:
    """N.R1: many wildcards against a long path cost at most length times length, never an explosion."""
    started = time.process_time()
    assert not matches("/".join(["**", "*a*a*a*a*b"] * 100), ("a" * 200 + "/").encode() * 20 + b"c")
    assert not matches("*a" * 100 + "b", b"a" * 255)
    assert time.process_time() - started < 60
