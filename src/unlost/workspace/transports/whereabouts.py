"""What a place calls itself: the same name that unlost gives a machine it runs on (`settings.default_place`)."""

from __future__ import annotations

from typing import Final

from unlost.facts.quoting import clean
from unlost.workspace.ports import Transport, Unreachable

_ASK: Final = """\
import os
try:
    with open("/etc/machine-id", encoding="ascii") as file:
        machine = file.read(8)
except (OSError, UnicodeDecodeError):
    machine = ""
print(os.uname().nodename + ("-" + machine if machine else ""))
"""
_LONGEST: Final = 200


def place_there(transport: Transport) -> str:
    """Host name and the start of the machine id of a place. Raises Unreachable when it has no Python."""
    done = transport.run((transport.python, "-I", "-S", "-c", _ASK), timeout=60.0)
    name = clean(done.stdout.decode("utf-8", "replace"), one_line=True).strip()
    if not done.ok or not 0 < len(name) <= _LONGEST:
        told = clean(done.stderr.decode("utf-8", "replace"), one_line=True).strip()[-_LONGEST:]
        raise Unreachable(f"the place does not tell its name: {told}", hint="it needs python3, 3.11 or later, in PATH")
    return name
