"""The ban on transcripts, as code: by source, by shape, on every load and before every prompt (H.4, H.5, H.8).

A transcript is what a worker said, not what it knows: a fresh worker that reads one repeats its detours. So a dump
of messages is refused even when somebody dresses it up as a handoff.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Final, NoReturn

from unlost.facts.errors import Problem
from unlost.handoff.facts import SOURCE, Handoff, HandoffInvalid, handoff_json

SECTIONS: Final = ("design_decisions", "failing_tests", "exact_fixes", "new_files", "remaining_steps")
HINT: Final = "write what the next worker needs as sections: decisions, failing tests, exact fixes, remaining steps"

_MESSAGE_KEYS: Final = {
    *("messages", "conversation", "transcript", "chat", "turns", "history", "events"),
    *("tool_calls", "tool_results", "function_calls"),
}
_SPEAKER: Final = re.compile(
    r"(?im)^[ \t>#*\[(]*(user|human|assistant|system|tool|ai|agent|model|claude|gpt)[ \t*\])]*(?::|>)[ \t*]*"
)
_MESSAGE: Final = re.compile(r"""["']role["']\s*:\s*["'](?:user|assistant|system|tool|human)["']""")
_TOOL_CALL: Final = re.compile(
    r"""["'](?:tool_calls|tool_use_id|tool_call_id|function_call)["']\s*:|["']type["']\s*:\s*["']tool_(?:use|result)["']"""
    r"|<(?:function_calls|invoke name=|tool_call|tool_result)"
)
_SPEAKING_LINES: Final = 3


def assert_not_transcript(handoff: Handoff | Mapping[str, object] | str | bytes) -> None:
    """Raise HandoffInvalid (a ValueError) naming every reason why this is a transcript or no handoff at all.

    Takes a handoff, the object of a handoff file, or its text. Checked: source, sections, shape, the task, and the
    four fields of each fix (H.4 to H.7).
    """
    value = handoff_json(handoff) if isinstance(handoff, Handoff) else _parsed(handoff)
    faults = transcript_faults(value)
    if isinstance(value, Mapping):
        faults += missing_parts(value)
    if faults:
        refuse(faults)


def refuse(faults: list[str]) -> NoReturn:
    """Raise HandoffInvalid for these faults."""
    problems = tuple(Problem(line=None, what=fault) for fault in dict.fromkeys(faults))
    raise HandoffInvalid("the handoff is refused; nothing was started", problems=problems, hint=HINT)


def transcript_faults(value: object) -> list[str]:
    """Why a parsed value is a transcript; empty when it is not. Never raises."""
    if isinstance(value, list):
        return ["a list is a transcript or a log, not a handoff: an object with sections is needed"]
    if not isinstance(value, Mapping):
        return ["a transcript-shaped dump without sections: a JSON object with sections is needed"]
    faults = []
    source = value.get("source", SOURCE)
    if source != SOURCE:
        faults.append('source "transcript" is banned' if source == "transcript" else f'source must be "{SOURCE}"')
    dumped = sorted(_MESSAGE_KEYS.intersection(value))
    if dumped:
        faults.append(f"a transcript-shaped dump: {', '.join(dumped)} is no section of a handoff")
    if not any(value.get(name) for name in SECTIONS):
        faults.append(f"a transcript-shaped dump: none of the sections {', '.join(SECTIONS)} holds anything")
    faults += [f"{name} reads like a transcript" for name, text in _prose(value) if _reads_like_one(text)]
    return faults


def missing_parts(value: Mapping[str, object]) -> list[str]:
    """Which required parts are absent: the task, and the four fields of each fix (an empty text is a value)."""
    task = value.get("task")
    faults = [] if isinstance(task, str) and task.strip() else ["task is missing"]
    for index, fix in enumerate(_list(value.get("exact_fixes"))):
        absent = [name for name in ("file", "anchor", "before", "after") if not _has(fix, name)]
        faults += [f"exact_fixes[{index}].{name} is missing" for name in absent]
    return faults


def _has(fix: object, name: str) -> bool:
    return isinstance(fix, Mapping) and fix.get(name) is not None


def _parsed(value: Mapping[str, object] | str | bytes) -> object:
    if isinstance(value, Mapping):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return None


def _prose(value: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Every prose text with its place, such as `remaining_steps[2]`."""
    yield "task", _text(value.get("task"))
    yield "notes", _text(value.get("notes"))
    for index, step in enumerate(_list(value.get("remaining_steps"))):
        yield f"remaining_steps[{index}]", _text(step)
    for index, each in enumerate(_list(value.get("design_decisions"))):
        if isinstance(each, Mapping):
            yield f"design_decisions[{index}].decision", _text(each.get("decision"))
            yield f"design_decisions[{index}].reason", _text(each.get("reason"))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _reads_like_one(text: str) -> bool:
    # Asked of prose alone: a test's output and the text of a fix may quote anything, a chat program's tests for one.
    speakers = [speaker.lower() for speaker in _SPEAKER.findall(text)]
    if len(speakers) >= _SPEAKING_LINES and len(set(speakers)) > 1:
        return True
    return len(_MESSAGE.findall(text)) > 1 or len(_TOOL_CALL.findall(text)) > 1
