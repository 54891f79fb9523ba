"""The process environment: read here and in `settings.py`, nowhere else."""

from __future__ import annotations

import os
import pwd
from collections.abc import Iterable, Mapping
from typing import Final

PASSED_ON: Final = ("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TERM", "TMPDIR")
"""What a child process of a person's own making (a check, an agent) gets without asking."""


def current_environment() -> Mapping[str, str]:
    """A copy of this process's environment."""
    return dict(os.environ)


def variable(name: str) -> str | None:
    """One variable, or None when it is not set or empty."""
    return os.environ.get(name) or None


def passed_environment(names: Iterable[str] = ()) -> dict[str, str]:
    """An environment built from nothing: the ordinary variables, then those that are named and set.

    A name that ends in `*` stands for all that begin so.
    """
    wanted = {*PASSED_ON, *names}
    beginnings = tuple(name.removesuffix("*") for name in wanted if name.endswith("*"))
    return {name: value for name, value in os.environ.items() if name in wanted or name.startswith(beginnings)}


def is_below_attempt() -> bool:
    """Whether this process runs below an agent that unlost started (or one of its hooks)."""
    return bool(os.environ.get("UNLOST_ATTEMPT"))


def home_folder() -> str:
    """The user's home folder, from HOME, else from the password database."""
    return os.environ.get("HOME") or pwd.getpwuid(os.getuid()).pw_dir


def user_name() -> str:
    """The operating system's name for this user; the requester of a unit (its numeric id when it has no name)."""
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())


def host_name() -> str:
    """The machine's name for itself."""
    return os.uname().nodename  # `socket` costs 3 ms to import
