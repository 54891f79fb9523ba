"""Evidence where there is no repository any more."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from unlost.facts.trees import Entry
from unlost.guard.sight import GoneCommit, GoneStash, Suspect, Trace
from unlost.plain.moment import Moment
from unlost.plain.on_disk import NameOf, entries_on_disk


class NoRepository:
    """Evidence where the repository is gone: nothing is known any more, and what HEAD held went with it."""

    def __init__(self, root: str, moment: Moment, name_of: NameOf) -> None:
        self._root = root
        self._moment = moment
        self._name_of = name_of

    def beside(self, paths: Iterable[bytes]) -> Mapping[bytes, Entry]:
        """Those of the paths that lie on disk although no capture took them."""
        return entries_on_disk(self._root, paths, self._name_of)

    def trace(self, suspects: Sequence[Suspect]) -> Mapping[bytes, Trace]:  # noqa: ARG002  (nothing is known of any)
        """Nothing."""
        return {}

    def gone_commits(self) -> tuple[GoneCommit, ...]:
        """HEAD's commit, and those that were lost before: a boundary taken since must not bury them."""
        surroundings = self._moment.surroundings
        lost = tuple(
            GoneCommit(commit=each.commit, subject=each.subject, was_on=each.was_on, on_head=False, paths=None)
            for each in self._moment.lost_commits
            if each.commit != surroundings.head
        )
        if surroundings.head is None:
            return lost
        branch = surroundings.branch or "HEAD"
        return (GoneCommit(commit=surroundings.head, subject="", was_on=branch, on_head=True, paths=None), *lost)

    def gone_stashes(self) -> tuple[GoneStash, ...]:
        """All that there were, and those that were lost before; nobody can say any more what they held."""
        subjects = dict.fromkeys(self._moment.surroundings.stashes, "")
        subjects |= {each.commit: each.subject for each in self._moment.lost_stashes}
        return tuple(GoneStash(commit=commit, subject=subject, paths=None) for commit, subject in subjects.items())

    def content(self, oid: str, limit: int) -> bytes | None:  # noqa: ARG002  (there is nothing to read)
        """Nothing."""
        return None
