from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import unlost
from unlost.facts import errors
from unlost.facts.version import VERSION

SOURCE = Path(unlost.__file__)


def test_all_names_the_table_and_nothing_else() -> None:
    """`__all__` is sorted and equals the lazy table."""
    assert sorted(unlost._MODULES) == unlost.__all__
    assert dir(unlost) == unlost.__all__


@pytest.mark.parametrize("name", unlost.__all__)
def test_every_name_opens(name: str) -> None:
    """Each public name is found, and found in the module that defines it."""
    assert getattr(unlost, name).__module__ == unlost._MODULES[name]


def test_the_whole_error_tree_is_public() -> None:
    """Whatever unlost raises can be caught by a name imported from `unlost`."""
    tree = {name for name, value in vars(errors).items() if isinstance(value, type) and issubclass(value, Exception)}

    assert tree <= set(unlost.__all__)


def test_type_checkers_see_every_name() -> None:
    """The names that type checkers read are those that open at run time."""
    imports = [node for node in ast.walk(ast.parse(SOURCE.read_text())) if isinstance(node, ast.ImportFrom)]
    seen = {alias.name: node.module for node in imports for alias in node.names if alias.asname}

    assert seen == unlost._MODULES


def test_an_unknown_name_is_an_attribute_error() -> None:
    """`unlost.nothing` fails as on any other module."""
    with pytest.raises(AttributeError, match="nothing"):
        unlost.nothing  # noqa: B018


def test_importing_unlost_imports_no_room() -> None:
    """`import unlost` opens no room and no third-party package."""
    code = "import sys, unlost; print([m for m in sys.modules if m.startswith(('unlost.', 'click', 'pydantic'))])"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"


def test_the_version_is_the_packages() -> None:
    """The constant that `--version` prints is the version in `pyproject.toml`."""
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())

    assert project["project"]["version"] == VERSION
