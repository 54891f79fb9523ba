"""What the shim writes into pipes whose readers may be slow or gone."""

from __future__ import annotations

import os

from unlost.host.shim.relay import Outgoing


def test_a_pipe_ends_behind_what_waits() -> None:
    """Hung up on, a slow reader still gets every byte, and then the end."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    outgoing = Outgoing(writer)
    sent = b"x" * 300_000
    outgoing.write(sent)
    outgoing.end()

    assert outgoing.waits
    received = b""
    while chunk := os.read(reader, 1 << 16):
        received += chunk
        outgoing.flush()
    os.close(reader)
    assert received == sent
    assert not outgoing.is_open


def test_a_reader_that_is_gone_ends_it_too() -> None:
    """What cannot be written is dropped, and later words and a second end do no harm."""
    reader, writer = os.pipe()
    os.close(reader)
    outgoing = Outgoing(writer)
    outgoing.write(b"anybody?")
    outgoing.write(b"no")
    outgoing.end()
    outgoing.end()

    assert (outgoing.is_open, outgoing.waits) == (False, False)
    os.close(writer)
