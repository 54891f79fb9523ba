"""Whether walls can be built around an agent on this machine."""

from __future__ import annotations

import shutil
import subprocess

from unlost.attempt.sandbox import PROBE

BWRAP = shutil.which("bwrap")


def _why_not() -> str:
    if BWRAP is None:
        return "bubblewrap is not installed: sh scripts/install_services.sh"
    tried = subprocess.run([BWRAP, *PROBE], capture_output=True, check=False)
    return "" if tried.returncode == 0 else f"no walls can be built here: {tried.stderr!r}"


WHY_NOT = _why_not()
"""Why not; empty where they can."""
