"""Evidence that is opened by the first question."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Final

from unlost.facts.trees import Entry
from unlost.guard.sight import Evidence, GoneCommit, GoneStash, Suspect, Trace

EVIDENCE: Final[Mapping[str, str]] = {
    "repository": "unlost.plain.evidence",
    "nested": "unlost.plain.nested_history",
    "nothing": "unlost.plain.no_evidence",
}
"""Where evidence comes from; each is opened by its first question, and most boundaries ask none."""


class LateEvidence:
    """Passes every question on to the evidence that `open_evidence` gives: no question, no look.

    `nested` are commits of nested repositories that went with them, which the outer repository knows nothing of.
    """

    def __init__(self, open_evidence: Callable[[], Evidence], nested: tuple[GoneCommit, ...] = ()) -> None:
        self._open = open_evidence
        self._nested = nested

    @cached_property
    def _evidence(self) -> Evidence:
        return self._open()

    def beside(self, paths: Iterable[bytes]) -> Mapping[bytes, Entry]:
        """Those of the paths that lie on disk although no capture took them."""
        return self._evidence.beside(paths)

    def trace(self, suspects: Sequence[Suspect]) -> Mapping[bytes, Trace]:
        """What the repository knows about each suspect."""
        return self._evidence.trace(suspects)

    def gone_commits(self) -> tuple[GoneCommit, ...]:
        """Commits that nothing live reaches any more."""
        return (*self._evidence.gone_commits(), *self._nested)

    def gone_stashes(self) -> tuple[GoneStash, ...]:
        """Stash entries that went."""
        return self._evidence.gone_stashes()

    def content(self, oid: str, limit: int) -> bytes | None:
        """A blob of the user's repository."""
        return self._evidence.content(oid, limit)


class _NoEvidence:
    """Knows nothing; for looks that need contents alone."""

    def beside(self, paths: Iterable[bytes]) -> Mapping[bytes, Entry]:  # noqa: ARG002
        return {}

    def trace(self, suspects: Sequence[Suspect]) -> Mapping[bytes, Trace]:  # noqa: ARG002
        return {}

    def gone_commits(self) -> tuple[GoneCommit, ...]:
        return ()

    def gone_stashes(self) -> tuple[GoneStash, ...]:
        return ()

    def content(self, oid: str, limit: int) -> bytes | None:  # noqa: ARG002
        return None


NO_EVIDENCE: Final[Evidence] = _NoEvidence()
"""Evidence that knows nothing: for looks that need captured contents alone."""
