"""A work tree that somebody moved: its record and its snapshots go with it."""

from __future__ import annotations

from kit.program import Program
from kit.repository import Repository


def test_a_moved_work_tree_keeps_its_claims_and_snapshots(repository: Repository, program: Program) -> None:
    """After `mv` the loss is found, restored from the snapshot that was taken at the old place, and marks go on."""
    repository.write("main.rs", "edited\n")
    program("mark")
    moved = repository.root.rename(repository.root.parent / "moved")
    repository = Repository(moved)
    repository.git("checkout", "-q", "--", "main.rs")
    there = Program(folder=moved)

    checked = there("check", "--json", code=4).json
    there("restore", "--lost")

    assert checked["workspace_state"] == "moved"
    assert [each["path"] for each in checked["lost"]] == ["main.rs"]
    assert repository.read("main.rs") == b"edited\n"
    assert there("mark", "--json").json["boundary"] == 1
    assert there("check", "--json").json["workspace_state"] == "present"
