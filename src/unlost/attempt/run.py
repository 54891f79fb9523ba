"""Run one attempt to its end: start its shim, turn what it relays into events, hold the caps that events tell.

Order of records: the shim's identity is on disk before it may start the agent. So no agent ever ran whose shim a
later supervisor could not find.
"""

from __future__ import annotations

import base64
import os
from typing import Any, Final

from unlost.agents.protocol import AgentEvent, Launch
from unlost.attempt.caps import Meter, Spent, cap_reached
from unlost.attempt.end import attempt_end, write_spent
from unlost.attempt.facts import AttemptEnd, AttemptRequest, Observer
from unlost.attempt.lines import Line, LineCutter, Tail
from unlost.attempt.orphans import settle
from unlost.attempt.prepare import make_folders, make_spec
from unlost.attempt.writer import held_by, held_by_leftovers
from unlost.facts.errors import TryLater
from unlost.host.clock import Clock
from unlost.host.crash import crash_point
from unlost.host.interrupts import Interrupts
from unlost.host.shim.facts import Ending, Identity, ending_from, holder_from, identity_from
from unlost.host.shim.frames import STDERR, STDOUT, TOLD, Frame
from unlost.host.shim.launch import ShimNotStarted, ShimProcess, start_shim
from unlost.host.shim.records import read_ending, write_ending, write_record

PULSE: Final = 0.25
"""Seconds between two looks at the observer and at Ctrl-C."""


def run(request: AttemptRequest, observer: Observer, clock: Clock) -> AttemptEnd:
    """Run an agent and return how it ended; then nothing of it runs and the workspace is free.

    The first Ctrl-C asks the agent to end, a second one ends it; both come back as `interrupted`. Raises TryLater
    when the workspace is held (nothing was started), OSError when the state home cannot be written. Whatever the
    observer raises comes through, after the agent was stopped.
    """
    attempt, folder = request.errand.attempt, request.workspace_folder
    made = make_folders(request)
    launch = request.agent.launch(request.errand)
    crash_point("attempt.prepared")
    try:
        shim = start_shim(attempt, os.path.join(made.attempt, "shim.err"))
    except ShimNotStarted as error:
        ending = Ending(attempt, by="supervisor", reason="not_started", error=f"the shim did not start: {error}")
        write_ending(folder, ending)
        return attempt_end(folder, ending, Spent())
    running = _Running(request, launch, observer, shim)
    try:
        shim.brief(make_spec(request, launch, request.agent.cancel()))
        with Interrupts() as interrupts:
            running.follow(interrupts, clock)
    finally:
        # With its pipes closed the shim ends everything by itself, should we be here by an error.
        shim.leave()
    crash_point("attempt.over")
    return running.end(clock)


class _Running:
    """One attempt while it runs: what its frames add up to."""

    def __init__(self, request: AttemptRequest, launch: Launch, observer: Observer, shim: ShimProcess) -> None:
        self._request = request
        self._agent = request.agent
        self._launch = launch
        self._observer = observer
        self._shim = shim
        self._meter = Meter()
        self._written = Spent()
        self._cutter = LineCutter(launch.longest_line)
        self._stderr = Tail()
        self._shim_identity: Identity | None = None
        self._ending: Ending | None = None
        self._refusal: TryLater | None = None
        self._stopping = False
        self._interrupts = 0

    def follow(self, interrupts: Interrupts, clock: Clock) -> None:
        """Read until the relay closes."""
        pulse = clock.monotonic()
        while self._shim.is_open:
            for frame in self._shim.frames(PULSE):
                self._take(frame)
            if clock.monotonic() - pulse >= PULSE or interrupts.count > self._interrupts:
                pulse = clock.monotonic()
                self._interrupted(interrupts.count)
                self._pulse()
        for line in self._cutter.finish():
            self._hear(line)

    def end(self, clock: Clock) -> AttemptEnd:
        """How it ended, once the shim has left. Raises TryLater when it never began because the workspace is held."""
        attempt, folder = self._request.errand.attempt, self._request.workspace_folder
        if self._refusal:
            write_ending(folder, Ending(attempt, by="supervisor", reason="busy", error=self._refusal.message))
            raise self._refusal
        spent = self._meter.spent()
        self._keep(spent)
        ending = read_ending(folder, attempt)
        if ending is None and self._ending is not None:
            ending = self._ending
            write_ending(folder, ending)
        if ending is None:
            # The shim and its keeper are gone without a word: sweep what they may have left.
            settle(folder, attempt, clock)
            ending = read_ending(folder, attempt)
            assert ending is not None
        account = self._agent.conclude(ending.agent_code)
        return attempt_end(
            folder, ending, spent, account, stderr=self._stderr.kept(), interrupted=bool(self._interrupts)
        )

    def _take(self, frame: Frame) -> None:
        if frame.kind == STDOUT:
            for line in self._cutter.feed(frame.payload):
                self._hear(line)
        elif frame.kind == STDERR:
            self._stderr.feed(frame.payload)
        elif frame.kind == TOLD:
            self._told(frame.told())

    def _told(self, told: dict[str, Any]) -> None:
        """Act on what the shim itself says."""
        match told["event"]:
            case "ready":
                self._shim_identity = identity_from(told["shim"])
                self._record(agent=None)
                crash_point("attempt.ready")
                self._shim.tell("go")
            case "started":
                self._record(agent=identity_from(told["agent"]))
                crash_point("attempt.started")
                self._reply(self._launch.opening)
            case "busy":
                self._refusal = held_by(holder_from(told["holder"]))
            case "stuck" if self._shim_identity is None:
                self._refusal = held_by_leftovers(told["left"])
            case "ended":
                self._ending = ending_from(told["ending"])

    def _record(self, *, agent: Identity | None) -> None:
        assert self._shim_identity is not None
        request = self._request
        write_record(request.workspace_folder, request.errand.attempt, shim=self._shim_identity, agent=agent)

    def _hear(self, line: Line) -> None:
        """Turn one line of the agent's into events, and answer it."""
        heard = self._agent.listen(line.text, line.dropped)
        for event in heard.events:
            self._note(event)
        self._reply(heard.reply)
        if heard.hang_up:
            self._shim.tell("hang_up")

    def _note(self, event: AgentEvent) -> None:
        self._meter.note(event)
        self._observer.event(event)
        reason = cap_reached(self._request.caps, self._meter.spent())
        if reason:
            self._stop(reason)

    def _reply(self, words: bytes) -> None:
        if words:
            self._shim.tell("write", data=base64.b64encode(words).decode("ascii"))

    def _stop(self, reason: str) -> None:
        if not self._stopping:
            self._stopping = True
            self._shim.tell("stop", reason=reason)

    def _interrupted(self, count: int) -> None:
        """The first Ctrl-C asks, each further one loses patience."""
        if count > self._interrupts:
            self._stop("stopped")
            if count > 1:
                self._shim.tell("hurry")
            self._interrupts = count

    def _pulse(self) -> None:
        self._keep(self._meter.spent())
        if self._observer.pulse():
            self._stop("stopped")

    def _keep(self, spent: Spent) -> None:
        """Keep what was spent where a later supervisor finds it, should we die."""
        if spent != self._written:
            write_spent(self._request.workspace_folder, self._request.errand.attempt, spent)
            self._written = spent
