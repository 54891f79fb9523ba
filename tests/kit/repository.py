"""Real git repositories for tests, made and changed by the git program itself."""

from __future__ import annotations

import os
import stat
import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Repository:
    """One real repository in a temporary folder."""

    root: Path

    @classmethod
    def create(cls, root: Path, *arguments: str) -> Repository:
        """`git init` with branch `main`; more arguments are passed on (`--object-format=sha256`)."""
        subprocess.run(["git", "init", "-q", "-b", "main", *arguments, str(root)], check=True, capture_output=True)
        return cls(root=root)

    def git(self, *arguments: str, check: bool = True) -> str:
        """Run git here and return its standard output without the last newline."""
        done = subprocess.run(
            ["git", *arguments], cwd=self.root, check=False, capture_output=True, text=True, errors="surrogateescape"
        )
        if check and done.returncode:
            raise AssertionError(f"git {' '.join(arguments)}: {done.returncode}\n{done.stderr}")
        return done.stdout.rstrip("\n")

    def write(self, path: str, content: str | bytes, *, executable: bool = False) -> None:
        """Write a file, with its folders."""
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content.encode() if isinstance(content, str) else content)
        if executable:
            place.chmod(0o755)

    def read(self, path: str) -> bytes:
        """Content of a file."""
        return (self.root / path).read_bytes()

    def exists(self, path: str) -> bool:
        """Whether anything is at this path, a dangling link too."""
        return os.path.lexists(self.root / path)

    def remove(self, path: str) -> None:
        """Remove a file."""
        (self.root / path).unlink()

    def commit(self, message: str) -> str:
        """Add everything and commit; returns the commit's id."""
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)
        return self.git("rev-parse", "HEAD")

    def everything(self) -> dict[str, tuple[int, int, bytes]]:
        """Type, time and content of every path below the root, `.git` and its objects included."""
        found: dict[str, tuple[int, int, bytes]] = {}
        for path in sorted(self.root.rglob("*")):
            status = path.lstat()
            content = path.read_bytes() if stat.S_ISREG(status.st_mode) else b""
            target = os.fsencode(os.readlink(path)) if path.is_symlink() else b""
            found[str(path.relative_to(self.root))] = (status.st_mode, status.st_mtime_ns, content or target)
        return found

    def outside_objects(self) -> dict[str, tuple[bytes, int]]:
        """Bytes and modification time of every file of `.git` that is no object: what unlost must never touch."""
        folder = self.root / ".git"
        return {
            str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mtime_ns)
            for path in sorted(folder.rglob("*"))
            if path.is_file() and path.relative_to(folder).parts[0] != "objects"
        }
