"""The folder that everything of unlost's own lives in."""

from __future__ import annotations

import os

from unlost.facts.errors import UnlostError


def make_state_home(path: str) -> None:
    """Make the state home, for this user alone, where there is none. Raises UnlostError when it cannot be one."""
    try:
        os.makedirs(path, mode=0o700, exist_ok=True)
    except OSError as error:
        is_taken = isinstance(error, FileExistsError | NotADirectoryError)
        what = "is no folder" if is_taken else f"cannot be made: {error.strerror}"
        raise UnlostError(
            f"the state home {what}; nothing was started or changed", hint="set UNLOST_HOME to a folder of your own"
        ) from error
    if not os.access(path, os.W_OK | os.X_OK):
        raise UnlostError(
            "the state home cannot be written to; nothing was started or changed",
            hint="set UNLOST_HOME to a folder of your own",
        )
