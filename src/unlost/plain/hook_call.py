"""What an agent tells its hooks: one JSON object on stdin, in the format that Claude Code and Codex share."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Final, Literal, NamedTuple, get_args

from unlost.plain.discards import Discard, find_discards
from unlost.plain.shell_text import NotUnderstood, simple_commands

Moment = Literal["SessionStart", "PreToolUse", "PreCompact", "Stop"]
MOMENTS: Final[tuple[Moment, ...]] = get_args(Moment)


class Call(NamedTuple):
    """One call of a hook: when, in which folder (absolute), and the shell command that is about to run.

    `begins`: a session starts that carries no earlier one on.
    """

    moment: Moment
    folder: str
    command: str = ""
    begins: bool = False


def read_call(data: bytes) -> Call | None:
    """The call that the agent tells of; None for one that is none of ours."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or value.get("hook_event_name") not in MOMENTS:
        return None
    given = value.get("tool_input")
    command = given.get("command") or given.get("cmd") if isinstance(given, dict) else None
    if isinstance(command, list):
        command = " ".join(str(word) for word in command)
    folder = value.get("cwd")
    return Call(
        moment=value["hook_event_name"],
        folder=folder if isinstance(folder, str) and os.path.isabs(folder) else os.getcwd(),
        command=command if isinstance(command, str) else "",
        begins=value.get("source") in {"startup", "clear"},
    )


def discards_of(call: Call) -> tuple[Discard, ...]:
    """The discarding commands that are about to run."""
    folders = folders_of(call)
    return find_discards(
        call.command, is_path=lambda word: any(os.path.lexists(os.path.join(folder, word)) for folder in folders)
    )


def folders_of(call: Call) -> tuple[str, ...]:
    """The folders in which a part of the command may run: where it starts, and where each `cd` in it leads."""
    folders = [os.path.realpath(call.folder)]
    for target in _changes_of_folder(call.command):
        folders.append(os.path.normpath(os.path.join(folders[-1], os.path.expanduser(target))))
    return tuple(dict.fromkeys(folders))


def _changes_of_folder(command: str) -> Iterator[str]:
    try:
        for words in simple_commands(command):
            if words[0] in {"cd", "pushd"} and len(words) > 1:
                yield words[-1]
    except NotUnderstood:
        return
