"""One claim that does not hold what it should, with everything the rows of the verdict table ask about it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple

from unlost.facts.records import dataclass
from unlost.facts.trees import Entry
from unlost.facts.words import ClaimState, Severity
from unlost.guard.facts import Claim, Finding, Move, Rules, Tip
from unlost.guard.sight import Sight, Trace
from unlost.hunks.fate import added_lines, fates, made_hunks
from unlost.hunks.text import Text


class Tally(NamedTuple):
    """How many of an owner's hunks that still stood at the last boundary are undone, and kept, now."""

    hunks: int
    undone: int
    kept: int


@dataclass(frozen=True, kw_only=True)
class Case:
    """What is known about one suspect; texts and tallies are computed when a row asks.

    `head` is what HEAD, as it is now, holds at the path. `references` gives what stood there before the claim; where
    the present content `is_new`, none of that equals it. `led_to` is the file of the tree that a claimed link leads to.
    """

    claim: Claim
    now: Entry | None
    head: Entry | None
    references: Callable[[], tuple[Entry | None, ...]]
    is_new: bool
    trace: Trace
    move: Move | None
    rules: Rules
    sight: Sight
    led_to: Entry | None = None

    def finding(
        self,
        state: ClaimState,
        severity: Severity,
        *,
        move: Move | None = None,
        by: str | None = None,
        tip: Tip | None = None,
    ) -> Finding:
        """A finding about this claim."""
        return Finding(claim=self.claim, state=state, severity=severity, now=self.now, move=move, by=by, tip=tip)

    @property
    def is_clean(self) -> bool:
        """Whether the path holds what HEAD, as it is now, holds."""
        return self.now == self.head

    @cached_property
    def claimed_text(self) -> Text | None:
        """The claimed content, None when it is no text."""
        return self.sight.text(self.claim.entry)

    @cached_property
    def text(self) -> Text | None:
        """The present content, None when it is no text."""
        return self.sight.text(self.now)

    @cached_property
    def present_data(self) -> bytes | None:
        """The present content where it is short enough to be looked at, zeros too; None for none and for links."""
        return None if self.now is None else self.sight.data(self.now)

    @cached_property
    def older(self) -> tuple[Entry | None, ...]:
        """The references before the claim."""
        return self.references()

    @cached_property
    def is_back(self) -> bool:
        """Whether the file is at a content older than the claim."""
        if self.now is None or (self.claim.entry is not None and self.now.oid == self.claim.entry.oid):
            return False
        if self.trace.earlier:
            return True
        if not self.is_new and any(entry is not None and entry.oid == self.now.oid for entry in self.older):
            return True
        # A stash or the index may hold more than the claim as well as less.
        return self.trace.put_aside and not self.is_extended and not self.is_reformatted

    @cached_property
    def is_reformatted(self) -> bool:
        """Whether claimed and present text are the same after normalisation."""
        if self.now is None or self.claimed_text is None or self.text is None:
            return False
        return self.claimed_text.joined == self.text.joined

    @cached_property
    def tallies(self) -> dict[str, Tally]:
        """For each owner of hunks in this path, what became of them; empty when there is no text to look into."""
        if self.now is None or self.claimed_text is None or self.text is None:
            return {}
        tallies: dict[str, Tally] = {}
        for contribution in self.claim.contributions:
            old, mine = self.sight.text(contribution.before), self.sight.text(contribution.after)
            if old is None or mine is None:
                continue
            made = made_hunks(old, mine)
            if contribution.after != self.claim.entry:
                then = fates(made, old, mine, self.claimed_text)
                made = tuple(hunk for hunk, fate in zip(made, then, strict=True) if fate == "kept")
            now = fates(made, old, mine, self.text)
            # A file that is new has no older text to return to: its lines can only be rewritten.
            undone = 0 if contribution.before is None else now.count("undone")
            before = tallies.get(contribution.owner, Tally(0, 0, 0))
            tallies[contribution.owner] = Tally(
                before.hunks + len(now), before.undone + undone, before.kept + now.count("kept")
            )
        return tallies

    @cached_property
    def undone(self) -> int:
        """How many hunks are back to the text they replaced."""
        return sum(tally.undone for tally in self.tallies.values())

    @cached_property
    def is_extended(self) -> bool:
        """Whether every hunk of every owner still stands in the present text."""
        if self.now is None or self.claim.entry is None or self.claimed_text is None or self.text is None:
            return False
        return bool(self.tallies) and all(tally.kept == tally.hunks for tally in self.tallies.values())

    @cached_property
    def was_committed(self) -> bool:
        """Whether a commit made since the claim, reachable from HEAD, holds the claim: as it is, or with more lines."""
        if not self.trace.kept_since:
            return False
        entry = self.claim.entry
        blobs = [blob for _, blob in self.trace.kept_since]
        if (None if entry is None else entry.oid) in blobs:
            return True
        old, mine = self.sight.text(self.claim.base), self.claimed_text
        if entry is None or old is None or mine is None:
            return False
        lines = added_lines(old, mine)
        texts = [self.sight.blob(blob) for blob in blobs if blob is not None]
        return bool(lines) and any(text is not None and all(line in text.counts for line in lines) for text in texts)

    @property
    def content_stands(self) -> bool:
        """Whether what was claimed is in the file, perhaps reformatted or with more besides."""
        if self.now is None or self.claim.entry is None:
            return False
        if self.led_to is not None and self.led_to.oid == self.now.oid:
            return True
        return self.now.oid == self.claim.entry.oid or self.is_reformatted or self.is_extended
