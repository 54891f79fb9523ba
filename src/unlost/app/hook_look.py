"""The quick look of a hook: does the command that is about to run throw work away? 10 says yes.

Started as `python -I -S …/hook_look.py` by `hook_front.sh` for commands that might; it loads no more than that takes,
and so do the modules it imports: no dataclass there, whose decorator takes a third of all the time.
"""

from __future__ import annotations

import os
import sys
from typing import Final

# As in host/shim/__main__.py: nothing of the user's environment or of a work tree can change what runs here.
sys.path.append(__file__.removesuffix("/unlost/app/hook_look.py"))

from unlost.plain.hook_call import discards_of, read_call

DISCARDS: Final = 10


def main() -> int:
    """The exit code for the call on stdin."""
    call = read_call(sys.stdin.buffer.read())
    return DISCARDS if call is not None and discards_of(call) else 0


if __name__ == "__main__":
    # Nothing is open: to take the interpreter apart would only cost the agent time.
    os._exit(main())
