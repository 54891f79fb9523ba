"""Patterns that name paths in plans and settings (contracts.md, With a plan).

`**` as a whole component stands for any number of folders; `*` and `?` stand for characters within one
name; everything else is literal, `[`, `{`, `!` and backslash too. Patterns are relative to the root and
case-sensitive. A pattern whose last component has no wildcard names that file, or that folder and all
below it; one that ends in `/` names only what is below.

Names are compared by Unicode code points (`?` is one of them); a byte that is not UTF-8 counts as one.
Matching never goes back further than to the last wildcard, so a hostile pattern costs
len(pattern) * len(path) at most.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Final, TypeVar

from unlost.facts.paths import check_path

_ANY_FOLDERS: Final = "**"
_ANY_CHARACTERS: Final = "*"

_Item = TypeVar("_Item")


def check_pattern(pattern: str) -> None:
    """Raise ValueError unless the pattern is relative and stays below its root (decision 9)."""
    if pattern in (".", "./"):
        raise ValueError("the whole tree is written `**`")
    try:
        data = pattern.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise ValueError("a pattern must be text") from None
    check_path(data.removesuffix(b"/"))


def matches(pattern: str, path: bytes) -> bool:
    """Whether the pattern names this path."""
    components = _components(pattern)
    names = path.decode("utf-8", "surrogateescape").split("/")
    return _align(components, names, is_gap=_is_gap, fits=_name_fits)


def matches_any(patterns: Iterable[str], path: bytes) -> bool:
    """Whether at least one of the patterns names this path."""
    return any(matches(pattern, path) for pattern in patterns)


def prepared(patterns: Iterable[str]) -> Callable[[bytes], bool]:
    """`matches_any` for many paths: patterns of the usual forms (`**/*.log`, `**/.cache`, `**/tmp/`) are looked up."""
    endings: list[str] = []
    names, folders, others = set[str](), set[str](), list[str]()
    for pattern in patterns:
        any_folders, _, last = pattern.partition("/")
        plain = last.removesuffix("/")
        if any_folders != _ANY_FOLDERS or "/" in plain or not plain:
            others.append(pattern)
        elif not has_wildcard(plain):
            (folders if last.endswith("/") else names).add(plain)
        elif last.startswith(_ANY_CHARACTERS) and not has_wildcard(last[1:]) and not last.endswith("/"):
            endings.append(last[1:])
        else:
            others.append(pattern)
    ends = tuple(endings)

    def is_named(path: bytes) -> bool:
        text = path.decode("utf-8", "surrogateescape")
        parts = text.split("/")
        return (
            parts[-1].endswith(ends)
            or not names.isdisjoint(parts)
            or not folders.isdisjoint(parts[:-1])
            or matches_any(others, path)
        )

    return is_named


def has_wildcard(pattern: str) -> bool:
    """Whether the pattern can name more than one file or folder."""
    return "*" in pattern or "?" in pattern


def at_any_depth(pattern: str) -> str:
    """The pattern as ignore files read it: one that names no folder (`*.log`, `tmp/`) applies at every depth."""
    if "/" in pattern.removesuffix("/"):
        return pattern
    return f"{_ANY_FOLDERS}/{pattern}"


@lru_cache(maxsize=1024)
def _components(pattern: str) -> tuple[str, ...]:
    """The components, with the two meanings of a folder written out.

    A trailing `**` needs a name below the folder: `src/**` is not a file called `src`. So it becomes
    "any folders, then any name". A literal last component also gets a trailing `**`, which then may
    stand for nothing.
    """
    components = pattern.removesuffix("/").split("/")
    if pattern.endswith("/"):
        return (*components, _ANY_FOLDERS, _ANY_CHARACTERS)
    if components[-1] == _ANY_FOLDERS:
        return (*components, _ANY_CHARACTERS)
    if not has_wildcard(components[-1]):
        return (*components, _ANY_FOLDERS)
    return tuple(components)


def _name_fits(component: str, name: str) -> bool:
    if not has_wildcard(component):
        return component == name
    return _align(component, name, is_gap=_is_star, fits=_character_fits)


def _character_fits(wanted: str, character: str) -> bool:
    return wanted in ("?", character)


def _is_gap(component: str) -> bool:
    return component == _ANY_FOLDERS


def _is_star(character: str) -> bool:
    return character == _ANY_CHARACTERS


def _align(
    pattern: Sequence[_Item],
    items: Sequence[_Item],
    *,
    is_gap: Callable[[_Item], bool],
    fits: Callable[[_Item, _Item], bool],
) -> bool:
    """Whether the items can be laid along the pattern, where a gap takes any number of them.

    One algorithm serves folders in a path and characters in a name. When an item does not fit, the last
    gap takes one item more; earlier gaps never need to move, because the part between two gaps is best
    matched as early as possible.
    """
    at, position = 0, 0
    gap, taken = -1, 0
    while position < len(items):
        if at < len(pattern) and is_gap(pattern[at]):
            gap, taken = at, position
            at += 1
        elif at < len(pattern) and fits(pattern[at], items[position]):
            at += 1
            position += 1
        elif gap >= 0:
            taken += 1
            at, position = gap + 1, taken
        else:
            return False
    return all(is_gap(rest) for rest in pattern[at:])
