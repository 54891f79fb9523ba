"""A hook at work: `python -I -S …/hook_act.py AGENT`, the call on stdin; started by `hook_front.sh` when it matters."""

from __future__ import annotations

import sys

# As in host/shim/__main__.py: nothing of the user's environment or of a work tree can change what runs here.
sys.path.append(__file__.removesuffix("/unlost/app/hook_act.py"))

from unlost.app.hooking import answer_call
from unlost.plain.hook_answer import Answer, broken
from unlost.plain.hook_call import read_call
from unlost.settings import read_settings


def main(agent: str) -> int:
    """Answer the call on stdin; what was recognised as a discard does not run when this fails."""
    call = read_call(sys.stdin.buffer.read())
    if call is None:
        return 0
    try:
        answer = answer_call(call, read_settings(), agent=agent)
    except Exception as error:  # noqa: BLE001  (whatever it was: nothing is discarded unsaved, and no session is stopped)
        answer = broken(str(error)) if call.moment == "PreToolUse" else Answer(exit_code=1, err=f"unlost: {error}")
    sys.stdout.write(answer.out)
    sys.stderr.write(answer.err)
    return answer.exit_code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
