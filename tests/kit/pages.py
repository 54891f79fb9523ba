"""Pages of the documentation whose worked examples are typed in."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"


@dataclass(frozen=True)
class Page:
    """One page: its code blocks, and its console blocks as (command, what it prints)."""

    text: str

    @classmethod
    def read(cls, name: str) -> Page:
        """The page at a path below `docs/`."""
        return cls(text=(DOCS / name).read_text(encoding="utf-8"))

    def block(self, kind: str) -> str:
        """The first code block with this first line, such as `toml plan.toml`."""
        found = re.search(rf"^```{re.escape(kind)}\n(.*?)^```$", self.text, re.DOTALL | re.MULTILINE)
        assert found is not None, kind
        return found[1]

    def transcript(self) -> Iterator[tuple[str, str]]:
        """Every command of the console blocks, and what the page says that it prints."""
        for block in re.findall(r"^```console\n(.*?)^```$", self.text, re.DOTALL | re.MULTILINE):
            parts = re.split(r"^\$ (.*)\n", block, flags=re.MULTILINE)[1:]
            yield from zip(parts[::2], parts[1::2], strict=True)


def typed(command: str, folder: Path) -> str:
    """What a command prints in a shell that knows `unlost`; an exit code but 0 stands in a last line `[exit N]`."""
    unlost = f'unlost() {{ {shlex.quote(sys.executable)} -m unlost "$@"; }}'
    done = subprocess.run(
        ["sh", "-c", f"{unlost}\n{command}"],
        cwd=folder,
        env=os.environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=240,
        check=False,
    )
    return done.stdout + (f"[exit {done.returncode}]\n" if done.returncode else "")
