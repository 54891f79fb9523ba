"""A hook at work: `python -I -S …/hook_act.py AGENT`, the call on stdin; started by `hook_front.sh` when it matters."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Final

# As in host/shim/__main__.py: nothing of the user's environment or of a work tree can change what runs here.
sys.path.append(__file__.removesuffix("/unlost/app/hook_act.py"))

from unlost.app.head_start import begin_capture
from unlost.host.doors import open_door
from unlost.host.environment import current_environment
from unlost.plain.hook_answer import Answer, broken
from unlost.plain.hook_call import read_call
from unlost.settings import read_settings

WORK: Final[Mapping[str, str]] = {"hooking": "unlost.app.hooking"}
"""What answers calls; opened while git looks already."""


def main(agent: str) -> int:
    """Answer the call on stdin; what was recognised as a discard does not run when this fails."""
    call = read_call(sys.stdin.buffer.read())
    if call is None:
        return 0
    begun = begin_capture(call.folder, current_environment())
    answer: Answer
    try:
        answer = open_door(WORK, "hooking").answer_call(call, read_settings(), agent=agent, begun=begun)
    except Exception as error:  # noqa: BLE001  (whatever it was: nothing is discarded unsaved, and no session is stopped)
        answer = broken(str(error)) if call.moment == "PreToolUse" else Answer(exit_code=1, err=f"unlost: {error}")
    finally:
        if begun is not None:
            begun.close()
    sys.stdout.write(answer.out)
    sys.stderr.write(answer.err)
    return answer.exit_code


if __name__ == "__main__":
    code = main(sys.argv[1])
    sys.stdout.flush()
    sys.stderr.flush()
    # Everything is written and closed: to take the interpreter apart would only cost the agent time.
    os._exit(code)
