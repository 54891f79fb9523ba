"""A bare remote that everybody pushes to, and a colleague who moves its main."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from kit.repository import Repository


@dataclass(frozen=True)
class Remote:
    """A bare repository, reached from `repository` as `origin`."""

    root: Path
    repository: Repository

    @classmethod
    def beside(cls, repository: Repository, *, url: str | None = None) -> Remote:
        """Make one beside the repository and push its main there; `url` is another address of the same folder."""
        root = repository.root.parent / "origin.git"
        subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(root)], check=True, capture_output=True)
        repository.git("remote", "add", "origin", url or f"file://{root}")
        repository.git("push", "-q", str(root), "main")
        return cls(root=root, repository=repository)

    def git(self, *arguments: str) -> str:
        """Run git in the bare repository."""
        done = subprocess.run(
            ["git", "-C", str(self.root), *arguments], check=True, capture_output=True, text=True, env=dict(os.environ)
        )
        return done.stdout.strip()

    def branches(self) -> dict[str, str]:
        """Every branch with its commit."""
        told = self.git("for-each-ref", "--format=%(refname:short) %(objectname)", "refs/heads")
        return dict(line.split() for line in told.splitlines())

    def shown(self, branch: str, path: str) -> str:
        """A file of a branch."""
        return self.git("show", f"{branch}:{path}") + "\n"

    def move_main(self, files: dict[str, str]) -> str:
        """A colleague commits to main; the new head."""
        place = self.root.parent / "colleague"
        if not place.exists():
            subprocess.run(["git", "clone", "-q", str(self.root), str(place)], check=True, capture_output=True)
        clone = Repository(root=place)
        clone.git("switch", "-q", "main")
        clone.git("pull", "-q")
        for path, text in files.items():
            clone.write(path, text)
        head = clone.commit("a colleague")
        clone.git("push", "-q", "origin", "main")
        return head
