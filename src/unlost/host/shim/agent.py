"""Start the agent: a session of its own, the mark in its environment, no descriptor of ours but its three."""

from __future__ import annotations

import contextlib
import os
import signal
from typing import Final, NamedTuple, NoReturn

from unlost.host.shim.facts import MARK, TALK, Spec
from unlost.host.shim.frames import STDERR, STDOUT
from unlost.host.shim.machine import die_with_parent

# Python ignores these two, and an ignored signal stays ignored in the agent.
_RESTORED: Final = (signal.SIGPIPE, signal.SIGXFSZ)
_EXEC_FAILED: Final = 127


class NotStarted(Exception):
    """The agent's program could not be run; the text says why."""


class Agent(NamedTuple):
    """A started agent: its pid, its outputs by descriptor, and its stdin when that is a pipe."""

    pid: int
    outputs: dict[int, bytes]
    stdin: int | None


def start_agent(spec: Spec) -> Agent:
    """Start the agent of a spec; raises NotStarted, then nothing runs and no descriptor is left open.

    `subprocess` is not used: importing it doubles the start of a shim, and its `preexec_fn` is this same fork.
    """
    with contextlib.ExitStack() as on_failure:
        try:
            theirs, ours = _open_ends(spec, on_failure)
            told, tell = _pipe(on_failure)
            pid = os.fork()
        except OSError as error:
            raise NotStarted(f"{type(error).__name__}: {error}") from error
        if pid == 0:
            _become(spec, theirs, tell)
        for end in {*theirs, tell}:
            os.close(end)
        on_failure.pop_all()
    failure = _heard(told)
    if failure:
        os.waitpid(pid, 0)
        for end in ours:
            os.close(end)
        raise NotStarted(failure)
    for end in ours:
        os.set_blocking(end, False)
    return Agent(pid, {ours[0]: STDOUT, ours[1]: STDERR}, ours[2] if len(ours) > 2 else None)


def _open_ends(spec: Spec, on_failure: contextlib.ExitStack) -> tuple[list[int], list[int]]:
    """The agent's stdin, stdout, stderr, and our ends: stdout, stderr and, for talk, stdin."""
    out_read, out_write = _pipe(on_failure)
    error_read, error_write = _pipe(on_failure)
    if spec.stdin == TALK:
        in_read, in_write = _pipe(on_failure)
        return [in_read, out_write, error_write], [out_read, error_read, in_write]
    prompt = os.open(spec.stdin, os.O_RDONLY | os.O_CLOEXEC)
    on_failure.callback(os.close, prompt)
    return [prompt, out_write, error_write], [out_read, error_read]


def _pipe(on_failure: contextlib.ExitStack) -> tuple[int, int]:
    ends = os.pipe()
    for end in ends:
        on_failure.callback(os.close, end)
    return ends


def _become(spec: Spec, ends: list[int], tell: int) -> NoReturn:
    """In the child: turn into the agent, or tell why not."""
    try:
        os.setsid()
        die_with_parent()
        for target, end in enumerate(ends):
            os.dup2(end, target)
        for number in _RESTORED:
            signal.signal(number, signal.SIG_DFL)
        os.chdir(spec.cwd)
        os.execvpe(spec.argv[0], spec.argv, {**spec.env, MARK: spec.attempt})  # noqa: S606  (argv, never a shell)
    except BaseException as error:  # noqa: BLE001  (nothing may return from here into a second shim)
        os.write(tell, f"{type(error).__name__}: {error}".encode()[:4096])
    os._exit(_EXEC_FAILED)


def _heard(told: int) -> str:
    """What the child told before it became the agent; empty when exec closed the pipe."""
    with open(told, "rb") as file:
        return file.read().decode("utf-8", "replace")
