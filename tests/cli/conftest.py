from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from kit.repository import Repository

from unlost.__main__ import main


@dataclass(frozen=True)
class Answer:
    """What one command line answered within this process."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON object on standard output."""
        return json.loads(self.out)


Unlost = Callable[..., Answer]


@pytest.fixture
def unlost(repository: Repository, capsys: pytest.CaptureFixture[str]) -> Unlost:
    """Runs a command line in this process, in the repository; fails on another exit code than `code`."""

    def call(*arguments: str, code: int = 0) -> Answer:
        got = main(["-C", str(repository.root), *arguments])
        shown = capsys.readouterr()
        answer = Answer(code=got, out=shown.out, err=shown.err)
        assert got == code, answer
        return answer

    return call
