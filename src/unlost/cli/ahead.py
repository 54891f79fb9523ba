"""Which command lines capture, told from their words alone: git can look while click is still being imported."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from unlost.app.head_start import begin_capture
from unlost.snapshot.begun import Begun

_COMMANDS: Final = frozenset({"mark", "check"})
_FLAGS: Final = frozenset({"--json", "-q", "--quiet", "-y", "--yes"})
_VALUED: Final = frozenset({"-m", "--label", "--color", "--since", "-C"})


def begin_ahead(arguments: Sequence[str], environment: Mapping[str, str]) -> Begun | None:
    """The capture that a command line will ask for, begun now; None for any other, or an unusual, command line."""
    folder = folder_to_capture(arguments)
    return None if folder is None else begin_capture(folder, environment)


def folder_to_capture(arguments: Sequence[str]) -> str | None:
    """The folder whose work tree `mark` or `check` is about; None as soon as any word is not a plain one of theirs."""
    command, folder = None, "."
    words = iter(arguments)
    for word in words:
        if word in _FLAGS or word.startswith(("--label=", "--color=", "--since=")):
            continue
        if word in _VALUED:
            value = next(words, None)
            if value is None:
                return None
            folder = value if word == "-C" else folder
        elif word in _COMMANDS and command is None:
            command = word
        else:
            return None
    return None if command is None else folder
