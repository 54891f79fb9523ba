"""A small file system of its own, where this machine allows one to be mounted."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def small_disk(folder: Path, size: str = "1m") -> Iterator[Path]:
    """Mount a memory file system of this size on an empty folder; skips the test where that is not allowed."""
    mount, unmount = shutil.which("mount"), shutil.which("umount")
    if mount is None or unmount is None:
        pytest.skip("no mount program here")
    options = f"size={size},mode=0700"
    done = subprocess.run(
        [mount, "-t", "tmpfs", "-o", options, "unlost", str(folder)], check=False, capture_output=True
    )
    if done.returncode:
        pytest.skip("mounting a file system is not allowed here")
    try:
        yield folder
    finally:
        subprocess.run([unmount, str(folder)], check=True, capture_output=True)
