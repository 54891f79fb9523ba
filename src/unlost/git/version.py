"""Which git is installed, and whether it is new enough."""

from __future__ import annotations

import re
from typing import Final

from unlost.facts.errors import UnlostError
from unlost.git.call import clean_environment, git_program
from unlost.host.process import Request, run

MINIMUM: Final = (2, 39, 4)
"""2.39.4 brings GIT_NO_LAZY_FETCH and the fixes of 2024 to what git does with hostile repositories."""


def parse_version(text: str) -> tuple[int, int, int]:
    """(major, minor, patch) from `git version 2.39.5 (Apple Git-154)` and its kin. Raises ValueError."""
    found = re.match(r"git version (\d+)\.(\d+)(?:\.(\d+))?", text)
    if found is None:
        raise ValueError("no git version")
    return int(found[1]), int(found[2]), int(found[3] or 0)


def installed_version() -> tuple[int, int, int]:
    """The version of the git that unlost calls; costs one process."""
    outcome = run(Request(argv=(git_program(), "--version"), env=clean_environment("/"), timeout=60.0))
    try:
        return parse_version(outcome.stdout.decode("utf-8", "replace"))
    except ValueError:
        raise UnlostError("git does not tell its version", hint="does `git --version` work?") from None


def require_version() -> None:
    """Raise UnlostError when git is too old to be used safely."""
    found = installed_version()
    if found < MINIMUM:
        have, need = (".".join(map(str, version)) for version in (found, MINIMUM))
        raise UnlostError(f"git {have} is too old; unlost needs {need} or later", hint="upgrade git")
