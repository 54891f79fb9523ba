"""Before an attempt: its folders, its environment, and the spec its shim is given."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Final

from unlost.agents.protocol import Errand, Launch
from unlost.attempt.facts import AttemptRequest, Caps
from unlost.attempt.sandbox import walled
from unlost.facts.errors import UnlostBug
from unlost.facts.records import dataclass
from unlost.host.reading import write_atomically
from unlost.host.shim.facts import TALK, Patience, Spec
from unlost.host.shim.identity import own_identity
from unlost.host.shim.records import attempt_folder

PROTOCOL: Final = "1"
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")


@dataclass(frozen=True, kw_only=True)
class Folders:
    """Where an attempt keeps its things, outside the work tree.

    `outbox` and `private` are the agent's; `attempt` holds them and the records of processes, which are ours.
    """

    attempt: str
    outbox: str
    private: str


def folders(workspace_folder: str, attempt: str) -> Folders:
    """The folders of an attempt; nothing is made. Raises UnlostBug for an id that is no plain name."""
    if not _NAME.fullmatch(attempt):
        raise UnlostBug(f"not an attempt id: {attempt!r}")
    folder = attempt_folder(workspace_folder, attempt)
    return Folders(attempt=folder, outbox=os.path.join(folder, "outbox"), private=os.path.join(folder, "agent"))


def attempt_environment(errand: Errand, passed: Mapping[str, str], launch: Launch) -> dict[str, str]:
    """The whole environment of an agent: what is passed on, what its adapter adds, then ours, which nobody overrules.

    UNLOST_ATTEMPT, the mark of every process below, is set by the shim.
    """
    ours = {
        "UNLOST_PROTOCOL": PROTOCOL,
        "UNLOST_UNIT": errand.unit,
        "UNLOST_STEP": errand.step,
        "UNLOST_TASK": errand.task,
        "UNLOST_ATTEMPT_NUMBER": str(errand.number),
        "UNLOST_OUTBOX": errand.outbox,
    }
    if errand.mcp_url:
        ours["UNLOST_MCP_URL"] = errand.mcp_url
    return {**passed, **launch.env, **ours}


def make_folders(request: AttemptRequest) -> Folders:
    """Make an attempt's folders, private to this user, and store its prompt there. Raises OSError."""
    made = folders(request.workspace_folder, request.errand.attempt)
    for folder in (made.attempt, made.outbox, made.private):
        os.makedirs(folder, mode=0o700, exist_ok=True)
    write_atomically(_prompt_file(made), request.errand.prompt)
    return made


def make_spec(request: AttemptRequest, launch: Launch, cancel_words: bytes) -> Spec:
    """What the shim must know to run this attempt to its end, also without us."""
    errand, caps = request.errand, request.caps
    made = folders(request.workspace_folder, errand.attempt)
    return Spec(
        attempt=errand.attempt,
        unit=errand.unit,
        task=errand.task,
        folder=request.workspace_folder,
        argv=launch.argv if request.walls is None else walled(request.walls, launch.argv),
        cwd=errand.root,
        env=attempt_environment(errand, request.environment, launch),
        stdin=TALK if launch.stdin == "talk" else _prompt_file(made),
        supervisor=own_identity(),
        patience=_patience(caps),
        idle=caps.idle,
        wall_clock=caps.wall_clock,
        is_wrapped=request.walls is not None,
        cancel_signal=launch.cancel_signal or 0,
        cancel_words=cancel_words.decode("utf-8"),
    )


def _patience(caps: Caps) -> Patience:
    return Patience(grace=caps.grace, cancel=caps.cancel, terminate=caps.terminate, linger=caps.linger)


def _prompt_file(made: Folders) -> str:
    return os.path.join(made.attempt, "prompt")
