"""Read a brief strictly, redact it, and give it its one canonical form (contracts.md, Brief file).

Ready needs evidence, sources, an approach and a verification, each refused on its own; blocked needs a
concrete reason (R.1 to R.6). Every fault is named at once.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from typing import Annotated, Final, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, ValidationError

from unlost.facts.errors import FileInvalid, Problem
from unlost.facts.quoting import clean
from unlost.facts.unique_keys import unique_keys
from unlost.research.facts import MAXIMUM_BRIEF, SCHEMA, Brief, Complexity, Evidence, Readiness, Source

Redact = Callable[[str], str]

_RAW_LIMIT: Final = 64 * 1024
_CONCRETE: Final = 8
"""A blocked reason shorter than this names nothing that a person could decide."""


def _as_list(value: object) -> object:
    return [value] if isinstance(value, str) else value


Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
# An agent writes one step as a text as often as a list of one.
Texts = Annotated[list[Text], BeforeValidator(_as_list), Field(max_length=64)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class _Source(_Strict):
    id: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]
    kind: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_-]{0,31}$")]
    ref: Text


class _Evidence(_Strict):
    claim: Text
    source: str


class _Brief(_Strict):
    schema_: Annotated[Literal["unlost.brief/1"], Field(alias="schema")] = SCHEMA
    goal: Text
    commit: Annotated[str, StringConstraints(pattern=r"^(?:[0-9a-f]{40}|[0-9a-f]{64})$")]
    complexity: Complexity
    readiness: Readiness
    evidence: Annotated[list[_Evidence], Field(max_length=64)] = []
    sources: Annotated[list[_Source], Field(max_length=64)] = []
    assumptions: Texts = []
    unknowns: Texts = []
    approach: Texts = []
    verification: Texts = []
    blocked_reason: Text | None = None


def parse_brief(data: bytes, *, redact: Redact) -> Brief:
    """The brief that `data` (JSON, UTF-8) holds, redacted and cleaned.

    Raises FileInvalid naming every fault: malformed or duplicate keys, unknown fields, a short commit id, what
    ready or blocked lacks, more than 8 KiB of canonical form after redaction.
    """
    if len(data) > _RAW_LIMIT:
        raise _invalid([f"it is over {_RAW_LIMIT // 1024} KiB"])
    brief = _redacted(_read(data), lambda text: clean(redact(text)))
    faults = list(_faults(brief))
    size = len(canonical_brief(brief))
    if size > MAXIMUM_BRIEF:
        faults.append(f"its canonical form has {size} bytes after redaction, {MAXIMUM_BRIEF} are allowed")
    if faults:
        raise _invalid(faults)
    return brief


def canonical_brief(brief: Brief) -> bytes:
    """The one byte form of a brief: JSON with sorted keys and no spaces, UTF-8."""
    value = {
        "schema": SCHEMA,
        "goal": brief.goal,
        "commit": brief.commit,
        "complexity": brief.complexity,
        "readiness": brief.readiness,
        "evidence": [{"claim": each.claim, "source": each.source} for each in brief.evidence],
        "sources": [{"id": each.id, "kind": each.kind, "ref": each.ref} for each in brief.sources],
        "assumptions": list(brief.assumptions),
        "unknowns": list(brief.unknowns),
        "approach": list(brief.approach),
        "verification": list(brief.verification),
    }
    if brief.blocked_reason is not None:
        value["blocked_reason"] = brief.blocked_reason
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode("utf-8")


def brief_digest(brief: Brief) -> str:
    """The sha256 of the canonical form as hex: the artifact's identity."""
    return hashlib.sha256(canonical_brief(brief)).hexdigest()


def _read(data: bytes) -> _Brief:
    try:
        value = json.loads(data.decode("utf-8"), object_pairs_hook=unique_keys)
        return _Brief.model_validate(value)
    except ValidationError as error:
        raise _invalid(_told(error)) from error
    except (ValueError, RecursionError) as error:
        raise _invalid([f"it is not JSON: {error}"]) from error


def _redacted(model: _Brief, treat: Redact) -> Brief:
    def texts(values: list[str]) -> tuple[str, ...]:
        return tuple(treat(value) for value in values)

    return Brief(
        goal=treat(model.goal),
        commit=model.commit,
        complexity=model.complexity,
        readiness=model.readiness,
        evidence=tuple(Evidence(claim=treat(each.claim), source=each.source) for each in model.evidence),
        sources=tuple(Source(id=each.id, kind=each.kind, ref=treat(each.ref)) for each in model.sources),
        assumptions=texts(model.assumptions),
        unknowns=texts(model.unknowns),
        approach=texts(model.approach),
        verification=texts(model.verification),
        blocked_reason=None if model.blocked_reason is None else treat(model.blocked_reason),
    )


def _faults(brief: Brief) -> Iterable[str]:
    known = {source.id for source in brief.sources}
    if any(not text.strip() for text in _prose(brief)):
        yield "a text is empty once invisible characters are taken out"
    if len(known) != len(brief.sources):
        yield "sources: an id stands twice"
    for number, each in enumerate(brief.evidence):
        if each.source not in known:
            yield f"evidence.{number}.source: no source has the id {each.source!r}"
    if brief.is_ready:
        for name in ("evidence", "sources", "approach", "verification"):
            if not getattr(brief, name):
                yield f"{name}: a ready brief needs at least one"
        if brief.blocked_reason is not None:
            yield "blocked_reason: a ready brief has none"
    elif brief.blocked_reason is None or len(brief.blocked_reason.strip()) < _CONCRETE:
        yield "blocked_reason: a blocked brief names the decision or prerequisite that is missing"


def _prose(brief: Brief) -> Iterable[str]:
    yield brief.goal
    yield from (each.claim for each in brief.evidence)
    yield from (each.ref for each in brief.sources)
    for texts in (brief.assumptions, brief.unknowns, brief.approach, brief.verification):
        yield from texts


def _told(error: ValidationError) -> list[str]:
    return [f"{'.'.join(str(part) for part in fault['loc'])}: {fault['msg']}" for fault in error.errors()]


def _invalid(faults: list[str]) -> FileInvalid:
    return FileInvalid(
        f"the brief was refused and nothing was saved: {'; '.join(faults)}",
        problems=tuple(Problem(line=None, what=fault) for fault in faults),
    )
