"""The installed program as a test drives it: a real process, its exit code, its two streams."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Result:
    """How one call ended."""

    arguments: tuple[str, ...]
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON object on standard output."""
        return json.loads(self.out)


@dataclass(frozen=True)
class Program:
    """`unlost` in a folder, with variables over the test's own environment."""

    folder: Path
    variables: dict[str, str] = field(default_factory=dict)

    def __call__(self, *arguments: str, code: int | None = 0, stdin: str | None = None) -> Result:
        """Run and return the result; fails the test when the exit code is another than `code` (None: any)."""
        done = subprocess.run(
            self.command(*arguments),
            cwd=self.folder if self.folder.is_dir() else "/",
            env={**os.environ, **self.variables},
            capture_output=True,
            text=True,
            errors="surrogateescape",
            timeout=600,
            check=False,
            input=stdin or "",
        )
        result = Result(arguments=arguments, code=done.returncode, out=done.stdout, err=done.stderr)
        if code is not None and result.code != code:
            raise AssertionError(
                f"unlost {' '.join(arguments)}: exit {result.code}, not {code}\n{result.out}\n{result.err}"
            )
        return result

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Start and return the process, both streams piped."""
        return subprocess.Popen(
            self.command(*arguments),
            cwd=self.folder,
            env={**os.environ, **self.variables},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def with_variables(self, **variables: str) -> Program:
        """The same program with more environment variables."""
        return Program(folder=self.folder, variables={**self.variables, **variables})

    @staticmethod
    def command(*arguments: str) -> list[str]:
        """The argv that starts the program under test."""
        return [sys.executable, "-m", "unlost", *arguments]
