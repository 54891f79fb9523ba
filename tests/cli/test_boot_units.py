"""`doctor --print-unit`: text that a person installs, held to the programs that read it where they are here."""

from __future__ import annotations

import plistlib
import shutil
import subprocess
from pathlib import Path

import pytest
from kit.program import Program

SECRETS = {
    "ANTHROPIC_API_KEY": "sk-ant-hushhush",
    "UNLOST_LEDGER": "postgresql://me:hushhush@db/x",
    "MY_TOKEN": "hushhush",
}


def printed(program: Program, system: str, **variables: str) -> str:
    """The unit as it is printed."""
    return program.with_variables(**SECRETS, **variables)("doctor", "--print-unit", system).out


@pytest.mark.parametrize("system", ["systemd", "launchd"])
def test_a_unit_holds_no_secret_and_an_absolute_program(program: Program, tmp_path: Path, system: str) -> None:
    """It runs this very program by its absolute path on this state home; no key, no address of a ledger is in it."""
    text = printed(program, system, UNLOST_HOME=str(tmp_path / "state"))

    assert "hushhush" not in text
    assert str(tmp_path / "state") in text
    assert "/unlost" in text
    assert "resume" in text
    assert "--all" in text
    assert not (tmp_path / "state").exists()


def test_the_unit_of_systemd_is_valid(program: Program, tmp_path: Path) -> None:
    """`systemd-analyze verify` finds nothing wrong, with a state home whose name needs every escape."""
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not installed")
    unit = tmp_path / "unlost.service"
    unit.write_text(printed(program, "systemd", UNLOST_HOME=str(tmp_path / 'a "state" $HOME 100%')))

    done = subprocess.run(["systemd-analyze", "verify", str(unit)], capture_output=True, text=True, check=False)

    about_it = [line for line in done.stderr.splitlines() if "unlost" in line]
    assert about_it == []
    assert '"UNLOST_HOME=' in unit.read_text()
    assert "100%%" in unit.read_text()


def test_the_unit_of_launchd_is_a_property_list(program: Program, tmp_path: Path) -> None:
    """It reads as a property list whose program is started through a shell that reads the file of keys first."""
    table = plistlib.loads(printed(program, "launchd", UNLOST_HOME=str(tmp_path / "a & b")).encode())

    assert table["RunAtLoad"] is True
    assert table["EnvironmentVariables"]["UNLOST_HOME"] == str(tmp_path / "a & b")
    assert table["ProgramArguments"][:2] == ["/bin/sh", "-c"]
    checked = subprocess.run(["sh", "-n", "-c", table["ProgramArguments"][2]], check=False)
    assert checked.returncode == 0
