"""Ignored files that a build, a test run or a package tool makes again: `git clean -X` and `make clean` are no loss."""

from __future__ import annotations

from typing import Final

from unlost.facts.paths import REBUILDABLE

_FOLDERS: Final = REBUILDABLE | frozenset(
    b"out obj _build htmlcov coverage .nyc_output .hypothesis .terraform .svelte-kit .nuxt .output .vite".split()
)
_ENDS: Final = tuple(
    b".o .obj .lo .a .so .dylib .dll .exe .pyc .pyo .class .jar .rlib .d .gcda .gcno .tsbuildinfo".split()
)
_FOLDER_ENDS: Final = (b".egg-info", b".dSYM")


def is_made_again(path: bytes) -> bool:
    """Whether the name of an ignored file, or of a folder above it, says that a tool makes it."""
    *folders, name = path.split(b"/")
    return name.endswith(_ENDS) or any(folder in _FOLDERS or folder.endswith(_FOLDER_ENDS) for folder in folders)
