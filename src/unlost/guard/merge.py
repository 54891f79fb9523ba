"""Restore by merge: what was lost comes back, and the lines written since stay."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from unlost.facts.trees import Entry
from unlost.guard.facts import Claim
from unlost.guard.sight import Sight
from unlost.hunks.diff import diff
from unlost.hunks.merge import merge
from unlost.hunks.text import Text


def merged(claim: Claim, now: Entry | None, older: Sequence[Entry | None], sight: Sight) -> bytes | None:
    """The claimed content with the present's later lines; None when a content is no text or they do not go together.

    `older` are the references before the claim: the one nearest to the present is what the file was put back to, and
    so the common ancestor of what was lost and what came since.
    """
    lost, present = sight.text(claim.entry), sight.text(now)
    if claim.entry is None or lost is None or present is None:
        return None
    if now is None:
        return lost.data
    befores = [each.before for each in claim.contributions]
    for ancestor in _nearest(present, [*older, *befores, claim.base], sight):
        result = merge(ancestor.data, lost.data, present.data)
        if result is not None:
            return result
    return None


def _nearest(present: Text, entries: Iterable[Entry | None], sight: Sight) -> list[Text]:
    """The texts of these entries, the one that differs from the present in the fewest lines first."""
    texts = {entry: text for entry in dict.fromkeys(entries) if (text := sight.text(entry)) is not None}
    return sorted(texts.values(), key=lambda text: _distance(text, present))


def _distance(one: Text, other: Text) -> int:
    return sum(hunk.old_end - hunk.old_start + hunk.new_end - hunk.new_start for hunk in diff(one.lines, other.lines))
