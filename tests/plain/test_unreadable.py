"""Work that the system refuses to show: never taken for unchanged, and never for lost."""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
from typing import Any, Final

import pytest
from kit.program import Program
from kit.repository import Repository

pytestmark = pytest.mark.skipif(
    os.geteuid() == 0 and sys.platform != "linux", reason="root may read everything, and cannot let go of that here"
)

_DROP_FROM_BOUND: Final = 24
"""`PR_CAPBSET_DROP`: what a process lets go of, no program that it starts gets back."""
_OVER_PERMISSIONS: Final = (1, 2)
"""`CAP_DAC_OVERRIDE` and `CAP_DAC_READ_SEARCH`: what lets root read and write whatever the permissions say."""


def become_ordinary() -> None:
    """Be bound by permissions, as root too."""
    if os.geteuid() == 0:
        library = ctypes.CDLL(None, use_errno=True)
        for capability in _OVER_PERMISSIONS:
            if library.prctl(_DROP_FROM_BOUND, capability, 0, 0, 0):
                raise OSError(ctypes.get_errno(), "the capability stays")


def ask(repository: Repository, *arguments: str, code: int) -> Any:
    """What the program answers to somebody who is bound by permissions."""
    done = subprocess.run(
        Program.command(*arguments, "--json"),
        cwd=repository.root,
        preexec_fn=become_ordinary,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("closed", "unproved"), [("work/claimed.txt", ["work/claimed.txt"]), ("work", ["work/claimed.txt"])]
)
def test_a_claim_that_cannot_be_read_is_unproved(repository: Repository, closed: str, unproved: list[str]) -> None:
    """File or folder: the claim is unproved, the verdict incomplete, exit 1; and all is well once it opens again."""
    repository.write("work/claimed.txt", "claimed\n")
    marked = ask(repository, "mark", code=0)
    assert (marked["claims"], marked["incomplete"]) == (1, [])
    (repository.root / closed).chmod(0)

    first = ask(repository, "check", code=1)
    boundary = ask(repository, "mark", code=0)
    second = ask(repository, "check", code=1)
    (repository.root / closed).chmod(0o700)

    for hidden in (first, second):
        assert (hidden["verdict"], hidden["lost"], hidden["standing"]) == ("incomplete", [], 0)
        assert [row["path"] for row in hidden["unproved"]] == unproved
    assert boundary["incomplete"] == [{"path": closed, "reason": "unreadable"}]
    opened = ask(repository, "check", code=0)
    assert (opened["verdict"], opened["standing"], opened["warnings"]) == ("ok", 1, [])


@pytest.mark.parametrize("mode", [0o000, 0o400, 0o100])
def test_an_edit_below_a_closed_folder_is_not_undone(repository: Repository, mode: int) -> None:
    """Git takes tracked files that it may not look at for unchanged; the claim on the edit is unproved all the same."""
    repository.write("docs/notes.md", "edited\n")
    assert ask(repository, "mark", code=0)["claims"] == 1
    (repository.root / "docs").chmod(mode)

    reports = [ask(repository, "check", code=1) for _ in range(2)]
    ask(repository, "mark", code=0)
    reports.append(ask(repository, "check", code=1))
    (repository.root / "docs").chmod(0o700)

    assert [report["lost"] for report in reports] == [[], [], []]
    assert [[row["path"] for row in report["unproved"]] for report in reports] == [["docs/notes.md"]] * 3
    assert all(report["incomplete"] for report in reports)
    assert ask(repository, "check", code=0)["standing"] == 1


@pytest.mark.parametrize("closed", ["docs/notes.md", "docs"])
def test_a_committed_file_that_cannot_be_read_is_not_deleted(repository: Repository, closed: str) -> None:
    """Nobody claims it: it is listed as not captured, and called neither deleted nor put back, closed or opened."""
    ask(repository, "mark", code=0)
    (repository.root / closed).chmod(0)

    first = ask(repository, "check", code=0)
    boundary = ask(repository, "mark", code=0)
    second = ask(repository, "check", code=0)
    (repository.root / closed).chmod(0o700)
    opened = ask(repository, "check", code=0)

    for report in (first, second, opened):
        assert (report["verdict"], report["lost"], report["warnings"], report["changed"]) == ("ok", [], [], [])
    assert boundary["claims"] == 0
    assert first["incomplete"] == second["incomplete"] == [{"path": closed, "reason": "unreadable"}]


def test_a_rewind_leaves_alone_what_it_cannot_see(repository: Repository) -> None:
    """What no snapshot could take is not deleted by a rewind to the time before it, nor by its undo."""
    ask(repository, "mark", code=0)
    repository.write("secret.txt", "only here\n")
    (repository.root / "secret.txt").chmod(0)

    repository.write("made.txt", "made since\n")
    gone = ask(repository, "rewind", "0", code=0)
    ask(repository, "undo", code=0)

    assert gone["removed"] == ["made.txt"]
    assert repository.read("made.txt") == b"made since\n"

    assert repository.read("secret.txt") == b"only here\n"


def test_a_rewind_past_a_closed_folder_keeps_the_work_in_it(repository: Repository) -> None:
    """Of what lay in a folder that was closed at a boundary the boundary tells nothing; a rewind leaves it alone."""
    repository.write("docs/notes.md", "edited\n")
    repository.write("docs/new.md", "new\n")
    (repository.root / "docs").chmod(0)
    ask(repository, "mark", code=0)
    (repository.root / "docs").chmod(0o700)
    repository.write("made.txt", "made since\n")

    gone = ask(repository, "rewind", "0", code=0)

    assert (gone["restored"], gone["removed"]) == ([], ["made.txt"])
    assert (repository.read("docs/notes.md"), repository.read("docs/new.md")) == (b"edited\n", b"new\n")
