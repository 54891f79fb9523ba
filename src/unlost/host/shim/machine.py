"""The process table of the system we run on; `linux.py` and `darwin.py` have the same face."""

from __future__ import annotations

import sys

if sys.platform == "darwin":
    from unlost.host.shim.darwin import (
        adopt_orphans,
        boot_name,
        die_with_parent,
        end_of,
        environment_of,
        every_pid,
        look_at,
        newest_pid,
        pid_space,
        signal_exactly,
    )
else:
    from unlost.host.shim.linux import (
        adopt_orphans,
        boot_name,
        die_with_parent,
        end_of,
        environment_of,
        every_pid,
        look_at,
        newest_pid,
        pid_space,
        signal_exactly,
    )

__all__ = [
    "adopt_orphans",
    "boot_name",
    "die_with_parent",
    "end_of",
    "environment_of",
    "every_pid",
    "look_at",
    "newest_pid",
    "pid_space",
    "signal_exactly",
]
