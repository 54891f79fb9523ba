"""The program `unlost`: run one command line and end with its exit code."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Final

if sys.platform == "win32":
    # Before the imports: some of them do not exist there, and their error would tell nobody why.
    sys.exit("unlost does not run on Windows yet; it runs in WSL, on Linux and on macOS")

from unlost.app.head_start import begin_capture
from unlost.cli.plain_line import read_plain_line
from unlost.cli.streams import close_quietly, open_closed_streams
from unlost.host.doors import open_door
from unlost.host.environment import current_environment

PROGRAM: Final[Mapping[str, str]] = {
    "app": "unlost.cli.app",
    "plain lines": "unlost.cli.quick",
    "last words": "unlost.cli.last_words",
}
"""Every command line, plain ones, and how one failed; opened when a capture that is about to be asked for has begun."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line (`sys.argv` when None is given) and return its exit code; never raises an error."""
    # A command ends before it has made garbage worth looking for; the looking costs a tenth of its start.
    gc.set_threshold(50_000, 20, 20)
    given = list(sys.argv[1:] if arguments is None else arguments)
    open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character gets another one in its place, not a traceback.
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]  # both are text files by now
    line = read_plain_line(given)
    begun = None
    try:
        if line is None:
            code = open_door(PROGRAM, "app").app.main(given, prog_name="unlost", standalone_mode=False)
        else:
            begun = begin_capture(line.folder, current_environment()) if line.captures else None
            code = open_door(PROGRAM, "plain lines").carry_out(line, begun, leaving=arguments is None)
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
    code = code if isinstance(code, int) else 0
    if line is not None and arguments is None:
        # Everything is closed and written by now; to take an interpreter apart costs a tenth of a mark.
        os._exit(code)
    return code


if __name__ == "__main__":
    sys.exit(main())
