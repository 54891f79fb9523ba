from __future__ import annotations

import dataclasses

import pytest

from unlost.checks.facts import CheckResult
from unlost.checks.judge import base_copies, changed_definitions, definitions_digest, judge_check, undeclared_writes
from unlost.facts.trees import EXECUTABLE, REGULAR, Change, Entry
from unlost.plan.facts import Check

CHECK = Check(name="tests", run=("pytest",), definitions=("tests/**", "conftest.py"))
PROTECTED = dataclasses.replace(CHECK, protected=True)
PASSED = CheckResult(name="tests", exit_code=0, timed_out=False, seconds=1.0, output=b"")
FAILED = dataclasses.replace(PASSED, exit_code=1)
HUNG = dataclasses.replace(PASSED, exit_code=-15, timed_out=True)
MISSING = dataclasses.replace(PASSED, exit_code=127, started=False)
OLD, NEW = Entry(REGULAR, "a" * 40), Entry(REGULAR, "b" * 40)
EDITED = Change(b"tests/test_a.py", OLD, NEW)
ADDED = Change(b"tests/test_b.py", None, NEW)
DELETED = Change(b"conftest.py", OLD, None)
CODE = Change(b"src/a.py", OLD, NEW)


def test_definitions_are_found_among_the_changes() -> None:
    """N.R7: a task that edits, adds or deletes a file of `definitions` touches what defines the check."""
    assert changed_definitions(CHECK, (CODE, EDITED, ADDED, DELETED)) == (EDITED, ADDED, DELETED)
    assert changed_definitions(Check(name="x", run=("x",)), (CODE, EDITED)) == ()


def test_changed_definition_is_no_pass_until_a_person_accepts_it() -> None:
    """N.R7: `definition_changed` names the paths and what there is to accept; accepted, the check passes."""
    judged = judge_check(CHECK, PASSED, changed=(EDITED,))

    assert (judged.word, judged.passed, judged.changed) == ("definition_changed", False, (b"tests/test_a.py",))
    assert judged.definitions is not None
    assert judge_check(CHECK, PASSED, changed=(EDITED,), accepted={judged.definitions}).passed


@pytest.mark.parametrize(
    "later",
    [
        (EDITED._replace(after=Entry(REGULAR, "c" * 40)),),
        (EDITED._replace(after=Entry(EXECUTABLE, NEW.oid)),),
        (EDITED._replace(after=None),),
        (EDITED, ADDED),
    ],
)
def test_acceptance_covers_exactly_what_was_seen(later: tuple[Change, ...]) -> None:
    """N.R5: an edit after the acceptance, of content, mode or another file, is asked again."""
    accepted = definitions_digest((EDITED,))

    assert judge_check(CHECK, PASSED, changed=later, accepted={accepted}).word == "definition_changed"


def test_acceptance_is_independent_of_order() -> None:
    """The digest names contents, not the order they were listed in."""
    assert definitions_digest((EDITED, ADDED)) == definitions_digest((ADDED, EDITED))


@pytest.mark.parametrize(("result", "reason"), [(FAILED, "exit_code"), (HUNG, "timed_out"), (MISSING, "not_started")])
def test_acceptance_never_turns_a_failure_into_a_pass(result: CheckResult, reason: str) -> None:
    """A person accepts that the question changed, not that the answer is wrong."""
    judged = judge_check(CHECK, result, changed=(EDITED,), accepted={definitions_digest((EDITED,))})

    assert (judged.word, judged.reason) == ("failed", reason)


def test_protected_run_takes_the_base_s_copies() -> None:
    """N.R7: edited and deleted definitions come back as the base has them, added ones go."""
    assert base_copies(PROTECTED, (CODE, EDITED, ADDED, DELETED)) == {
        b"tests/test_a.py": OLD,
        b"tests/test_b.py": None,
        b"conftest.py": OLD,
    }


@pytest.mark.parametrize(
    ("result", "protected", "expected_delta", "passed"),
    [
        (PASSED, PASSED, False, True),
        (PASSED, FAILED, False, False),
        (PASSED, FAILED, True, True),
        (PASSED, PASSED, True, True),
        (FAILED, PASSED, True, False),
        (PASSED, HUNG, True, False),
        (PASSED, MISSING, True, False),
        (PASSED, None, True, False),
    ],
)
def test_protected_check_passes_twice_or_with_its_expected_delta(
    result: CheckResult, protected: CheckResult | None, *, expected_delta: bool, passed: bool
) -> None:
    """N.R7: a failure with the base's copies passes only with `expected_delta`; a hung run proves nothing."""
    check = dataclasses.replace(PROTECTED, expected_delta=expected_delta)

    assert judge_check(check, result, protected=protected).passed is passed


def test_expected_delta_does_not_excuse_an_edited_definition() -> None:
    """Both rules hold at once: the delta is declared, and the edit still waits for a person."""
    check = dataclasses.replace(PROTECTED, expected_delta=True)

    assert judge_check(check, PASSED, protected=FAILED, changed=(EDITED,)).word == "definition_changed"


def test_undeclared_writes_are_told() -> None:
    """What a check changed is credited to it; without `writes = true` the paths are told."""
    assert undeclared_writes(CHECK, (CODE, EDITED)) == (b"src/a.py", b"tests/test_a.py")
    assert undeclared_writes(dataclasses.replace(CHECK, writes=True), (CODE,)) == ()
