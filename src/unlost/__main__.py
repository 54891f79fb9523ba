"""The program `unlost`: run one command line and end with its exit code."""

from __future__ import annotations

import gc
import sys
from collections.abc import Mapping, Sequence
from typing import Final

if sys.platform == "win32":
    # Before the imports: some of them do not exist there, and their error would tell nobody why.
    sys.exit("unlost does not run on Windows yet; it runs in WSL, on Linux and on macOS")

from unlost.cli.ahead import begin_ahead
from unlost.cli.streams import close_quietly, open_closed_streams
from unlost.host.doors import open_door
from unlost.host.environment import current_environment

PROGRAM: Final[Mapping[str, str]] = {"app": "unlost.cli.app", "last words": "unlost.cli.last_words"}
"""The commands, and what tells how one failed; opened when a capture that is about to be asked for has begun."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line (`sys.argv` when None is given) and return its exit code; never raises an error."""
    # A command ends before it has made garbage worth looking for; the looking costs a tenth of its start.
    gc.set_threshold(50_000, 20, 20)
    given = list(sys.argv[1:] if arguments is None else arguments)
    open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character gets another one in its place, not a traceback.
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]  # both are text files by now
    begun = begin_ahead(given, current_environment())
    try:
        code = open_door(PROGRAM, "app").app.main(given, prog_name="unlost", standalone_mode=False, obj=begun)
    except SystemExit as end:
        code = end.code
    # The last door: whatever comes through it is told as an error or as a bug report, with the right exit code.
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001
        code = open_door(PROGRAM, "last words").tell(error, given)
    finally:
        if begun is not None:
            begun.close()
    for stream in (sys.stdout, sys.stderr):
        close_quietly(stream)
    return code if isinstance(code, int) else 0


if __name__ == "__main__":
    sys.exit(main())
