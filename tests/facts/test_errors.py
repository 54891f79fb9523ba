from __future__ import annotations

import inspect
import re

import pytest

from unlost.facts import errors
from unlost.facts.errors import FileInvalid, Problem, UnlostError, UsageError

TREE = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, UnlostError)]
EXIT_CODES = {
    "UnlostError": 1,
    "UsageError": 2,
    "NotARepository": 2,
    "FileInvalid": 2,
    "NeedsPerson": 3,
    "WorkLost": 4,
    "Paused": 5,
    "TryLater": 75,
    "SupersededWriter": 75,
    "UnlostBug": 70,
    "Interrupted": 130,
}


def test_exit_codes_are_those_of_the_contract() -> None:
    """contracts.md, Exit codes: each error ends a command with its own code, for ever."""
    assert {kind.__name__: kind.exit_code for kind in TREE} == EXIT_CODES


def test_docstring_draws_the_real_tree() -> None:
    """The tree at the top of the module names every class with its code, below the class it comes from."""
    drawn = re.findall(r"^( +)(\w+) +(\d+) ", errors.__doc__ or "", re.MULTILINE)
    above: list[tuple[int, str]] = []
    for blanks, name, code in drawn:
        above = [(depth, parent) for depth, parent in above if depth < len(blanks)]
        kind = getattr(errors, name)
        assert kind.exit_code == int(code)
        assert kind.__base__.__name__ == (above[-1][1] if above else "Exception")
        above.append((len(blanks), name))

    assert {name for _, name, _ in drawn} == set(EXIT_CODES)


@pytest.mark.parametrize("kind", [kind for kind in TREE if kind is not FileInvalid])
def test_every_error_says_what_happened_and_what_to_type(kind: type[UnlostError]) -> None:
    """design.md, Style: a message, and a hint where there is a next thing to type."""
    error = kind("it happened", hint="unlost status")

    assert (str(error), error.message, error.hint) == ("it happened", "it happened", "unlost status")
    assert kind("it happened").hint is None


def test_invalid_file_carries_its_problems() -> None:
    """contracts.md: every problem is named with its line."""
    error = FileInvalid("plan.toml has 1 problem", problems=(Problem(line=3, what="unknown key"),))

    assert isinstance(error, UsageError)
    assert error.problems[0].line == 3
