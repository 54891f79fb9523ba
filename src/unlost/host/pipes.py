"""The three standard streams of a child: fed and read together, bounded in memory."""

from __future__ import annotations

import os
import select
import time
from collections.abc import Callable
from typing import Final

_PIECE: Final = 1 << 20
_MARK: Final = b"\n[... %d bytes dropped ...]\n"
_STDIN, _STDOUT, _STDERR = 0, 1, 2

SpawnAction = tuple[int, int, str, int, int] | tuple[int, int, int]


class Collector:
    """Keeps the first and the last half of what it is given, at most `limit` bytes in all."""

    def __init__(self, limit: int) -> None:
        self._half = limit // 2
        self._head = bytearray()
        self._tail = bytearray()
        self.dropped = 0

    def add(self, data: bytes) -> None:
        """Take more; the oldest bytes of the last half go first."""
        room = self._half - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        self._tail += data
        # Cutting only when it has doubled keeps the cost linear.
        if len(self._tail) > 2 * self._half + _PIECE:
            self._cut()

    def kept(self) -> bytes:
        """What was kept, with a line in the middle that says how much was not."""
        self._cut()
        middle = _MARK % self.dropped if self.dropped else b""
        return b"".join((self._head, middle, self._tail))

    def _cut(self) -> None:
        over = len(self._tail) - self._half
        if over > 0:
            self.dropped += over
            del self._tail[:over]


class Pipes:
    """Our ends of a child's streams. `feed` is written to its stdin; stdout and stderr are collected."""

    def __init__(self, *, feed: bytes | None, limit: int, merge: bool) -> None:
        self.stdout = Collector(limit)
        self.stderr = Collector(limit)
        self._feed = memoryview(feed or b"")
        self._collectors: dict[int, Collector] = {}
        self._stdin: int | None = None
        self._theirs: dict[int, int] = {}
        self._open_reader(self.stdout, _STDOUT)
        if merge:
            self._theirs[_STDERR] = self._theirs[_STDOUT]
        else:
            self._open_reader(self.stderr, _STDERR)
        if feed is not None:
            self._theirs[_STDIN], self._stdin = os.pipe()
            os.set_blocking(self._stdin, False)

    def actions(self, stdin_path: str) -> list[SpawnAction]:
        """What `posix_spawn` must do in the child so that these become its streams."""
        found: list[SpawnAction] = []
        if _STDIN not in self._theirs:
            found.append((os.POSIX_SPAWN_OPEN, _STDIN, stdin_path, os.O_RDONLY, 0))
        found += [(os.POSIX_SPAWN_DUP2, descriptor, number) for number, descriptor in self._theirs.items()]
        return found

    def close_theirs(self) -> None:
        """After the spawn: only the child may hold its ends, else ours never see the end."""
        for descriptor in set(self._theirs.values()):
            os.close(descriptor)
        self._theirs = {}

    def close(self) -> None:
        """Give up our ends."""
        for descriptor in tuple(self._collectors):
            self._forget(descriptor)
        self._close_stdin()

    def pump(self, deadline: float | None, leader: int | None, has_ended: Callable[[], bool]) -> bool:
        """Feed and read until every stream has ended or the leader has; False when the deadline came first.

        `leader` is a descriptor that becomes readable when the leader ends; without one, `has_ended` is asked
        often. Whoever still holds the streams then is not the program that was asked for: what it has written
        so far is taken, and it is not waited for.
        """
        poll = select.poll()
        for descriptor in self._collectors:
            poll.register(descriptor, select.POLLIN)
        if self._stdin is not None:
            poll.register(self._stdin, select.POLLOUT)
        if leader is not None:
            poll.register(leader, select.POLLIN)
        while self._collectors:
            left = None if deadline is None else deadline - time.monotonic()
            if left is not None and left <= 0:
                return False
            patience = left if leader is not None else min(left or 0.05, 0.05)
            ready = {descriptor for descriptor, _ in poll.poll(None if patience is None else patience * 1000 + 1)}
            self._turn(poll, ready)
            if leader in ready or (leader is None and has_ended()):
                self._drain()
                return True
        return True

    def _turn(self, poll: select.poll, ready: set[int]) -> None:
        for descriptor in ready:
            if descriptor == self._stdin:
                self._write_once(poll)
            elif descriptor in self._collectors:
                piece = os.read(descriptor, _PIECE)
                if piece:
                    self._collectors[descriptor].add(piece)
                else:
                    poll.unregister(descriptor)
                    self._forget(descriptor)

    def _write_once(self, poll: select.poll) -> None:
        assert self._stdin is not None
        try:
            self._feed = self._feed[os.write(self._stdin, self._feed[:_PIECE]) :] if self._feed else self._feed
        except BlockingIOError:
            return
        except BrokenPipeError:
            # The program does not want the rest; its exit code tells whether that was right.
            self._feed = memoryview(b"")
        if not self._feed:
            poll.unregister(self._stdin)
            self._close_stdin()

    def _drain(self) -> None:
        for descriptor in tuple(self._collectors):
            os.set_blocking(descriptor, False)
            try:
                while piece := os.read(descriptor, _PIECE):
                    self._collectors[descriptor].add(piece)
            except BlockingIOError:
                continue

    def _open_reader(self, collector: Collector, number: int) -> None:
        ours, self._theirs[number] = os.pipe()
        self._collectors[ours] = collector

    def _forget(self, descriptor: int) -> None:
        os.close(descriptor)
        del self._collectors[descriptor]

    def _close_stdin(self) -> None:
        if self._stdin is not None:
            os.close(self._stdin)
            self._stdin = None
