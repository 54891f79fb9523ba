"""A story of boundaries over trees in memory, and what the guard says at its end."""

from __future__ import annotations

from dataclasses import dataclass, field

from kit.trees import Content, Files, MemoryEvidence, MemoryTrees

from unlost.facts.words import BoundaryKind, IncompleteReason
from unlost.guard.claims import with_boundary, with_word
from unlost.guard.facts import Author, Boundary, Claims, Finding, Present, Rules
from unlost.guard.verdict import Verdict, prove


@dataclass
class Story:
    """Boundaries of one workspace, told in order. Every file a story mentions stays until it says otherwise."""

    trees: MemoryTrees = field(default_factory=MemoryTrees)
    evidence: MemoryEvidence = field(default_factory=MemoryEvidence)
    claims: Claims = field(default_factory=Claims)
    rules: Rules = field(default_factory=Rules)
    head: dict[str, Content] = field(default_factory=dict)
    files: dict[str, Content] = field(default_factory=dict)
    ignored: dict[str, Content] = field(default_factory=dict)
    unread: dict[bytes, IncompleteReason] = field(default_factory=dict)
    history_moved: bool = False
    scratch: tuple[bytes, ...] = ()

    def commit(self) -> Story:
        """HEAD holds from now on what is there."""
        self.head = dict(self.files)
        return self

    def write(self, files: Files) -> Story:
        """Write files; None removes one."""
        for path, content in files.items():
            if content is None:
                self.files.pop(path, None)
            else:
                self.files[path] = content
        return self

    def boundary(
        self,
        kind: BoundaryKind = "mark",
        *,
        task: str | None = None,
        unit: str | None = None,
        attempt: str | None = None,
        opened_by: int | None = None,
        skipped: tuple[tuple[bytes, IncompleteReason], ...] = (),
    ) -> Story:
        """Take a boundary with the verdict that the guard gives now."""
        verdict = self.verdict()
        present = self.present()
        boundary = Boundary(
            number=len(self.claims.boundaries),
            kind=kind,
            snapshot=f"snapshot-{len(self.claims.boundaries)}",
            tree=present.tree,
            base=present.base,
            private=present.private,
            at=0.0,
            unit=unit,
            task=task,
            attempt=attempt,
            opened_by=opened_by,
            skipped=skipped,
        )
        self.claims = with_boundary(
            self.claims,
            boundary,
            verdict.findings,
            reader=self.trees,
            is_scratch=self.scratch.__contains__,
            lost_commits=verdict.committed.lost_commits,
            lost_stashes=verdict.committed.lost_stashes,
        )
        self.evidence.asked.clear()
        return self

    def accept(self, *paths: str) -> Story:
        """A person accepts what stands at these paths."""
        tree = self.present().tree
        self.claims = with_word(self.claims, {path.encode(): self.trees.entry(tree, path.encode()) for path in paths})
        return self

    def task(self, name: str, *, paths: tuple[str, ...] = (), reverts: tuple[str, ...] = ()) -> Story:
        """From now on changes come about in an attempt of this task."""
        self.rules = Rules(mode="unit", author=Author(task=name, paths=paths, reverts=reverts))
        return self

    def done(self, name: str) -> Story:
        """The task's attempt ended and was judged done; the boundary before opened it."""
        last = len(self.claims.boundaries) - 1
        return self.boundary("after_task", task=name, unit="u-1", attempt=f"{name}-1", opened_by=last)

    def present(self) -> Present:
        """The tree as it is now."""
        return Present(
            tree=self.trees.put(self.files),
            base=self.trees.put(self.head),
            private=self.trees.put(self.ignored),
            unread=self.unread,
        )

    def verdict(self) -> Verdict:
        """What the guard says of the present."""
        return prove(
            self.claims,
            self.present(),
            reader=self.trees,
            evidence=self.evidence,
            rules=self.rules,
            history_moved=self.history_moved,
            is_scratch=self.scratch.__contains__,
        )

    def finding(self, path: str) -> Finding | None:
        """What the guard says of one path now."""
        return next((each for each in self.verdict().findings if each.path == path.encode()), None)

    def state(self, path: str) -> tuple[str, str] | None:
        """(state, severity) of one path; None when it simply stands or has no claim."""
        finding = self.finding(path)
        return None if finding is None else (finding.state, finding.severity)
