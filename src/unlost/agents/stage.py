"""What each step of a script does in the work tree, and what it tells on stdout."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import sys
from collections.abc import Callable, Mapping
from typing import Any, Final

from unlost.agents.script import Step
from unlost.facts.records import dataclass
from unlost.host.clock import Clock
from unlost.host.process import NotStarted, Request, run

_ASK_EVERY: Final = 0.02
_PATIENCE: Final = 30.0
_SHELL: Final = "/bin/sh"
_TOLD: Final = frozenset({"write", "edit", "delete", "shell", "git", "wait_for"})


class StepFailed(Exception):
    """A step could not be done; a script that goes on after that would prove nothing."""


class Left(Exception):
    """The script says that the agent leaves now."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


@dataclass(frozen=True, kw_only=True)
class Stage:
    """Where a script is played: the work tree, the outbox, the environment of what it runs."""

    root: str
    outbox: str
    environment: Mapping[str, str]
    clock: Clock

    def play(self, step: Step) -> None:
        """Do one step. Raises StepFailed, and Left when the script leaves here."""
        if step.kind in _TOLD:
            detail = step.fields.get("path") or step.fields.get("run") or step.fields.get("args")
            words = shlex.join(detail) if isinstance(detail, list) else str(detail)
            tell(type="tool", id=f"step-{step.number}", name=step.kind, detail=words)
        try:
            _DO[step.kind](self, step.fields)
        except (OSError, NotStarted) as error:
            raise StepFailed(f"step {step.number} ({step.kind}): {error}") from error
        except StepFailed as error:
            raise StepFailed(f"step {step.number} ({step.kind}): {error}") from error

    def path(self, name: str) -> str:
        """A path of the script: below the work tree unless it is absolute."""
        return os.path.join(self.root, name)

    def hand_back(self, name: str, value: object) -> None:
        """Put a file into the outbox, whole; text goes as it stands, so that a script can hand back rubbish."""
        path = os.path.join(self.outbox, name)
        with open(path + ".new", "w", encoding="utf-8") as file:
            file.write(value if isinstance(value, str) else json.dumps(value))
        os.replace(path + ".new", path)

    def execute(self, argv: tuple[str, ...], *, may_fail: bool) -> None:
        """Run a program in the work tree, as an agent's shell tool does."""
        outcome = run(Request(argv=argv, env=self.environment, cwd=self.root, merge=True))
        sys.stderr.buffer.write(outcome.stdout)
        sys.stderr.flush()
        if outcome.exit_code and not may_fail:
            raise StepFailed(f"{argv} ended with {outcome.exit_code}")


def tell(**event: Any) -> None:
    """One event on stdout, as `agents/command.py` reads it."""
    sys.stdout.write(json.dumps(event) + "\n")
    sys.stdout.flush()


def _write(stage: Stage, fields: Mapping[str, Any]) -> None:
    path = stage.path(fields["path"])
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(fields["text"])
    if fields.get("executable"):
        os.chmod(path, 0o755)  # noqa: S103  (what an executable file of a work tree has)


def _edit(stage: Stage, fields: Mapping[str, Any]) -> None:
    path = stage.path(fields["path"])
    with open(path, encoding="utf-8", newline="") as file:
        text = file.read()
    if text.count(fields["before"]) != 1:
        raise StepFailed(f"{fields['path']} does not hold the text to replace exactly once")
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(text.replace(fields["before"], fields["after"]))


def _delete(stage: Stage, fields: Mapping[str, Any]) -> None:
    path = stage.path(fields["path"])
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    else:
        os.unlink(path)


def _shell(stage: Stage, fields: Mapping[str, Any]) -> None:
    line = fields["run"]
    argv = (_SHELL, "-c", line) if isinstance(line, str) else tuple(map(str, line))
    stage.execute(argv, may_fail=fields.get("may_fail", False))


def _git(stage: Stage, fields: Mapping[str, Any]) -> None:
    stage.execute(("git", *map(str, fields["args"])), may_fail=fields.get("may_fail", False))


def _wait_for(stage: Stage, fields: Mapping[str, Any]) -> None:
    until = stage.clock.monotonic() + fields.get("seconds", _PATIENCE)
    while not os.path.lexists(stage.path(fields["path"])):
        if stage.clock.monotonic() > until:
            raise StepFailed(f"{fields['path']} did not come")
        stage.clock.wait(_ASK_EVERY)


def _say(stage: Stage, fields: Mapping[str, Any]) -> None:  # noqa: ARG001  (the face of every step)
    tell(type="said", text=fields["text"])


def _tool(stage: Stage, fields: Mapping[str, Any]) -> None:  # noqa: ARG001  (the face of every step)
    for _ in range(fields.get("times", 1)):
        tell(type="tool", name=fields.get("name", "tool"))


def _usage(stage: Stage, fields: Mapping[str, Any]) -> None:  # noqa: ARG001  (the face of every step)
    tell(type="usage", **fields)


def _ask(stage: Stage, fields: Mapping[str, Any]) -> None:
    """Without MCP a question is a report of `blocked`: a person has to decide."""
    stage.hand_back("report.json", {"outcome": "blocked", "reason": fields["question"], "paths": []})


def _report(stage: Stage, fields: Mapping[str, Any]) -> None:
    stage.hand_back("report.json", {"reason": "", "paths": [], **fields})


def _crash(stage: Stage, fields: Mapping[str, Any]) -> None:  # noqa: ARG001  (the face of every step)
    os.kill(os.getpid(), fields.get("signal", signal.SIGKILL))


def _exit(stage: Stage, fields: Mapping[str, Any]) -> None:  # noqa: ARG001  (the face of every step)
    raise Left(fields.get("code", 0))


_DO: Final[Mapping[str, Callable[[Stage, Mapping[str, Any]], None]]] = {
    "write": _write,
    "edit": _edit,
    "delete": _delete,
    "shell": _shell,
    "git": _git,
    "wait_for": _wait_for,
    "say": _say,
    "tool": _tool,
    "usage": _usage,
    "ask": _ask,
    "handoff": lambda stage, fields: stage.hand_back("handoff.json", fields["value"]),
    "research": lambda stage, fields: stage.hand_back("brief.json", fields["value"]),
    "findings": lambda stage, fields: stage.hand_back("findings.json", fields["value"]),
    "report": _report,
    "crash": _crash,
    "exit": _exit,
}
