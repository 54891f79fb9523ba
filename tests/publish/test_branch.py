"""Names of branches: the unit's own, and what git takes for one."""

from __future__ import annotations

import subprocess

import pytest

from unlost.publish.branch import branch_name, is_branch_name

CASES = (
    *("main", "topic/x", "unlost/a-plan-u-1", "a.b", "x@y", "ä", "-x", "a..b", "a b", "a~1", "a^", "a:b", "a?b", "a*b"),
    *("a[b", "a\\b", "@", "a@{b", "/a", "a/", "a//b", ".a", "a/.b", "a.lock", "a/b.lock/c", "a.", "", "a\x7fb", "a\tb"),
)


@pytest.mark.parametrize("name", CASES)
def test_what_git_takes_for_a_branch(name: str) -> None:
    """The rule agrees with `git check-ref-format --branch`, but that a name never begins with a dash."""
    done = subprocess.run(["git", "check-ref-format", f"refs/heads/{name}"], check=False, capture_output=True)
    expected = done.returncode == 0 and not name.startswith("-") and name != "@"

    assert is_branch_name(name) == expected


def test_the_name_is_of_plan_and_unit() -> None:
    """`unlost/<slug>-<unit>`, from letters and digits alone; what the plan says wins."""
    assert branch_name("", title="Drop the Legacy-Parser!", unit="u-1") == "unlost/drop-the-legacy-parser-u-1"
    assert branch_name("", title="…", unit="u-1") == "unlost/u-1"
    assert branch_name("", title="x" * 99, unit="u-1") == f"unlost/{'x' * 40}-u-1"
    assert branch_name("refs/heads/topic", title="x", unit="u-1") == "topic"
    assert all(is_branch_name(branch_name("", title=title, unit="u-1")) for title in ("a/b..c", "ä", "@{", "-"))
