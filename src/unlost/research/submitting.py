"""The whole of a submission for who has only a brief: redact, validate, store, and say so (R.20 to R.22)."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from unlost.host.redaction import Redactor
from unlost.research.brief import parse_brief
from unlost.research.submission import Acknowledgment, Submission, SubmissionUnknown


def submit_brief(
    brief: bytes | Mapping[str, object], recorder: Submission | None, *, redact: Callable[[str], str] | None = None
) -> Acknowledgment:
    """Store a brief (JSON, or the object itself) and return only when that is durable.

    Raises FileInvalid naming every fault, SubmissionUnknown when there is no recorder or it did not acknowledge: then
    the brief counts as not saved, and no earlier one may be used either.
    """
    data = brief if isinstance(brief, bytes) else json.dumps(dict(brief)).encode("utf-8")
    parsed = parse_brief(data, redact=redact or Redactor())
    if recorder is None:
        raise SubmissionUnknown(
            "there is nothing to record the brief; it is not saved", hint="write it to $UNLOST_OUTBOX/brief.json"
        )
    return recorder.submit(parsed)
