"""Our hook in an agent's settings file: put in, found, taken out; pure rules over the file's bytes."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from unlost.agents.vendors import hook_table
from unlost.facts.errors import FileInvalid, Problem

FRONT: Final = "hook_front.sh"
"""What every command of ours names, whatever version of us wrote it."""

_INDENT: Final = re.compile(rb'^\{\r?\n([ \t]+)"')


def has_hook(data: bytes | None) -> bool:
    """Whether a settings file calls our hook; one that does not parse calls nothing."""
    try:
        return data is not None and _without(_parsed(data)) != _parsed(data)
    except FileInvalid:
        return False


def with_hook(data: bytes | None, command: str) -> bytes:
    """The settings file with our hook as its last at every moment of ours, instead of an earlier one of ours.

    Everything else stays, in its order and with its indentation. Raises FileInvalid when it is no JSON object.
    """
    settings = _without(_parsed(data or b"{}"))
    hooks = settings.get("hooks", {})
    ours = hook_table(command)
    merged = {**hooks, **{moment: [*hooks.get(moment, []), *entries] for moment, entries in ours.items()}}
    return _written({**settings, "hooks": merged}, data)


def without_hook(data: bytes) -> bytes:
    """The settings file without our hook, for one that was edited since. Raises FileInvalid."""
    return _written(_without(_parsed(data)), data)


def _parsed(data: bytes) -> dict[str, Any]:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise _invalid(str(error)) from error
    if not isinstance(value, dict) or not isinstance(value.get("hooks", {}), dict):
        raise _invalid("not an object with a table of hooks")
    return value


def _invalid(what: str) -> FileInvalid:
    return FileInvalid(
        "the agent's settings file cannot be read, so it was not changed", problems=(Problem(line=None, what=what),)
    )


def _without(settings: dict[str, Any]) -> dict[str, Any]:
    if "hooks" not in settings:
        return settings
    kept = {moment: [each for each in entries if not _is_ours(each)] for moment, entries in _lists(settings).items()}
    emptied = {moment for moment, entries in _lists(settings).items() if entries and not kept[moment]}
    hooks = {moment: kept.get(moment, value) for moment, value in settings["hooks"].items() if moment not in emptied}
    rest = {key: value for key, value in settings.items() if key != "hooks"}
    return {**settings, "hooks": hooks} if hooks or not emptied else rest


def _lists(settings: dict[str, Any]) -> dict[str, list[Any]]:
    return {moment: entries for moment, entries in settings["hooks"].items() if isinstance(entries, list)}


def _is_ours(entry: Any) -> bool:
    return FRONT in json.dumps(entry)


def _written(settings: dict[str, Any], like: bytes | None) -> bytes:
    found = _INDENT.match(like or b"")
    indent = found[1].decode() if found else "  "
    return (json.dumps(settings, indent=indent, ensure_ascii=False) + "\n").encode()
