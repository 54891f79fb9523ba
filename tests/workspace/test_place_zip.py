"""The program that is sent to places: what is in it, and what it needs."""

from __future__ import annotations

import ast
import io
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from unlost.workspace.program import OLDEST, restore_program, zip_of

SOURCE = Path(__file__).parents[2] / "src"


def test_the_zip_is_sound_and_always_the_same() -> None:
    """The zip can be read by anybody, and the same sources give the same bytes: its digest names a version."""
    program = restore_program()
    restore_program.cache_clear()

    assert restore_program() == program
    with zipfile.ZipFile(io.BytesIO(program.data)) as archive:
        assert archive.testzip() is None
        for name in archive.namelist():
            if name not in ("__main__.py", "unlost/__init__.py") and not name.endswith(".pyc"):
                assert archive.read(name) == (SOURCE / name).read_bytes()
    with zipfile.ZipFile(io.BytesIO(zip_of([("a", b""), ("b/c", b"\0" * 70_000)]))) as archive:
        assert archive.read("b/c") == b"\0" * 70_000


def test_the_program_needs_the_standard_library_alone() -> None:
    """Every import of a module in the zip is of the standard library, or of another module in the zip."""
    with zipfile.ZipFile(io.BytesIO(restore_program().data)) as archive:
        names = {name for name in archive.namelist() if name.endswith(".py")}
        inside = {name.removesuffix(".py").removesuffix("/__init__").replace("/", ".") for name in names}
        for name in names:
            for node in ast.walk(ast.parse(archive.read(name))):
                if isinstance(node, ast.Import):
                    wanted = {alias.name for alias in node.names}
                elif isinstance(node, ast.ImportFrom):
                    wanted = {node.module or ""}
                else:
                    continue
                for each in wanted:
                    assert each in inside or each.split(".")[0] in sys.stdlib_module_names, f"{name}: {each}"


def test_what_is_no_order_is_refused(tmp_path: Path) -> None:
    """The program alone, isolated and without site packages, refuses what it does not understand, in one line each."""
    program = tmp_path / "program.zip"
    program.write_bytes(restore_program().data)

    done = subprocess.run(
        [sys.executable, "-I", "-S", str(program)], input=b'{"mode": "look"}', capture_output=True, check=False
    )

    assert done.returncode == 1
    assert done.stdout == b'{"outcome": "refused", "reason": "identity_mismatch", "stage": "read_order"}\n'
    assert done.stderr == b"stage=read_order reason=identity_mismatch\n"


def test_an_older_python_says_so() -> None:
    """A place whose Python is too old answers with the reason, in syntax that an old one reads."""
    with zipfile.ZipFile(io.BytesIO(restore_program().data)) as archive:
        entry = archive.read("__main__.py").decode()
    told = entry.replace(
        "import sys\n",
        "import sys\nclass sys:\n    version_info = (3, 8)\n    stdout = sys.stdout\n    exit = sys.exit\n",
        1,
    )

    done = subprocess.run([sys.executable, "-I", "-S", "-c", told], capture_output=True, check=False)

    assert (done.returncode, b"python_too_old" in done.stdout) == (1, True)
    ast.parse(entry, feature_version=(3, 7))
    assert OLDEST == (3, 11)
    with pytest.raises(SyntaxError):
        ast.parse("match x:\n    case 1: pass\n", feature_version=(3, 7))


def test_another_python_takes_the_sources(tmp_path: Path) -> None:
    """Another Python does not read what this one made of a source, by its mark: the source lies beside it."""
    program = tmp_path / "program.zip"
    with zipfile.ZipFile(io.BytesIO(restore_program().data)) as whole, zipfile.ZipFile(program, "w") as changed:
        for name in whole.namelist():
            data = whole.read(name)
            changed.writestr(name, b"\0\0\r\n" + b"\xff" * len(data) if name.endswith(".pyc") else data)

    done = subprocess.run([sys.executable, "-I", "-S", str(program)], input=b"{}", capture_output=True, check=False)

    assert (done.returncode, done.stderr) == (1, b"stage=read_order reason=identity_mismatch\n")
