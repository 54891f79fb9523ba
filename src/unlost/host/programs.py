"""Where a program is; apart from `environment`, because `shutil` costs what every command would pay."""

from __future__ import annotations

import shutil


def program_on_path(name: str) -> str | None:
    """The absolute path of a program that PATH leads to, or None."""
    return shutil.which(name)
