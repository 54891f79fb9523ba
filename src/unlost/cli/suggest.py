"""Hints for a command name that unlost does not have: other tools' words, and slips of the hand."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Mapping
from typing import Final

OTHER_WORDS: Final[Mapping[str, str]] = {
    "checkpoint": "mark",
    "save": "mark",
    "snapshot": "mark",
    "commit": "mark",
    "rollback": "rewind",
    "revert": "restore",
    "reset": "rewind",
    "checkout": "restore",
    "list": "status",
    "ls": "status",
    "ps": "status",
    "history": "log",
    "verify": "check",
    "validate": "check",
    "clean": "gc",
    "prune": "gc",
    "continue": "resume",
    "start": "run",
    "exec": "run",
    "cancel": "stop",
    "kill": "stop",
    "cat": "show",
    "remove": "forget",
    "unregister": "forget",
}
"""What other tools call a command of ours (contracts.md, and the words of git, jj, docker and hg)."""

BESIDE: Final[Mapping[str, str]] = {
    "rollback": "unlost rewind brings the whole tree back, unlost restore one path",
    "revert": "unlost rewind brings the whole tree back, unlost restore one path",
    "reset": "unlost rewind never touches HEAD, branches or the index",
}
"""What to add where one foreign word has two meanings here."""


def suggest_command(name: str, commands: Collection[str], *, group: str = "unlost") -> str | None:
    """The hint for an unknown command of a group, or None when nothing is near; only what exists is suggested."""
    meant = OTHER_WORDS.get(name.lower())
    if meant in commands:
        return f"did you mean `{group} {meant}`?" + (f" ({BESIDE[name.lower()]})" if name.lower() in BESIDE else "")
    near = difflib.get_close_matches(name.lower(), sorted(commands), n=1, cutoff=0.6)
    return f"did you mean `{group} {near[0]}`?" if near else None


def suggest_option(name: str, options: Collection[str]) -> str | None:
    """The hint for an unknown option, or None when nothing is near."""
    near = difflib.get_close_matches(name, sorted(options), n=1, cutoff=0.6)
    return f"did you mean {near[0]}?" if near else None
