"""`python wrapped.py CMD ARG...`: the wrapper alone, as `unlost run -- CMD` uses it, without a workspace."""

from __future__ import annotations

import os
import sys

from unlost.host.foreground import die_of_interrupt
from unlost.plain.wrapper import Proof, run_wrapped


class Nothing:
    """Nothing to take before; nothing lost after, unless LOST says how much."""

    def before(self) -> None: ...

    def after(self) -> Proof:
        return Proof(changed=0, lost=int(os.environ.get("LOST", "0")), boundary=1)


if __name__ == "__main__":
    end = run_wrapped(tuple(sys.argv[1:]), os.environ, Nothing())
    if end.command.problem:
        sys.stderr.write(f"unlost: {end.command.problem}\n")
    if end.is_interrupt:
        die_of_interrupt()
    sys.exit(end.exit_code)
