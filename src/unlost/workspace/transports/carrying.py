"""Files carried over any way to run a program: in pieces, gone on with after a cut, proved at the end.

An adapter says how a program is started on its place; everything else is here. Memory holds one piece at a time.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable
from typing import Any, Final

from unlost.facts.errors import UnlostError
from unlost.facts.quoting import clean
from unlost.host.ids import new_nonce
from unlost.host.reading import sync_folder, write_all
from unlost.workspace.ports import Done, Progress, Unreachable
from unlost.workspace.transports.porter import MISMATCH, NO_FILE, Streams, measured, obey

PIECE: Final = 8 << 20
_ROOM: Final = 1 << 16
_TRIES: Final = 3
_PIECE_TIMEOUT: Final = 600.0
_TOLD: Final = 400
_PORTER: Final = os.path.join(os.path.dirname(os.path.abspath(__file__)), "porter.py")

RunThere = Callable[[tuple[str, ...], bytes, float, int], Done]
"""Runs (argv, stdin, timeout, output limit) on the place. Raises Unreachable."""

Porter = Callable[[tuple[str, ...], bytes, int], Done]
"""Lets one operation of `porter.py` be done on the place: (arguments, stdin, output limit). Raises Unreachable."""


class TransferFailed(UnlostError):
    """A file could not be carried; nothing has its name that is not whole."""


class Carrier:
    """Carries files to and from one place."""

    def __init__(self, porter: Porter) -> None:
        self._porter = porter

    def send(self, source: str, target: str, progress: Progress) -> None:
        """See `Transport.send`."""
        size, digest = measured(source, keep=False)
        for _ in range(_TRIES):
            self._send_rest(source, target, size, digest, progress)
            done = self._call("end", target, digest)
            if done.ok:
                return
            if done.exit_code != MISMATCH:
                raise _failure("the file cannot be put there", done)
        raise TransferFailed("what arrives on the place is not what was sent", hint="is its disk sound?")

    def receive(self, source: str, target: str, progress: Progress) -> None:
        """See `Transport.receive`."""
        told = self._answer("tell", source)
        size, digest = int(told["size"]), str(told["digest"])
        part = f"{target}.{digest[:32]}.part"
        for _ in range(_TRIES):
            self._receive_rest(source, part, size, progress)
            if measured(part, keep=True) == (size, digest):
                os.rename(part, target)
                sync_folder(os.path.dirname(target))
                return
            os.unlink(part)
        raise TransferFailed("the file changes on the place while it is read", hint="try again when it is at rest")

    def _send_rest(self, source: str, target: str, size: int, digest: str, progress: Progress) -> None:
        """Send what is not there yet; a piece that is cut is sent once more from where it was cut."""
        there, cuts = int(self._answer("have", target, digest)["size"]), 0
        with open(source, "rb") as file:
            while there < size:
                file.seek(there)
                progress(f"sending {_share(there, size)}")
                try:
                    there = int(self._answer("put", target, digest, str(there), stdin=file.read(PIECE))["size"])
                except Unreachable:
                    cuts += 1
                    if cuts == _TRIES:
                        raise
                    there = int(self._answer("have", target, digest)["size"])

    def _receive_rest(self, source: str, part: str, size: int, progress: Progress) -> None:
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        cuts = 0
        try:
            while (here := os.fstat(descriptor).st_size) < size:
                progress(f"receiving {_share(here, size)}")
                try:
                    done = self._call("take", source, str(here), str(PIECE), limit=2 * PIECE + _ROOM)
                except Unreachable:
                    cuts += 1
                    if cuts == _TRIES:
                        raise
                    continue
                if not done.ok or not done.stdout:
                    raise _failure("the file cannot be read there", done)
                write_all(descriptor, done.stdout)
        finally:
            os.close(descriptor)

    def _answer(self, *arguments: str, stdin: bytes = b"") -> dict[str, Any]:
        done = self._call(*arguments, stdin=stdin)
        if not done.ok:
            raise _failure("the file cannot be reached there", done)
        try:
            answer = json.loads(done.stdout.splitlines()[-1])
        except (ValueError, IndexError) as error:
            raise _failure("the place answers with something else than was asked", done) from error
        if not isinstance(answer, dict):
            raise _failure("the place answers with something else than was asked", done)
        return answer

    def _call(self, *arguments: str, stdin: bytes = b"", limit: int = _ROOM) -> Done:
        return self._porter(arguments, stdin, limit)


def porter_there(run_there: RunThere, python: str) -> Porter:
    """A porter that is started on the place for every operation."""
    start = (python, "-I", "-S", "-c", _program())
    return lambda arguments, stdin, limit: run_there((*start, *arguments), stdin, _PIECE_TIMEOUT, limit)


def porter_here(arguments: tuple[str, ...], stdin: bytes, _limit: int) -> Done:
    """A porter on this machine: the same operations, done by this process."""
    said = io.BytesIO()
    try:
        ended = obey(arguments[0], arguments[1:], Streams(io.BytesIO(stdin), said))
    except OSError as error:
        return Done(exit_code=1, stdout=b"", stderr=str(error).encode("utf-8", "replace"))
    return Done(exit_code=ended, stdout=said.getvalue(), stderr=b"")


def scratch_name(purpose: str) -> str:
    """A name for a file on the place that nothing else has."""
    return f"unlost-{purpose}-{new_nonce()}"


def _program() -> str:
    # `importlib.resources` costs as much to import as a transfer takes.
    with open(_PORTER, encoding="utf-8") as file:
        return file.read()


def _failure(what: str, done: Done) -> TransferFailed:
    if done.exit_code == NO_FILE:
        return TransferFailed(f"{what}: there is no such file")
    told = clean(done.stderr.decode("utf-8", "replace").strip()[-_TOLD:], one_line=True)
    return TransferFailed(f"{what} (exit {done.exit_code})" + (f": {told}" if told else ""))


def _share(done: int, size: int) -> str:
    return f"{done >> 20:,} of {size >> 20:,} MiB"
