"""What a brief rests on: its closure of sources, which a person can revoke and every coding admission rechecks.

A source is named by a digest of what it is, so that revoking it once reaches every brief that rests on it (R.34, R.35).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable
from typing import Final, Literal

from unlost.facts.paths import check_path
from unlost.facts.quoting import canonical_json
from unlost.facts.records import dataclass
from unlost.ledger.events import Event
from unlost.ledger.payload import Declared, Vocabulary
from unlost.research.facts import Brief

SOURCES_STREAM: Final = "sources"
"""The ledger's stream of revocations; they hold for every unit."""

_LINES: Final = re.compile(r"(?::\d+(?:[-:]\d+)?|#L\d+(?:-L?\d+)?)$")

SourceState = Literal["known", "revoked", "unknown"]


@dataclass(frozen=True, kw_only=True)
class Origin:
    """One source of a closure, bound to the commit of its brief when it is a file there.

    `id` is what `unlost sources list` shows and `revoke` takes.
    """

    id: str
    kind: str
    ref: str
    commit: str | None


@dataclass(frozen=True, kw_only=True)
class SourceRevoked:
    """A person withdrew a source: no coding starts any more on a brief that rests on it."""

    source: str
    by: str


VOCABULARY: Final = Vocabulary({"source.revoked": Declared(payload=SourceRevoked)})


def closure_of(brief: Brief) -> tuple[Origin, ...]:
    """Every source of a brief, each once, in the brief's order."""
    origins = (
        _origin(source.kind, source.ref, brief.commit if source.kind == "file" else None) for source in brief.sources
    )
    return tuple({origin.id: origin for origin in origins}.values())


def cited_path(ref: str) -> bytes | None:
    """The path that a `file` source cites, `src/cli.py:10-20` and `./src/` included; None for one that is no path."""
    path = _LINES.sub("", ref.strip()).removeprefix("./").rstrip("/").encode("utf-8", "surrogateescape")
    try:
        check_path(path)
    except ValueError:
        return None
    return path


def revoked_sources(events: Iterable[Event]) -> frozenset[str]:
    """The ids that the events of the sources' stream revoke."""
    return frozenset(VOCABULARY.payload(event).source for event in events)


def state_of(
    origin: Origin,
    *,
    revoked: frozenset[str],
    has_file: Callable[[str, str], bool],
    has_run: Callable[[str], bool],
) -> SourceState:
    """Whether a source may be relied on now.

    `has_file(commit, ref)` and `has_run(ref)` look. A file must still be there at its commit and a run in the ledger;
    what else a brief names (a URL) is known by being recorded. Unknown is never allowed (R.35).
    """
    if origin.id in revoked:
        return "revoked"
    if origin.kind == "file" and not (origin.commit and has_file(origin.commit, origin.ref)):
        return "unknown"
    if origin.kind == "run" and not has_run(origin.ref):
        return "unknown"
    return "known"


def _origin(kind: str, ref: str, commit: str | None) -> Origin:
    digest = hashlib.sha256(canonical_json([kind, ref, commit])).hexdigest()
    return Origin(id=f"s-{digest[:12]}", kind=kind, ref=ref, commit=commit)
