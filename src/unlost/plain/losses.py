"""A loss as it is told: where the content was last seen, where else it is, what came since, and what brings it back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from unlost.facts.quoting import clean, cut, path_json
from unlost.facts.records import dataclass
from unlost.facts.trees import LINK, Entry
from unlost.guard.facts import Claims, Finding, LostObject
from unlost.guard.sight import TEXT_LIMIT, TreeReader
from unlost.hunks.fate import lines_only_in
from unlost.hunks.text import is_binary
from unlost.plain.looking import Looking
from unlost.plain.moment import Moment
from unlost.plain.report import Document, command, lost_object_json, place_json, restore_command
from unlost.traces.elsewhere import elsewhere
from unlost.traces.facts import Elsewhere
from unlost.traces.history import missing
from unlost.traces.inspection import Inspection

MOST_NEWER: Final = 20
_MOST_EVIDENCE: Final = 5
_LINE_LIMIT: Final = 400
_NOWHERE: Final = Elsewhere()


@dataclass(frozen=True, kw_only=True)
class LossTeller:
    """Tells the losses of one verdict; `reader` reads captured contents, `before` is the boundary they fell since."""

    claims: Claims
    reader: TreeReader
    looking: Looking
    before: Moment

    def losses(self, findings: Iterable[Finding]) -> list[Document]:
        """Every loss, with its places looked up together."""
        findings = list(findings)
        wanted = {
            finding.path: finding.claim.entry
            for finding in findings
            if finding.claim.entry is not None and finding.claim.captured
        }
        inspection = self.looking.inspection if findings else None
        places = elsewhere(inspection, wanted) if inspection is not None and wanted else {}
        evidence = [] if inspection is None else self._evidence(inspection)
        return [self._loss(finding, places, evidence) for finding in findings]

    def lost_commits(self, lost: Iterable[LostObject]) -> list[Document]:
        """Lost commits with the command that makes a new branch of each; null when its objects are gone too."""
        return self._objects(lost, lambda each: command("git", "branch", f"rescued-{each.commit[:8]}", each.commit))

    def lost_stashes(self, lost: Iterable[LostObject]) -> list[Document]:
        """Lost stash entries with the command that puts each back on the stash."""
        return self._objects(
            lost,
            lambda each: command("git", "stash", "store", "-m", each.subject or "rescued", each.commit),
            stash=True,
        )

    def _objects(
        self, lost: Iterable[LostObject], restore: Callable[[LostObject], str | None], *, stash: bool = False
    ) -> list[Document]:
        lost = list(lost)
        inspection = self.looking.inspection if lost else None
        gone = {each.commit for each in lost}
        if inspection is not None:
            gone = set(missing(inspection, gone))
        return [lost_object_json(each, None if each.commit in gone else restore(each), stash=stash) for each in lost]

    def _loss(self, finding: Finding, places: Mapping[bytes, Elsewhere], evidence: list[str]) -> Document:
        claim = finding.claim
        seen = next(each for each in self.claims.boundaries if each.number == claim.seen)
        newer = self._newer(finding)
        found = places.get(finding.path, _NOWHERE)
        own = ("snapshot",) if claim.captured else ()
        merge = bool(newer) and finding.state == "hunks_reverted"
        return {
            "path": path_json(finding.path),
            "state": finding.state,
            "untracked": claim.base is None,
            "ignored": claim.ignored,
            "owner": claim.owner,
            "during": None if claim.opened is None else claim.opened.during,
            "last_seen": place_json(seen.number, seen.snapshot),
            "found_in": [*own, *found.places],
            "refs": dict(found.refs),
            "newer": newer,
            "evidence": evidence,
            "restore": restore_command(finding.path, merge=merge) if claim.captured else None,
        }

    def _newer(self, finding: Finding) -> list[str]:
        """Lines that the present has and neither the lost content nor what it replaced had."""
        claim = finding.claim
        texts = [self._text(entry) for entry in (finding.now, claim.entry, claim.base)]
        if finding.now is None or any(text is None for text in texts):
            return []
        now, claimed, base = (text or b"" for text in texts)
        lines = lines_only_in(now, claimed + b"\n" + base, MOST_NEWER)
        return [cut(clean(line.decode("utf-8", "replace"), one_line=True), _LINE_LIMIT) for line in lines]

    def _text(self, entry: Entry | None) -> bytes | None:
        if entry is None:
            return b""
        data = None if entry.mode == LINK else self.reader.content(entry.oid, TEXT_LIMIT)
        return None if data is None or is_binary(data) else data

    def _evidence(self, inspection: Inspection) -> list[str]:
        """What HEAD's reflog says of the time since the boundary, the newest first."""
        told: list[str] = []
        for entry in inspection.reflog("HEAD"):
            if entry.after == self.before.surroundings.head or len(told) == _MOST_EVIDENCE:
                break
            told.append(cut(clean(f"reflog of HEAD: {entry.message}", one_line=True), _LINE_LIMIT))
        return told
