"""Commits of captured work in a real repository, as an engine orders them; a program that a test can kill."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kit.captures import Captures
from kit.repository import Repository

from unlost.host.clock import SystemClock
from unlost.publish.commits import LocalCommits
from unlost.publish.orders import CommitOrder, Composed, Delivered, Segment
from unlost.snapshot.archive import Archive
from unlost.snapshot.facts import Snapshot

AT = 1_790_000_000
MAIN = "refs/heads/main"


@dataclass
class Bench:
    """A repository, its archive, and work between two captures."""

    repository: Repository
    captures: Captures
    opened: list[Archive] = field(default_factory=list)
    hook_timeout: float = 30.0

    @classmethod
    def of(cls, repository: Repository) -> Bench:
        """A bench over a repository; nothing is captured yet."""
        return cls(repository=repository, captures=Captures.of(repository))

    @property
    def folder(self) -> Path:
        """The workspace's folder in the state home."""
        return self.captures.home / "workspaces" / self.captures.workspace

    def commits(self) -> LocalCommits:
        """Freshly opened, as another process has it."""
        archive = self.captures.archive()
        self.opened.append(archive)
        return LocalCommits(
            archive=archive,
            workspace_folder=str(self.folder),
            clock=SystemClock(),
            is_scratch=lambda path: path.endswith(b".log"),
            include_ignored=("precious.dat",),
            hook_timeout=self.hook_timeout,
        )

    def work(self, change: Callable[[Repository], object]) -> tuple[Snapshot, Snapshot]:
        """Capture, change, capture."""
        before = self.captures.capture("boundary", "before")
        change(self.repository)
        return before, self.captures.capture("boundary", "after")

    def order(self, *pairs: tuple[Snapshot, Snapshot], name: str = "swap 1", **facts: Any) -> CommitOrder:
        """A commit of these stretches of work."""
        known: dict[str, Any] = {
            "unit": "u-1",
            "name": name,
            "tasks": ("swap",),
            "segments": tuple(Segment(before=a.tree, after=b.tree, own=True) for a, b in pairs),
            "subject": "Swap the call sites.",
            "body": 'Task swap of "A plan".',
            "snapshot": pairs[-1][1].id,
            "branch": MAIN,
            "base": None,
            "at": AT,
        }
        return CommitOrder(**{**known, **facts})

    def commit(self, order: CommitOrder) -> tuple[Composed, Delivered]:
        """Compose and deliver."""
        commits = self.commits()
        composed = commits.compose(order)
        if composed.refusal is not None or composed.commit == composed.before:
            return composed, Delivered()
        return composed, commits.deliver(order, composed)

    def close(self) -> None:
        """Let go of processes."""
        for archive in self.opened:
            archive.close()


def status(repository: Repository) -> str:
    """What `git status` says, of untracked files too."""
    return repository.git("status", "--porcelain=v1", "-uall")


def changed(repository: Repository, commit: str = "HEAD") -> list[str]:
    """The paths that a commit changed."""
    return repository.git("show", "--pretty=", "--name-only", "--no-renames", commit).splitlines()


def main(root: str, before: str, after: str) -> None:
    """Commit what came between two snapshots, to be killed at a point."""
    bench = Bench.of(Repository(root=Path(root)))
    with bench.captures.archive() as archive:
        order = bench.order((archive.find(before), archive.find(after)))
    composed, delivered = bench.commit(order)
    sys.stdout.write(f"{composed.commit} {delivered.refusal or composed.refusal}\n")
    bench.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
