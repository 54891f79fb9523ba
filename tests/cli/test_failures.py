from __future__ import annotations

import errno

import click
import pytest

from unlost.cli.bug_report import bug_report
from unlost.cli.failures import Failure, expected_failure, failure_document, failure_text
from unlost.cli.palette import PLAIN
from unlost.facts.errors import (
    FileInvalid,
    Interrupted,
    NeedsPerson,
    Paused,
    Problem,
    TryLater,
    UnlostBug,
    UnlostError,
    UsageError,
    WorkLost,
)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (UnlostError("failed"), 1),
        (UsageError("bad"), 2),
        (NeedsPerson("parked"), 3),
        (WorkLost("gone"), 4),
        (Paused("budget"), 5),
        (TryLater("held by u-1"), 75),
        (Interrupted("stopped"), 130),
        (KeyboardInterrupt(), 130),
        (click.exceptions.Abort(), 130),
        (click.UsageError("bad"), 2),
        (OSError(errno.ENOSPC, "No space left on device"), 1),
        (PermissionError(errno.EACCES, "Permission denied", "/state"), 1),
    ],
)
def test_each_kind_of_error_has_its_exit_code(error: BaseException, code: int) -> None:
    """The exit codes of contracts.md, one for each kind of error."""
    failure = expected_failure(error)

    assert failure is not None
    assert failure.exit_code == code


@pytest.mark.parametrize("error", [UnlostBug("impossible"), KeyError("x"), OSError(errno.EBADF, "Bad descriptor")])
def test_what_nobody_meant_to_tell_is_a_bug(error: BaseException) -> None:
    """An error that no room declares is a bug of ours, never a failure of the user's."""
    assert expected_failure(error) is None


def test_a_failure_is_told_with_its_problems_and_hint() -> None:
    """What happened, each fault of the file with its line, what to type next."""
    error = FileInvalid(
        "plan.toml cannot be used",
        problems=(Problem(line=3, what="unknown key surprise"), Problem(line=None, what="no task")),
        hint="`unlost plan check plan.toml`",
    )
    failure = expected_failure(error)
    assert failure is not None

    assert failure_text(failure, PLAIN).splitlines() == [
        "error: plan.toml cannot be used",
        "  line 3: unknown key surprise",
        "  no task",
        "hint: `unlost plan check plan.toml`",
    ]
    assert failure_document(failure) == {
        "schema": "unlost.error/1",
        "error": "plan.toml cannot be used",
        "hint": "`unlost plan check plan.toml`",
        "exit": 2,
        "problems": [{"line": 3, "what": "unknown key surprise"}, {"line": None, "what": "no task"}],
    }


def test_a_full_disk_is_no_bug() -> None:
    """A full disk says that earlier snapshots are whole, and where to look."""
    failure = expected_failure(OSError(errno.ENOSPC, "No space left on device"))

    assert failure == Failure(
        message="the machine refused: No space left on device; earlier snapshots are whole",
        exit_code=1,
        hint="free some disk space; `unlost doctor` shows where the state home is",
    )


def raise_through_two_doors() -> None:
    """An error with a cause, and words that must not leave the machine in its message."""
    try:
        dict[str, str]()["/home/person/secret/plan.toml"]
    except KeyError as error:
        raise RuntimeError("no /home/person/secret/plan.toml \x1b[31mhere") from error


def test_the_bug_report_can_be_pasted_and_gives_nothing_away() -> None:
    """N.R4: versions, command, code and kinds of errors; no path of the person's, no argument, no escape."""
    with pytest.raises(RuntimeError) as caught:
        raise_through_two_doors()

    report = bug_report(
        caught.value, ["-C", "/home/person", "restore", "secret.txt", "--from=token"], commands=["restore"]
    )

    assert "unlost 0." in report
    assert "command: unlost -C … restore … --from" in report
    assert report.index("KeyError: ") < report.index("which led to") < report.index("RuntimeError: no … here")
    assert "test_failures.py" in report
    for word in ("person", "secret", "token", "\x1b", "/work", "/tests/"):
        assert word not in report


def test_a_machine_that_refuses_names_the_place() -> None:
    """A refused write names the file, so that a person can look."""
    failure = expected_failure(PermissionError(errno.EACCES, "Permission denied", "/state"))

    assert failure is not None
    assert "/state" in failure.message
