"""The standard streams of the process: open when it starts, flushed before it ends."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from typing import TextIO


def open_closed_streams() -> None:
    """Let each standard stream that the caller closed (`>&-`) lead nowhere.

    Otherwise the next file that is opened, perhaps the ledger, would get the number of a stream that others write to.
    """
    for descriptor, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        if getattr(sys, name) is not None:
            continue
        nowhere = os.open(os.devnull, os.O_RDWR)
        if nowhere != descriptor:
            os.dup2(nowhere, descriptor)
            os.close(nowhere)
        os.set_inheritable(descriptor, True)
        setattr(sys, name, open(descriptor, mode, encoding="utf-8", closefd=False))  # noqa: SIM115  (open to the end)


def close_quietly(stream: TextIO) -> None:
    """Flush a stream now, so that a vanished reader cannot change the exit code at interpreter exit."""
    with without_reader(stream):
        stream.flush()


@contextlib.contextmanager
def without_reader(stream: TextIO) -> Iterator[None]:
    """Writing goes on, to nowhere, when the reader of a stream has gone away."""
    try:
        yield
    except BrokenPipeError:
        # From now on the stream leads nowhere: what follows, and the interpreter's own flush, must not fail again.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
