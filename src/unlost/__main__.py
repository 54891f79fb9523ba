"""The program `unlost`: run one command line and end with its exit code."""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence

if sys.platform == "win32":
    # Before the imports: some of them do not exist there, and their error would tell nobody why.
    sys.exit("unlost does not run on Windows yet; it runs in WSL, on Linux and on macOS")

from unlost.cli.app import COMMANDS, FAILURES, app
from unlost.cli.terminal import Terminal, close_quietly, open_closed_streams
from unlost.host.doors import open_door
from unlost.host.environment import current_environment


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line (`sys.argv` when None is given) and return its exit code; never raises an error."""
    # A command ends before it has made garbage worth looking for; the looking costs a tenth of its start.
    gc.set_threshold(50_000, 20, 20)
    given = list(sys.argv[1:] if arguments is None else arguments)
    open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character gets another one in its place, not a traceback.
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]  # both are text files by now
    try:
        code = app.main(given, prog_name="unlost", standalone_mode=False)
    except SystemExit as end:
        code = end.code
    # The last door: whatever comes through it is told as an error or as a bug report, with the right exit code.
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001
        code = _tell(error, given)
    for stream in (sys.stdout, sys.stderr):
        close_quietly(stream)
    return code if isinstance(code, int) else 0


def _tell(error: BaseException, given: Sequence[str]) -> int:
    ours = given[: given.index("--")] if "--" in given else given
    terminal = Terminal(
        stdin=sys.stdin,
        stdout=sys.stdout,
        stderr=sys.stderr,
        color="never" if "--color=never" in ours else "auto",
        quiet=False,
        environment=current_environment(),
    )
    code: int = open_door(FAILURES, "failures").tell_failure(error, ours, terminal, commands=COMMANDS)
    return code


if __name__ == "__main__":
    sys.exit(main())
