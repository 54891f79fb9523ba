"""How large a campaign is: its small sample in every run of the suite, its full number in `make campaign`."""

from __future__ import annotations

import os

FULL = os.environ.get("UNLOST_CAMPAIGN") == "full"
"""Whether this run is `make campaign`."""


def rounds(sample: int, full: int) -> int:
    """The number of rounds that this run plays; both numbers stand at the call, so nobody has to look them up."""
    return full if FULL else sample
