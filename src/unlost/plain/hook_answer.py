"""What a hook answers to its agent: words and an exit code that Claude Code and Codex both understand."""

from __future__ import annotations

import json
from typing import Final

from unlost.facts.quoting import path_literal
from unlost.facts.records import dataclass
from unlost.plain.discards import Discard
from unlost.plain.hook_judge import Danger, named

REFUSED: Final = 2
"""The exit code with which a hook stops a call; its stderr is told to the model."""

_SAFE_WAY: Final = (
    "To undo an edit of your own, edit those lines back. If that is beyond repair, stop and report; "
    "a person can run the command."
)


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What a hook leaves with."""

    exit_code: int = 0
    out: str = ""
    err: str = ""


PASS: Final = Answer()


def saved(discards: tuple[Discard, ...], danger: Danger, *, snapshot: str) -> Answer:
    """The command runs; person and model are told how to get back what it throws away."""
    if not danger.work:
        return _told(f"unlost: kept before `{discards[0].command}`: snapshot {snapshot[:12]}")
    files = "1 file" if len(danger.work) == 1 else f"{len(danger.work)} files"
    first = path_literal(danger.work[0].path)
    return _told(
        f"unlost: {files} kept before `{discards[0].command}`; "
        f"to get one back: unlost restore {first} --from {snapshot[:12]}"
    )


def asked(discards: tuple[Discard, ...], danger: Danger) -> Answer:
    """The person decides, where the agent can ask one."""
    decision = {"permissionDecision": "ask", "permissionDecisionReason": _reason(discards, danger)}
    return Answer(out=json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", **decision}}))


def refused(discards: tuple[Discard, ...], danger: Danger) -> Answer:
    """The command does not run; the model is told why, and the safe way."""
    return Answer(exit_code=REFUSED, err=f"unlost refused this: {_reason(discards, danger)}. {_SAFE_WAY}")


def broken(why: str) -> Answer:
    """A command that discards does not run when nothing could be saved before."""
    return Answer(exit_code=REFUSED, err=f"unlost could not save the work first, so this was not run: {why}")


def standing(*, boundary: int, claims: int, lost: int) -> Answer:
    """What a session begins with, told to the model: plain words on stdout are its context."""
    if not claims and not lost:
        return PASS
    told = f"unlost: boundary {boundary}; {claims} uncommitted {'path' if claims == 1 else 'paths'} of earlier work"
    return Answer(out=f"{told} must stay.{_losses(lost)}\n")


def after_session(*, lost: int) -> Answer:
    """A loss in a session is told in one line and blocks nothing."""
    return Answer(out=json.dumps({"systemMessage": f"unlost:{_losses(lost)}"})) if lost else PASS


def _losses(lost: int) -> str:
    return f" {lost} lost: unlost restore --lost brings back what was there." if lost else ""


def _reason(discards: tuple[Discard, ...], danger: Danger) -> str:
    command = f"`{discards[0].command}`"
    if danger.counts:
        return f"{command} would throw away uncommitted work that others count on: {named(danger.counts)}"
    return f"{command} would throw away commits or stash entries that nothing else holds"


def _told(message: str) -> Answer:
    context = {"hookEventName": "PreToolUse", "additionalContext": message}
    return Answer(out=json.dumps({"systemMessage": message, "hookSpecificOutput": context}))
