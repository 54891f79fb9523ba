"""A child that answers questions, one at a time, over its stdin and stdout."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from typing import Final

from unlost.facts.errors import UnlostError
from unlost.host.pipes import SpawnAction
from unlost.host.process import NOTHING, RESTORED, NotStarted, Request, signal_group
from unlost.host.reading import write_all

_PIECE: Final = 1 << 16


class ConversationEnded(UnlostError):
    """The child ended in the middle of an answer."""


class Conversation:
    """Starts the program; ask with `say`, then read the whole answer before the next question.

    Its stderr is dropped, its stdin and time limit are not used. Raises NotStarted, ConversationEnded.
    """

    def __init__(self, request: Request) -> None:
        theirs_in, self._ours_in = os.pipe()
        self._ours_out, theirs_out = os.pipe()
        actions: list[SpawnAction] = [
            (os.POSIX_SPAWN_DUP2, theirs_in, 0),
            (os.POSIX_SPAWN_DUP2, theirs_out, 1),
            (os.POSIX_SPAWN_OPEN, 2, NOTHING, os.O_WRONLY, 0),
            *((os.POSIX_SPAWN_DUP2, number, number) for number in request.inherit),
        ]
        try:
            self.pid = os.posix_spawn(
                request.argv[0],
                request.argv,
                request.env,
                file_actions=actions,
                setsid=True,
                setsigmask=(),
                setsigdef=RESTORED,
            )
        except OSError as error:
            os.close(self._ours_in)
            os.close(self._ours_out)
            raise NotStarted(f"{request.argv[0]} could not be started: {error.strerror}") from error
        finally:
            os.close(theirs_in)
            os.close(theirs_out)
        self._buffer = b""
        self._open = True

    def say(self, data: bytes) -> None:
        """Ask; the question must be shorter than a pipe holds (4 KiB)."""
        try:
            write_all(self._ours_in, data)
        except BrokenPipeError:
            raise ConversationEnded("the program that was asked has ended") from None

    def line(self) -> bytes:
        """The next line of the answer, without its end."""
        while (end := self._buffer.find(b"\n")) < 0:
            self._fill()
        line, self._buffer = self._buffer[:end], self._buffer[end + 1 :]
        return line

    def stream(self, size: int) -> Iterator[bytes]:
        """The next `size` bytes of the answer, in pieces; take them all."""
        while size:
            if not self._buffer:
                self._fill()
            piece, self._buffer = self._buffer[:size], self._buffer[size:]
            size -= len(piece)
            yield piece

    def close(self) -> None:
        """End the child. Harmless twice."""
        if not self._open:
            return
        self._open = False
        os.close(self._ours_in)
        os.close(self._ours_out)
        signal_group(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)

    def _fill(self) -> None:
        piece = os.read(self._ours_out, _PIECE)
        if not piece:
            raise ConversationEnded("the program that was asked has ended")
        self._buffer += piece
