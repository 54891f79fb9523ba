"""`unlost doctor`: examine this machine and this workspace."""

from __future__ import annotations

from typing import get_args

import click

from unlost.app.boot_units import System, boot_unit
from unlost.app.deep_examination import examine_deeply
from unlost.app.doctor import Finding, diagnose, is_healthy
from unlost.cli.invocation import Command, Invocation
from unlost.cli.palette import Palette
from unlost.cli.progress import Progress
from unlost.facts.errors import UnlostError
from unlost.facts.records import asdict
from unlost.facts.version import VERSION
from unlost.settings import read_settings


@click.command(
    "doctor",
    cls=Command,
    examples=("unlost doctor", "unlost doctor --deep --json", "unlost doctor --print-unit systemd"),
)
@click.option("--deep", is_flag=True, help="Read the whole record and every snapshot store as well.")
@click.option(
    "--print-unit",
    "system",
    type=click.Choice(get_args(System)),
    help="Print a service that runs `unlost resume --all` at login; nothing is installed.",
)
@click.pass_obj
def command(invocation: Invocation, *, deep: bool, system: System | None) -> int:
    """Check this machine and this workspace.

    Looks at Python, git, the settings, the state home (may it be written, is it private, does it last) and the work
    tree. Exit 1 when something keeps unlost from working; warnings do not.
    """
    if system is not None:
        unit = boot_unit(system, invocation.environment)
        invocation.answer({"schema": "unlost.boot_unit/1", "system": system, "text": unit}, unit, even_quiet=True)
        return 0
    findings = diagnose(invocation.environment, invocation.target)
    if deep and is_healthy(findings):
        with Progress(invocation.terminal) as progress:
            progress("reading everything that is kept")
            findings += tuple(examine_deeply(read_settings(invocation.environment)))
    healthy = is_healthy(findings)
    document = {
        "schema": "unlost.doctor/1",
        "version": VERSION,
        "healthy": healthy,
        "findings": [{key: value for key, value in asdict(finding).items() if key != "place"} for finding in findings],
    }
    text = "\n".join(_line(finding, invocation.terminal.palette) for finding in findings)
    invocation.answer(document, f"unlost {VERSION}\n{text}")
    return 0 if healthy else UnlostError.exit_code


def _line(finding: Finding, palette: Palette) -> str:
    dress = {"ok": palette.good, "warning": palette.warning, "problem": palette.loss}[finding.level]
    place = f"  {palette.faint(finding.place)}" if finding.place else ""
    hint = f"\n{' ' * 25}hint: {finding.hint}" if finding.hint else ""
    return f"{dress(finding.level.ljust(9))} {finding.name.ljust(14)} {finding.message}{place}{hint}"
