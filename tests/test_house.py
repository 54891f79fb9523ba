"""The house (design.md, section 2), held to the real import graph and the real files."""

from __future__ import annotations

import ast
import os
import sys
import tempfile
from pathlib import Path

import house_plan as plan
import pytest

MODULES = plan.modules()
NAMES = {module.name for module in MODULES}


def test_every_room_is_on_the_plan() -> None:
    """A room that the plan does not know has no floor and may not exist."""
    assert {module.room for module in MODULES} <= set(plan.FLOORS)


def test_arrows_only_fall() -> None:
    """A room imports rooms on lower floors only: never upward, never a sibling on its own floor."""
    wrong = []
    for module in MODULES:
        for target, line in plan.imports_of(module):
            room = plan.room_of(target)
            if room is None or room == module.room or room not in plan.FLOORS:
                continue
            if plan.FLOORS[room] >= plan.FLOORS[module.room]:
                wrong.append(f"{module.name}:{line} imports {target}")

    assert wrong == []


def test_no_module_ring() -> None:
    """No module reaches itself by following imports, inside a room neither."""
    arrows = {
        module.name: {target for target, _ in plan.imports_of(module) if target in NAMES and target != module.name}
        for module in MODULES
    }
    done: set[str] = set()

    def visit(name: str, trail: tuple[str, ...]) -> None:
        assert name not in trail, f"ring: {' -> '.join((*trail[trail.index(name) :], name))}"
        if name not in done:
            for target in sorted(arrows.get(name, ())):
                visit(target, (*trail, name))
            done.add(name)

    for name in sorted(arrows):
        visit(name, ())


def test_no_import_inside_a_function() -> None:
    """Imports stand at the top of a module; laziness goes through the three literal tables only."""
    wrong = [
        f"{module.name}:{node.lineno}"
        for module in MODULES
        for function in plan.functions_of(module.tree)
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]

    assert wrong == []


def test_lazy_doors_are_the_tables_only() -> None:
    """`importlib` is used in `host/doors.py` and in the public face; `host/sources.py` opens nothing with it."""
    wrong = [
        f"{module.name}:{line}"
        for module in MODULES
        for target, line in plan.imports_of(module)
        if target.split(".")[0] == "importlib"
        and not target.startswith("importlib.resources")
        and not target.startswith("importlib.metadata")
        and module.name not in {"unlost.host.doors", "unlost.host.sources", "unlost.__init__"}
    ]

    assert wrong == []


def test_third_party_packages_stay_behind_their_doors() -> None:
    """Each third-party package and the database drivers are imported by the modules that the design names."""
    wrong = []
    for module in MODULES:
        for target, line in plan.imports_of(module):
            doors = plan.THIRD_PARTY_DOORS.get(target.split(".")[0])
            if doors is not None and not any(
                module.name == door or module.name.startswith(door + ".") for door in doors
            ):
                wrong.append(f"{module.name}:{line} imports {target}")

    assert wrong == []


def test_plain_rooms_need_the_standard_library_only() -> None:
    """H.29: the rooms of the main job import nothing but the standard library and unlost itself."""
    wrong = []
    for module in MODULES:
        if module.room not in plan.STANDARD_LIBRARY_ONLY or module.name in {
            "unlost.ledger.postgres",
            "unlost.host.process_tree",
        }:
            continue
        for target, line in plan.imports_of(module):
            top = target.split(".")[0]
            if top != "unlost" and top not in sys.stdlib_module_names:
                wrong.append(f"{module.name}:{line} imports {target}")

    assert wrong == []


def test_time_chance_and_environment_come_from_the_host() -> None:
    """The wall clock, chance and `os.environ` are used in `host/` and `settings.py` alone."""
    wrong = [
        f"{module.name}:{line} uses {use}"
        for module in MODULES
        if module.room not in {"host", "settings"}
        for use, line in plan.uses_of(module.tree, plan.MACHINE_ONLY)
    ]

    assert wrong == []


def test_processes_are_made_in_the_host() -> None:
    """Only `host/` starts processes."""
    wrong = [
        f"{module.name}:{line} uses {use}"
        for module in MODULES
        if module.room != "host"
        for use, line in plan.uses_of(module.tree, plan.PROCESS_MAKERS)
    ]

    assert wrong == []


def test_no_drawer_of_unrelated_things() -> None:
    """No module or folder is called utils, helpers, common, manager or base."""
    wrong = [
        str(path.relative_to(plan.SOURCE))
        for path in plan.SOURCE.rglob("*")
        if path.stem in plan.FORBIDDEN_NAMES or any(path.stem.endswith(f"_{name}") for name in plan.FORBIDDEN_NAMES)
    ]

    assert wrong == []


@pytest.mark.parametrize("folder", [plan.SOURCE, plan.TESTS], ids=["src", "tests"])
def test_files_stay_readable(folder: Path) -> None:
    """No file is over 400 lines and no function over 60."""
    wrong = []
    for path in sorted(folder.rglob("*.py")):
        if "incidents/dev" in path.as_posix():
            continue
        text = path.read_text(encoding="utf-8")
        if text.count("\n") > 400:
            wrong.append(f"{path.name}: {text.count(chr(10))} lines")
        for function in plan.functions_of(ast.parse(text)):
            length = (function.end_lineno or function.lineno) - function.lineno + 1
            if length > 60:
                wrong.append(f"{path.name}:{function.lineno} {function.name}: {length} lines")

    assert wrong == []


def test_every_test_says_what_must_be_true() -> None:
    """Each test function has a docstring: the sentence that must be true."""
    wrong = [
        f"{path.name}:{function.lineno} {function.name}"
        for path in sorted(plan.TESTS.rglob("test_*.py"))
        for function in plan.functions_of(ast.parse(path.read_text(encoding="utf-8")))
        if function.name.startswith("test_") and not ast.get_docstring(function)
    ]

    assert wrong == []


def test_tests_wait_for_conditions_only() -> None:
    """N.R6: no test sleeps for a length of time, and none touches the person's own home or state home."""
    sleeping = [
        f"{path.name}:{line}"
        for path in sorted(plan.TESTS.rglob("test_*.py"))
        for use, line in plan.uses_of(ast.parse(path.read_text(encoding="utf-8")), {"time": {"sleep"}})
        if use
    ]

    assert sleeping == []
    assert Path(os.environ["HOME"]).is_relative_to(tempfile.gettempdir())
    assert Path(os.environ["UNLOST_HOME"]).is_relative_to(tempfile.gettempdir())
