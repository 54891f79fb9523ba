"""Run the long campaigns at their full numbers and write what they found to docs/reliability.md.

A campaign is a test marked `campaign`: its docstring is the sentence that must be true, and what it counted is
recorded with `record_property`. `make test-all` runs the same tests at a small sample. Benchmarks are appended to
docs/benchmarks.md by `python -m benchmarks --write`.

More arguments are pytest's: what to run, or how. `--page REPORT...` writes the page from reports of earlier runs (JUnit
XML, each of a part of the campaigns) at this commit, and runs nothing.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final
from xml.etree import ElementTree  # noqa: ICN001  (a whole word)

ROOT: Final = Path(__file__).resolve().parent.parent
PAGE: Final = ROOT / "docs" / "reliability.md"


def main() -> int:
    """Run, write the page, and return pytest's exit code."""
    if sys.argv[1:2] == ["--page"]:
        PAGE.write_text(page([Path(report) for report in sys.argv[2:]], os.cpu_count() or 1), encoding="utf-8")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "campaign.xml"
        arguments = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-n",
            "2",
            "-m",
            "campaign",
            f"--junitxml={report}",
            *sys.argv[1:],
        ]
        code = subprocess.run(
            arguments, cwd=ROOT, env={**os.environ, "UNLOST_CAMPAIGN": "full"}, check=False
        ).returncode
        PAGE.write_text(page([report], os.cpu_count() or 1), encoding="utf-8")
    print(f"written: {PAGE.relative_to(ROOT)}")
    return code


def page(reports: Sequence[Path], processors: int) -> str:
    """The page made from reports of pytest."""
    commit = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.strip()
    lines = [
        "# Reliability",
        "",
        "What the long campaigns found, written by `make campaign`. Each row is a test that must hold;",
        "`make test-all` runs the same tests at a small sample.",
        "",
        f"Commit {commit or 'unknown'}, {datetime.now(UTC).date().isoformat()}.",
        f"Python {sys.version.split()[0]}, {sys.platform}, {processors} processors.",
        "",
        "| what must be true | counted | outcome | seconds |",
        "| --- | --- | --- | --- |",
    ]
    trials: dict[str, list[ElementTree.Element]] = {}
    for case in (case for report in reports for case in _cases(report)):
        trials.setdefault(_properties(case).get("sentence", case.get("name", "")), []).append(case)
    for sentence, cases in sorted(trials.items()):
        seconds = sum(float(case.get("time", "0")) for case in cases)
        lines.append(f"| {sentence} | {_counted(cases)} | {_outcome(cases)} | {seconds:.0f} |")
    return "\n".join(lines) + "\n"


def _cases(report: Path) -> Iterator[ElementTree.Element]:
    # The file was written by our own pytest.
    yield from ElementTree.parse(report).getroot().iter("testcase")  # noqa: S314


def _properties(case: ElementTree.Element) -> dict[str, str]:
    return {each.get("name", ""): each.get("value", "") for each in case.iter("property")}


def _counted(cases: list[ElementTree.Element]) -> str:
    """How many trials there were, and the sum of each number that they recorded."""
    sums: dict[str, int] = {}
    for case in cases:
        for name, value in _properties(case).items():
            if value.isdigit():
                sums[name] = sums.get(name, 0) + int(value)
    return ", ".join([f"trials {len(cases)}", *(f"{name} {total}" for name, total in sums.items())])


def _outcome(cases: list[ElementTree.Element]) -> str:
    failed = sum(case.find("failure") is not None or case.find("error") is not None for case in cases)
    skipped = sum(case.find("skipped") is not None for case in cases)
    if failed:
        return f"**{failed} failed**"
    return f"held, {skipped} skipped" if skipped else "held"


if __name__ == "__main__":
    sys.exit(main())
