"""Reading a handoff file: strict, bounded, and every fault named at once (contracts.md, Handoff file).

What is read was written by a model: nothing in it is trusted. Unknown and doubled keys, wrong types, paths that
leave the workspace and transcripts are refused before anything else looks at the file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Final, NoReturn, TypeVar

from unlost.facts.paths import check_path
from unlost.facts.quoting import path_from_json
from unlost.handoff.facts import SCHEMA, DesignDecision, ExactFix, FailingTest, Handoff
from unlost.handoff.transcript import SECTIONS, missing_parts, refuse, transcript_faults

LIMIT: Final = 256 << 10
"""The largest handoff file, in bytes."""

_KEYS: Final = {"schema", "task", "iteration_cap", "source", "base_commit", "git_status", "notes", *SECTIONS}
_LARGEST_CAP: Final = 10**9
_COMMIT: Final = re.compile(r"[0-9a-f]{7,64}")

Read = TypeVar("Read")


class _Faults(list[str]):
    """What is wrong with a file so far, each fault with its place."""


def load_handoff(data: bytes | str) -> Handoff:
    """The handoff that a file's content holds. Raises HandoffInvalid (a ValueError) naming every fault at once."""
    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    if len(raw) > LIMIT:
        refuse([f"{len(raw)} bytes are more than the {LIMIT} allowed"])
    faults = _Faults()
    return handoff_from_json(_parse(raw, faults), faults)


def handoff_from_json(value: object, earlier: list[str] | None = None) -> Handoff:
    """The handoff that a parsed JSON value holds; `earlier` faults are reported together with its own.

    Raises HandoffInvalid (a ValueError) naming every fault at once.
    """
    faults = _Faults(earlier or ())
    faults += transcript_faults(value)
    if not isinstance(value, Mapping):
        refuse(faults)
    faults += missing_parts(value)
    faults += [f"unknown key {_shown(name)}" for name in value if name not in _KEYS]
    if value.get("schema", SCHEMA) != SCHEMA:
        faults.append(f'schema must be "{SCHEMA}"')
    handoff = Handoff(
        task=_text(value, "task", "", faults) or "",
        iteration_cap=_cap(value.get("iteration_cap", 0), faults),
        design_decisions=_each(value, "design_decisions", _decision, faults),
        failing_tests=_each(value, "failing_tests", _test, faults),
        exact_fixes=_each(value, "exact_fixes", _fix, faults),
        new_files=_each(value, "new_files", _path, faults),
        remaining_steps=_each(value, "remaining_steps", _step, faults),
        base_commit=_commit(value.get("base_commit"), faults),
        git_status=_text(value, "git_status", "", faults),
        notes=_text(value, "notes", "", faults),
    )
    if faults:
        refuse(faults)
    return handoff


def _parse(raw: bytes, faults: _Faults) -> object:
    def no_doubles(pairs: list[tuple[str, object]]) -> dict[str, object]:
        found: dict[str, object] = {}
        for name, part in pairs:
            if name in found:
                faults.append(f"the key {_shown(name)} stands twice")
            found[name] = part
        return found

    def no_constant(name: str) -> NoReturn:
        raise ValueError(f"{name} is no JSON")

    try:
        return json.loads(raw.decode("utf-8"), object_pairs_hook=no_doubles, parse_constant=no_constant)
    except (ValueError, RecursionError) as error:
        faults.append(f"it does not parse as JSON: {str(error)[:200]}")
        return None


def _decision(value: object, place: str, faults: _Faults) -> DesignDecision:
    item = _object(value, place, ("decision", "reason"), faults)
    return DesignDecision(
        decision=_required(item, "decision", place, faults), reason=_text(item, "reason", place, faults) or ""
    )


def _test(value: object, place: str, faults: _Faults) -> FailingTest:
    item = _object(value, place, ("test", "expected", "observed"), faults)
    return FailingTest(
        test=_required(item, "test", place, faults),
        expected=_text(item, "expected", place, faults) or "",
        observed=_text(item, "observed", place, faults) or "",
    )


def _fix(value: object, place: str, faults: _Faults) -> ExactFix:
    item = _object(value, place, ("file", "anchor", "before", "after"), faults)
    # An absent part was told by `missing_parts`; here an empty text stands in for it.
    texts = {name: _text(item, name, place, faults) or "" for name in ("anchor", "before", "after")}
    file = _path(item["file"], f"{place}.file", faults) if item.get("file") is not None else b""
    return ExactFix(file=file, **texts)


def _step(value: object, place: str, faults: _Faults) -> str:
    return _required({"": value}, "", place, faults)


def _path(value: object, place: str, faults: _Faults) -> bytes:
    try:
        path = path_from_json(value)
        check_path(path)
    except ValueError as error:
        # The text of a failed encoding quotes the name itself, which is no text to print.
        what = "it is not text" if isinstance(error, UnicodeError) else str(error)
        faults.append(f"{place}: {what}")
        return b""
    return path


def _cap(value: object, faults: _Faults) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _LARGEST_CAP:
        return value
    faults.append("iteration_cap must be a whole number, zero or more")
    return 0


def _commit(value: object, faults: _Faults) -> str | None:
    if value is None or (isinstance(value, str) and _COMMIT.fullmatch(value)):
        return value
    faults.append("base_commit must be 7 to 64 lower-case hex digits")
    return None


def _each(
    value: Mapping[str, object], name: str, read: Callable[[object, str, _Faults], Read], faults: _Faults
) -> tuple[Read, ...]:
    items = value.get(name, [])
    if not isinstance(items, list):
        faults.append(f"{name} must be a list")
        return ()
    return tuple(read(item, f"{name}[{index}]", faults) for index, item in enumerate(items))


def _object(value: object, place: str, keys: tuple[str, ...], faults: _Faults) -> Mapping[str, object]:
    if not isinstance(value, Mapping):
        faults.append(f"{place} must be an object")
        return {}
    faults += [f"unknown key {_shown(name)} in {place}" for name in value if name not in keys]
    return value


def _required(item: Mapping[str, object], name: str, place: str, faults: _Faults) -> str:
    text = _text(item, name, place, faults)
    if item.get(name) is None or (text is not None and not text.strip()):
        faults.append(f"{_joined(place, name)} is missing")
    return text or ""


def _text(item: Mapping[str, object], name: str, place: str, faults: _Faults) -> str | None:
    value = item.get(name)
    if value is None:
        return None
    where = _joined(place, name)
    if not isinstance(value, str):
        faults.append(f"{where} must be text")
        return None
    try:
        value.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        faults.append(f"{where} holds half a character (a lone surrogate)")
    return value


def _joined(place: str, name: str) -> str:
    return ".".join(part for part in (place, name) if part)


def _shown(name: object) -> str:
    """A key as it may be printed: ASCII, bounded."""
    return json.dumps(str(name)[:60])
