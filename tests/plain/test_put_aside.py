"""Old text out of the stash and the index, in real repositories."""

from __future__ import annotations

import os
from typing import Any

import pytest
from kit.program import Program
from kit.repository import Repository

FIRST = "fn main() {\n    parse_all();\n}\n"
SECOND = FIRST + "// and a second thought\n"


def lost(program: Program) -> list[tuple[str, str]]:
    """What check calls lost."""
    document: dict[str, Any] = program("check", "--json", code=None).json
    return [(row["path"], row["state"]) for row in document["lost"]]


def test_git_restore_over_work_that_was_staged_in_part(repository: Repository, program: Program) -> None:
    """`git restore .` puts back what was staged before the boundary: newer work is lost, and comes back."""
    repository.write("main.rs", FIRST)
    repository.git("add", "main.rs")
    repository.write("main.rs", SECOND)
    program("mark")
    repository.git("restore", ".")

    assert lost(program) == [("main.rs", "reverted")]
    program("restore", "main.rs")
    assert repository.read("main.rs") == SECOND.encode()


def test_a_person_who_stages_again_meant_it(repository: Repository, program: Program) -> None:
    """The same content written and staged after the boundary is a person's choice: a warning at most."""
    repository.write("main.rs", FIRST)
    repository.git("add", "main.rs")
    repository.write("main.rs", SECOND)
    program("mark")
    repository.write("main.rs", FIRST)
    repository.git("add", "main.rs")
    staged = repository.git("ls-files", "-s", "main.rs").split()[1]
    # Within a test everything happens in the same instant.
    os.utime(repository.root / ".git" / "objects" / staged[:2] / staged[2:], (2e9, 2e9))

    assert lost(program) == []


@pytest.mark.parametrize("command", [("checkout", "stash@{0}", "--", "."), ("restore", "-s", "stash@{0}", ".")])
def test_an_older_stash_over_newer_work(repository: Repository, program: Program, command: tuple[str, ...]) -> None:
    """What a stash entry of the boundary held is old text, whichever command puts it over newer work."""
    repository.write("main.rs", FIRST)
    repository.git("stash", "push", "-q")
    repository.write("main.rs", "fn main() {\n    parse_anew();\n}\n")
    program("mark")
    repository.git(*command)

    assert lost(program) == [("main.rs", "reverted")]
