"""The working shim: wait for go, start the agent, relay, hold the caps, climb the ladder, until nothing is left."""

from __future__ import annotations

import base64
import os
import select
import signal
import time
from typing import Any, Final

from unlost.host.shim.agent import Agent, NotStarted, start_agent
from unlost.host.shim.commands import Commands, SupervisorLost
from unlost.host.shim.facts import Ending, Holder, Identity, Spec, as_json
from unlost.host.shim.identity import identity_of, own_identity
from unlost.host.shim.ladder import Ladder
from unlost.host.shim.machine import end_of, look_at, signal_exactly
from unlost.host.shim.records import write_holder
from unlost.host.shim.relay import Outgoing, Relay
from unlost.host.shim.tree import Tree

_CHUNK: Final = 64 << 10
_TICK: Final = 50
_LAST_WORDS: Final = 10.0


class Worker:
    """One attempt, from `ready` to its ending. Single-threaded; nothing in it blocks but the poll."""

    def __init__(self, spec: Spec, commands: Commands, relay: Relay, wake: int) -> None:
        self._spec = spec
        self._commands = commands
        self._relay = relay
        self._wake = wake
        self._supervisor_end: int | None = None
        self._hears_supervisor = True
        self._tree = Tree(spec.attempt, adopts=spec.adopts)
        self._ladder = Ladder(self._tree, spec.patience, self._ask)
        self._agent: Agent | None = None
        self._identity: Identity | None = None
        self._outputs: dict[int, bytes] = {}
        self._to_agent: Outgoing | None = None
        self._agent_code: int | None = None
        self._agent_left: float | None = None
        self._reason: str | None = None
        self._error: str | None = None
        self._said_stuck = False
        self._begun = self._heard = time.monotonic()

    def serve(self) -> Ending:
        """Run to the end. An error of our own (a full disk, a bug) still leaves nothing running below."""
        try:
            self._record()
            self._watch_supervisor()
            self._relay.tell("ready", shim=as_json(own_identity()))
            if self._commands.wait_unread:
                self._obey()
            while not self._step():
                pass
            self._drain()
        except Exception as error:  # noqa: BLE001  (whatever it was, the tree must be cleared before we leave)
            self._ladder.struck |= self._tree.clear()
            self._reason, self._error = "shim_lost", f"{type(error).__name__}: {error}"
        return Ending(
            attempt=self._spec.attempt,
            by="shim",
            reason=self._reason or "exited",
            agent_code=self._agent_code,
            struck=len(self._ladder.struck),
            seconds=round(time.monotonic() - self._begun, 3),
            error=self._error,
        )

    def stop(self, reason: str) -> None:
        """Begin the ladder; the first reason stays."""
        self._reason = self._reason or reason

    def terminate(self) -> None:
        """A later supervisor finds that we take too long: no more patience."""
        self.stop("supervisor_lost")
        self._ladder.hurry()

    def _step(self) -> bool:
        """One turn of the loop; True when the agent has ended and nothing is left below."""
        self._wait()
        self._tree.look()
        reaped = self._tree.reap()
        if self._agent and self._agent.pid in reaped.codes:
            self._agent_code, self._agent_left = reaped.codes[self._agent.pid], time.monotonic()
        self._hold_caps()
        self._climb()
        is_over = self._agent_left is not None or (self._agent is None and self._reason is not None)
        return reaped.is_empty and is_over

    # hearing

    def _watch_supervisor(self) -> None:
        """Watch the process itself too: another child of it may hold our pipe open.

        It runs on this boot for sure, so its start decides, also where the system hides the name of the boot.
        """
        known = self._spec.supervisor
        if known is None:
            return
        self._supervisor_end = end_of(known.pid)
        process = look_at(known.pid)
        if process is None or process.start != known.start:
            self._lose_supervisor()

    def _wait(self) -> None:
        """Handle what is ready: at most one chunk of each output."""
        for ready, _ in self._polled().poll(_TICK):
            if ready == self._wake:
                os.read(ready, 512)
            elif ready == 0:
                self._obey()
            elif ready == 1:
                self._relay.flush()
            elif ready == self._supervisor_end:
                self._lose_supervisor()
            elif ready in self._outputs:
                self._pass_on(ready)
            elif self._to_agent and ready == self._to_agent.descriptor:
                self._to_agent.flush()

    def _polled(self) -> select.poll:
        """A full relay stops the reading of the agent, never of the supervisor."""
        poll = select.poll()
        poll.register(self._wake, select.POLLIN)
        if self._hears_supervisor:
            poll.register(0, select.POLLIN)
            if self._supervisor_end is not None:
                poll.register(self._supervisor_end, select.POLLIN)
        if self._relay.waits:
            poll.register(1, select.POLLOUT)
        if not self._relay.is_full:
            for end in self._outputs:
                poll.register(end, select.POLLIN)
        if self._to_agent and self._to_agent.waits:
            poll.register(self._to_agent.descriptor, select.POLLOUT)
        return poll

    def _obey(self) -> None:
        try:
            commands = self._commands.read()
        except SupervisorLost:
            self._lose_supervisor()
            return
        for command in commands:
            self._do(command)

    def _do(self, command: dict[str, Any]) -> None:
        if command["do"] == "go" and self._agent is None and self._reason is None:
            self._start()
        elif command["do"] == "write" and self._to_agent:
            self._to_agent.write(base64.b64decode(command["data"]))
        elif command["do"] == "hang_up" and self._to_agent:
            self._to_agent.end()
        elif command["do"] == "stop":
            self.stop(command["reason"])
        elif command["do"] == "hurry":
            self._ladder.hurry()

    def _lose_supervisor(self) -> None:
        """The supervisor is dead: what the agent says now reaches nobody."""
        self._hears_supervisor = False
        self._relay.close()
        self.stop("supervisor_lost")

    def _pass_on(self, end: int) -> None:
        try:
            data = os.read(end, _CHUNK)
        except BlockingIOError:
            return
        if data:
            self._heard = time.monotonic()
            self._relay.send(self._outputs[end], data)
        else:
            del self._outputs[end]
            os.close(end)

    # the agent

    def _start(self) -> None:
        try:
            self._agent = start_agent(self._spec)
        except NotStarted as failure:
            self._reason, self._error = "not_started", str(failure)
            return
        self._outputs = self._agent.outputs
        if self._agent.stdin is not None:
            self._to_agent = Outgoing(self._agent.stdin)
        self._begun = self._heard = time.monotonic()
        self._identity = identity_of(self._agent.pid)
        self._record()
        self._relay.tell("started", agent=as_json(self._identity))

    def _record(self) -> None:
        """Say beside the lock who holds it."""
        spec = self._spec
        holder = Holder(spec.attempt, spec.unit, spec.task, own_identity(), self._identity, spec.supervisor)
        write_holder(spec.folder, holder)

    def _ask(self) -> bool:
        """Ask the agent to end by itself: by its signal, or by words on its stdin."""
        if self._spec.cancel_signal and self._identity:
            known = {self._identity.pid: self._identity.start}
            asked = self._tree.children_of(self._identity.pid) if self._spec.is_wrapped else known
            told = [signal_exactly(pid, start, self._spec.cancel_signal) for pid, start in asked.items()]
            return any(told)
        if self._spec.cancel_words and self._to_agent:
            self._to_agent.write(self._spec.cancel_words.encode())
            return True
        return False

    # ending

    def _hold_caps(self) -> None:
        """Stop at the wall-clock or idle cap; a supervisor that does not read makes no agent idle."""
        now = time.monotonic()
        if self._relay.is_full:
            self._heard = now
        if self._agent is None or self._reason or self._agent_left:
            return
        if self._spec.wall_clock and now - self._begun > self._spec.wall_clock:
            self.stop("wall_clock")
        elif self._spec.idle and now - self._heard > self._spec.idle:
            self.stop("idle")

    def _climb(self) -> None:
        """After a stop, or when what the agent left behind has had its time."""
        lingered = self._agent_left is not None and time.monotonic() - self._agent_left > self._spec.patience.linger
        if self._agent is None or not (self._reason or lingered):
            return
        self._ladder.climb(self._reason or "exited", agent_lives=self._agent_left is None)
        if self._ladder.is_stuck and not self._said_stuck:
            self._said_stuck = True
            self._relay.tell("stuck", left=sorted(self._tree.members()))

    def _drain(self) -> None:
        """Pass on what is left in the pipes; a supervisor that does not read has ten seconds, then loses it."""
        until = time.monotonic() + _LAST_WORDS
        while (self._outputs or self._relay.waits) and self._relay.is_open and time.monotonic() < until:
            self._wait()


def hear_signals(worker: Worker, wake: int) -> None:
    """Children that end and signals wake the poll. Handlers, not SIG_IGN: an agent would inherit that for ever."""
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGCHLD):
        signal.signal(number, lambda *_: None)
    signal.signal(signal.SIGTERM, lambda *_: worker.terminate())
