"""A restore that is killed at any moment is settled by the next command."""

from __future__ import annotations

import pytest
from kit.program import Program
from kit.repository import Repository

pytestmark = pytest.mark.slow

EDITED = "fn main() {\n    parse_all();\n}\n"


@pytest.mark.parametrize("point", ["restore.journalled", "restore.ready", "restore.placed", "restore.cleaned"])
def test_a_killed_restore_is_settled(repository: Repository, program: Program, point: str) -> None:
    """Whatever command comes next finishes it or rolls it back; then restore brings the content back."""
    repository.write("main.rs", EDITED)
    program("mark")
    repository.git("checkout", "--", "main.rs")
    program.with_variables(UNLOST_CRASH_AT=point)("restore", "--lost", code=-9)

    program("check", code=None)
    program("restore", "--lost", code=None)

    assert repository.read("main.rs") == EDITED.encode()
    assert program("check", "--json").json["lost"] == []
