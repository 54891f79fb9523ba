"""What agents and people do to a work tree, at random but repeatable: a seed gives the same run."""

from __future__ import annotations

import os
import random
import stat
from collections.abc import Callable
from pathlib import Path

from kit.repository import Repository

IGNORE_RULES = (b"n*\n", b"*.r\n", b"d*/\n", b"#\n", b"/e\n!n1*\n", b"")
ODD_ENDINGS = (b"\n", b"\xff", b' "', b":(glob)*", b"-x", b"\\", b"[a]")


class Chaos:
    """Changes files of one repository; the operation itself may fail, as it does for people."""

    def __init__(self, repository: Repository, seed: int) -> None:
        self.repository = repository
        self.root = str(repository.root)
        self.chance = random.Random(seed)  # noqa: S311  (repeatable on purpose)
        self._acts: tuple[Callable[[str, str], None], ...] = (
            self._append,
            self._unlink,
            self._create,
            self._deep,
            self._flip_mode,
            self._rename,
            self._file_to_folder,
            self._symlink,
            self._ignore,
            self._same_size,
            self._move_folder,
            self._odd_name,
            self._fifo,
            self._exclude,
            self._nest,
        )
        self._turn = 0

    def step(self) -> None:
        """A few changes, then perhaps something the person's own git does."""
        for _ in range(self.chance.randrange(1, 6)):
            self._turn += 1
            path = self.chance.choice(self._files())
            try:
                self.chance.choice(self._acts)(path, os.path.join(self._folder(), f"n{self._turn}"))
            except OSError:
                continue
        self._person()

    def _person(self) -> None:
        for likely, arguments in (
            (0.15, ("add", "-A")),
            (0.10, ("add", "-f", self.chance.choice(self._files()))),
            (0.08, ("commit", "-qam", "work")),
            (0.05, ("stash", "-q")),
            (0.05, ("checkout", "-q", "--", ".")),
            (0.10, ("status",)),
            (0.03, ("reset", "-q", "--hard", "HEAD~1")),
        ):
            if self.chance.random() < likely:
                self.repository.git(*arguments, check=False)

    def _files(self) -> list[str]:
        """Regular files and links; opening a fifo would hang."""
        return [
            os.path.join(folder, name)
            for folder, _, names in self._walk()
            for name in sorted(names)
            if "/.git" not in folder
            and name != ".git"
            and not stat.S_ISFIFO(os.lstat(os.path.join(folder, name)).st_mode)
        ]

    def _folder(self) -> str:
        return self.chance.choice([folder for folder, _, _ in self._walk() if "/.git" not in folder])

    def _walk(self) -> list[tuple[str, list[str], list[str]]]:
        """In one order on every file system: a seed must give the same run."""
        return sorted(os.walk(self.root))

    def _append(self, path: str, where: str) -> None:
        with open(path, "ab") as file:
            file.write(b"%d\r\n" % self._turn)

    def _unlink(self, path: str, where: str) -> None:
        os.unlink(path)

    def _create(self, path: str, where: str) -> None:
        _write(where, b"%d" % self._turn)

    def _deep(self, path: str, where: str) -> None:
        os.makedirs(f"{where}d/e")
        _write(f"{where}d/e/x", b"x")

    def _flip_mode(self, path: str, where: str) -> None:
        os.chmod(path, os.stat(path).st_mode ^ 0o111)

    def _rename(self, path: str, where: str) -> None:
        os.rename(path, f"{path}.r")

    def _file_to_folder(self, path: str, where: str) -> None:
        os.unlink(path)
        os.makedirs(path)
        _write(f"{path}/in", b"i")

    def _symlink(self, path: str, where: str) -> None:
        os.symlink("/etc" if self._turn % 2 else "nowhere", where)

    def _ignore(self, path: str, where: str) -> None:
        _write(os.path.join(self._folder(), ".gitignore"), self.chance.choice(IGNORE_RULES))

    def _same_size(self, path: str, where: str) -> None:
        """Flip one byte: only the time tells."""
        data = bytearray(Path(path).read_bytes())
        if data:
            data[0] = (data[0] + 1) % 256
            _write(path, bytes(data))

    def _move_folder(self, path: str, where: str) -> None:
        if os.path.dirname(path) != self.root:
            os.rename(os.path.dirname(path), where)

    def _odd_name(self, path: str, where: str) -> None:
        _write(os.fsencode(where) + self.chance.choice(ODD_ENDINGS), b"odd")

    def _fifo(self, path: str, where: str) -> None:
        os.mkfifo(where)

    def _exclude(self, path: str, where: str) -> None:
        _write(f"{self.root}/.git/info/exclude", self.chance.choice((b"", b"*.r\n", b"in\n")))

    def _nest(self, path: str, where: str) -> None:
        if self.chance.random() < 0.3:
            _write(f"{where}.tmp", b"")
            os.unlink(f"{where}.tmp")
            os.makedirs(where)
            Repository.create(Path(where)).write("inner", b"inner")


def _write(path: str | bytes, data: bytes) -> None:
    with open(path, "wb") as file:
        file.write(data)
