"""Moves the bytes of one file on a place: runs there as `python3 -I -S -c THIS OPERATION …`, standard library only.

    have TARGET DIGEST            how many bytes of that content are there already
    put TARGET DIGEST OFFSET      standard input becomes its bytes from OFFSET on
    end TARGET DIGEST             the whole content gets its name, when it is what DIGEST (sha256) says
    tell SOURCE                   its size and digest
    take SOURCE OFFSET LENGTH     that many of its bytes on standard output

Answers in one line of JSON; exit 3 when a whole is not what its digest says. A part is named by the digest of the
whole, so parts of two contents never mix. No link is followed in a file's own name. Python 3.8 has to do.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Callable, Sequence
from typing import BinaryIO

PIECE = 1 << 20
MISMATCH = 3
NO_FILE = 4


class Mismatch(Exception):
    """A whole is not what its digest says."""


class Streams:
    """What an operation reads and writes."""

    def __init__(self, incoming: BinaryIO, outgoing: BinaryIO) -> None:
        self.incoming = incoming
        self.outgoing = outgoing


def obey(operation: str, arguments: Sequence[str], streams: Streams) -> int:
    """Do one operation and write its answer; the exit code."""
    try:
        answer = _OPERATIONS[operation](streams, *arguments)
    except FileNotFoundError:
        return NO_FILE
    except Mismatch:
        return MISMATCH
    if answer:
        streams.outgoing.write(json.dumps(answer).encode() + b"\n")
    streams.outgoing.flush()
    return 0


def part_of(target: str, digest: str) -> str:
    """Where the content waits until it is whole."""
    return f"{target}.{digest[:32]}.part"


def have(_: Streams, target: str, digest: str) -> dict[str, object]:
    """How much of a content is there."""
    try:
        return {"size": os.lstat(part_of(target, digest)).st_size}
    except FileNotFoundError:
        return {"size": 0}


def put(streams: Streams, target: str, digest: str, offset: str) -> dict[str, object]:
    """Take standard input as the content's bytes from an offset on."""
    part = opened(part_of(target, digest))
    try:
        if os.fstat(part).st_size < int(offset):
            raise FileNotFoundError(target)
        os.ftruncate(part, int(offset))
        os.lseek(part, 0, os.SEEK_END)
        while True:
            piece = streams.incoming.read(PIECE)
            if not piece:
                return {"size": os.fstat(part).st_size}
            left = memoryview(piece)
            while left:
                left = left[os.write(part, left) :]
    finally:
        os.close(part)


def end(_: Streams, target: str, digest: str) -> dict[str, object]:
    """Give a whole content its name; one that is not what it should be is thrown away."""
    part = part_of(target, digest)
    os.close(opened(part))
    size, found = measured(part, keep=True)
    if found != digest:
        os.unlink(part)
        raise Mismatch
    os.rename(part, target)
    folder = os.open(os.path.dirname(target), os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
    return {"size": size}


def tell(_: Streams, source: str) -> dict[str, object]:
    """Size and digest of a file."""
    size, digest = measured(source, keep=False)
    return {"size": size, "digest": digest}


def take(streams: Streams, source: str, offset: str, length: str) -> dict[str, object]:
    """Write a range of a file to standard output."""
    file = os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        os.lseek(file, int(offset), os.SEEK_SET)
        left = int(length)
        while left:
            piece = os.read(file, min(left, PIECE))
            if not piece:
                break
            streams.outgoing.write(piece)
            left -= len(piece)
    finally:
        os.close(file)
    return {}


def opened(part: str) -> int:
    """A part to write into, made with its folder when there is none."""
    os.makedirs(os.path.dirname(part), 0o700, exist_ok=True)
    return os.open(part, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)


def measured(path: str, *, keep: bool) -> tuple[int, str]:
    """(size, sha256) of a file; with `keep` its bytes are made durable as well."""
    digest, size = hashlib.sha256(), 0
    file = os.open(path, (os.O_RDWR if keep else os.O_RDONLY) | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        while True:
            piece = os.read(file, PIECE)
            if not piece:
                break
            digest.update(piece)
            size += len(piece)
        if keep:
            os.fsync(file)
    finally:
        os.close(file)
    return size, digest.hexdigest()


_OPERATIONS: dict[str, Callable[..., dict[str, object]]] = {
    "have": have,
    "put": put,
    "end": end,
    "tell": tell,
    "take": take,
}

if __name__ == "__main__":
    sys.exit(obey(sys.argv[1], sys.argv[2:], Streams(sys.stdin.buffer, sys.stdout.buffer)))
