"""Read what an agent left in its outbox: untrusted files, bounded, never through a link.

The outbox lies outside the work tree, where no reset or clean of the agent's reaches it (H.3).
"""

from __future__ import annotations

import json
from typing import Any, Final, get_args

from unlost.attempt.facts import Report, Returned
from unlost.facts.paths import check_path
from unlost.facts.quoting import path_from_json
from unlost.facts.words import ReportOutcome
from unlost.host.reading import Reader

REPORT: Final = b"report.json"
HANDOFF: Final = b"handoff.json"
BRIEF: Final = b"brief.json"
FINDINGS: Final = b"findings.json"
LIMIT: Final = 256 << 10
_OUTCOMES: Final[tuple[ReportOutcome, ...]] = get_args(ReportOutcome)
_KEYS: Final = {"outcome", "reason", "paths"}
_MAXIMUM_REASON: Final = 16 << 10
_MAXIMUM_PATHS: Final = 10_000


def read_outbox(folder: str) -> Returned:
    """What the agent handed back; a file that cannot be accepted is named in `problems`, never half taken.

    Handoff, brief and findings come as bytes: the rooms that own their formats judge them.
    """
    problems: list[str] = []
    try:
        with Reader(folder) as reader:
            names = (HANDOFF, BRIEF, FINDINGS, REPORT)
            handoff, brief, findings, report = (_read(reader, name, problems) for name in names)
    except OSError as error:
        return Returned(problems=(f"the outbox cannot be read: {error.strerror}",))
    parsed = None
    if report is not None:
        try:
            parsed = parse_report(report)
        except ValueError as error:
            problems.append(f"report.json: {error}")
    return Returned(report=parsed, handoff=handoff, brief=brief, findings=findings, problems=tuple(problems))


def parse_report(data: bytes) -> Report:
    """The report that `data` holds; raises ValueError with what is wrong."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise ValueError("not JSON") from error
    if not isinstance(value, dict) or not value.keys() <= _KEYS:
        raise ValueError(f"an object with nothing but {', '.join(sorted(_KEYS))} is expected")
    outcome, reason = value.get("outcome"), value.get("reason", "")
    if outcome not in _OUTCOMES:
        raise ValueError(f"outcome is none of {', '.join(_OUTCOMES)}")
    if not isinstance(reason, str) or len(reason) > _MAXIMUM_REASON:
        raise ValueError("reason is not a text of at most 16384 characters")
    return Report(outcome=outcome, reason=reason, paths=_paths(value.get("paths", [])))


def _paths(value: Any) -> tuple[bytes, ...]:
    if not isinstance(value, list) or len(value) > _MAXIMUM_PATHS:
        raise ValueError("paths is not a list of at most 10000 paths")
    paths = tuple(path_from_json(name) for name in value)
    for path in paths:
        check_path(path)
    return paths


def _read(reader: Reader, name: bytes, problems: list[str]) -> bytes | None:
    """One file; None when the agent left none, or none that is accepted."""
    if reader.status_or_none(name) is None:
        return None
    data = reader.read(name, LIMIT)
    if data is None:
        problems.append(f"{name.decode()}: not a file of at most {LIMIT} bytes")
    return data
