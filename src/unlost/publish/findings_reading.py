"""Reading findings: strict, bounded, every fault named at once, prose redacted and cleaned (contracts.md).

What is read was written by a model or a person for a program: nothing in it is trusted. Doubled and unknown keys,
wrong types, impossible line ranges and paths that leave the workspace are refused.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, get_args

from unlost.facts.errors import FileInvalid, Problem
from unlost.facts.paths import check_path
from unlost.facts.quoting import clean, path_from_json
from unlost.facts.unique_keys import unique_keys
from unlost.publish.findings import (
    MAXIMUM_BYTES,
    MAXIMUM_FINDINGS,
    MAXIMUM_LINE,
    MAXIMUM_WHAT,
    MAXIMUM_WHY,
    SCHEMA,
    Finding,
    Findings,
    FindingSeverity,
    canonical_findings,
)

Redact = Callable[[str], str]

RAW_LIMIT: Final = 256 << 10
_SEVERITIES: Final[tuple[FindingSeverity, ...]] = get_args(FindingSeverity)
_KEYS: Final = frozenset({"schema", "findings"})
_FINDING_KEYS: Final = frozenset({"file", "lines", "severity", "what", "why"})


def parse_findings(data: bytes, *, redact: Redact) -> Findings:
    """The findings that `data` (JSON, UTF-8) holds, prose redacted and cleaned. Raises FileInvalid."""
    if len(data) > RAW_LIMIT:
        raise _invalid([f"it is over {RAW_LIMIT // 1024} KiB"])
    try:
        value = json.loads(data.decode("utf-8"), object_pairs_hook=unique_keys)
    except (ValueError, RecursionError) as error:
        raise _invalid([f"it is not JSON: {str(error)[:200]}"]) from error
    faults: list[str] = []
    found = tuple(_findings(value, faults, lambda text: clean(redact(text)).strip()))
    findings = Findings(findings=found)
    if not faults and len(canonical_findings(findings)) > MAXIMUM_BYTES:
        faults.append(f"its canonical form is over {MAXIMUM_BYTES // 1024} KiB after redaction")
    if faults:
        raise _invalid(faults)
    return findings


def _findings(value: object, faults: list[str], treat: Callable[[str], str]) -> Iterable[Finding]:
    if not isinstance(value, Mapping):
        faults.append("an object with `findings` is expected")
        return
    faults.extend(f"unknown key {json.dumps(str(key)[:60])}" for key in value if key not in _KEYS)
    if value.get("schema", SCHEMA) != SCHEMA:
        faults.append(f'schema must be "{SCHEMA}"')
    items = value.get("findings")
    if not isinstance(items, list):
        faults.append("findings must be a list; an empty one says that nothing is wrong")
        return
    if len(items) > MAXIMUM_FINDINGS:
        faults.append(f"{len(items)} findings; at most {MAXIMUM_FINDINGS} are taken: name the worst")
        return
    for index, item in enumerate(items):
        yield _finding(item, f"findings[{index}]", faults, treat)


def _finding(value: object, place: str, faults: list[str], treat: Callable[[str], str]) -> Finding:
    item: Mapping[str, Any] = value if isinstance(value, Mapping) else {}
    if not isinstance(value, Mapping):
        faults.append(f"{place} must be an object")
    faults.extend(f"unknown key {json.dumps(str(key)[:60])} in {place}" for key in item if key not in _FINDING_KEYS)
    severity = item.get("severity")
    if severity not in _SEVERITIES:
        faults.append(f"{place}.severity is none of {', '.join(_SEVERITIES)}")
    return Finding(
        file=_file(item, place, faults),
        lines=_lines(item.get("lines"), place, faults),
        severity=severity if severity in _SEVERITIES else "note",
        what=_prose(item, "what", place, MAXIMUM_WHAT, faults, treat),
        why=_prose(item, "why", place, MAXIMUM_WHY, faults, treat),
    )


def _file(item: Mapping[str, Any], place: str, faults: list[str]) -> bytes:
    try:
        path = path_from_json(item.get("file"))
        check_path(path)
    except ValueError as error:
        # The text of a failed encoding quotes the name itself, which is no text to print.
        faults.append(f"{place}.file: {'it is not text' if isinstance(error, UnicodeError) else error}")
        return b""
    return path


def _lines(value: object, place: str, faults: list[str]) -> tuple[int, int] | None:
    """A list of first and last line, or one number for both."""
    if value is None:
        return None
    numbers = [value, value] if isinstance(value, int) else value
    whole = isinstance(numbers, list) and len(numbers) == 2 and all(type(each) is int for each in numbers)
    if not whole or not isinstance(numbers, list) or not 1 <= numbers[0] <= numbers[1] <= MAXIMUM_LINE:
        faults.append(f"{place}.lines must be [first, last], counted from 1, or left out")
        return None
    return numbers[0], numbers[1]


def _prose(
    item: Mapping[str, Any], name: str, place: str, limit: int, faults: list[str], treat: Callable[[str], str]
) -> str:
    value = item.get(name)
    if not isinstance(value, str):
        faults.append(f"{place}.{name} must be text")
        return ""
    text = treat(value)
    if not text:
        faults.append(f"{place}.{name} is empty once invisible characters are taken out")
    if len(text) > limit:
        faults.append(f"{place}.{name} has {len(text)} characters, {limit} are allowed")
    return text


def _invalid(faults: list[str]) -> FileInvalid:
    return FileInvalid(
        f"the findings were refused and nothing was saved: {'; '.join(faults)}",
        problems=tuple(Problem(line=None, what=fault) for fault in faults),
    )
