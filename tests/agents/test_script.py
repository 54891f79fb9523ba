from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from unlost.agents.command import Command
from unlost.agents.protocol import AgentSettings, Errand
from unlost.agents.registry import open_agent
from unlost.agents.script import Occasion, parse_script
from unlost.facts.errors import FileInvalid, UsageError

ERRAND = Errand(attempt="a", number=1, unit="u", step="code", task="t", prompt=b"", root="/", outbox="/", folder="/")


def play(folder: Path, script: str, *, task: str = "one", number: int = 1) -> subprocess.CompletedProcess[str]:
    """Run a script as the adapter would launch it, in a folder `tree`."""
    path = folder / "steps.toml"
    path.write_text(script, encoding="utf-8")
    for name in ("tree", "outbox"):
        (folder / name).mkdir(exist_ok=True)
    argv = open_agent("scripted", AgentSettings(script=str(path))).launch(ERRAND).argv
    occasion = {"UNLOST_TASK": task, "UNLOST_ATTEMPT_NUMBER": str(number), "UNLOST_STEP": "code"}
    environment = {"PATH": "/usr/bin:/bin", "UNLOST_OUTBOX": str(folder / "outbox"), **occasion}
    return subprocess.run(
        argv, cwd=folder / "tree", env=environment, capture_output=True, text=True, check=False, timeout=240
    )


EVERY_STEP = """
[[step]]
do = "write"
path = "a/b.txt"
text = "one\\ntwo\\n"
executable = true
[[step]]
do = "edit"
path = "a/b.txt"
before = "two"
after = "three"
[[step]]
do = "write"
path = "gone/x"
text = ""
[[step]]
do = "delete"
path = "gone"
[[step]]
do = "shell"
run = "echo shell >> log.txt"
[[step]]
do = "git"
args = ["init", "-q"]
[[step]]
do = "wait_for"
path = ".git/HEAD"
[[step]]
do = "shell"
run = ["false"]
may_fail = true
[[step]]
do = "handoff"
value = { task = "one" }
[[step]]
do = "research"
value = "not json at all"
[[step]]
do = "ask"
question = "Which one?"
[[step]]
do = "exit"
code = 7
[[step]]
do = "write"
path = "never"
text = ""
"""


def test_every_step_does_what_it_says(tmp_path: Path) -> None:
    """Each kind of step leaves its trace in the tree or the outbox, and nothing is played after `exit`."""
    done = play(tmp_path, EVERY_STEP)

    tree = tmp_path / "tree"
    assert done.returncode == 7, done.stderr
    assert (tree / "a" / "b.txt").read_text(encoding="utf-8") == "one\nthree\n"
    assert (tree / "a" / "b.txt").stat().st_mode & 0o111
    assert sorted(path.name for path in tree.iterdir()) == [".git", "a", "log.txt"]
    outbox = {path.name: path.read_text(encoding="utf-8") for path in (tmp_path / "outbox").iterdir()}
    assert outbox == {
        "handoff.json": '{"task": "one"}',
        "brief.json": "not json at all",
        "report.json": '{"outcome": "blocked", "reason": "Which one?", "paths": []}',
    }


@pytest.mark.parametrize(
    ("task", "number", "said"),
    [
        ("one", 1, ["everywhere", "first of one"]),
        ("one", 3, ["everywhere", "later"]),
        ("two", 2, ["everywhere", "later"]),
    ],
)
def test_one_script_serves_a_whole_plan(tmp_path: Path, task: str, number: int, said: list[str]) -> None:
    """`only` picks steps by task, attempt and step, each a value or a list; all must fit."""
    script = """
        [[step]]
        do = "say"
        text = "everywhere"
        [[step]]
        do = "say"
        text = "first of one"
        only = { task = "one", attempt = 1, step = "code" }
        [[step]]
        do = "say"
        text = "later"
        only = { attempt = [2, 3] }
        [[step]]
        do = "say"
        text = "in review"
        only = { step = "review" }
    """
    done = play(tmp_path, script, task=task, number=number)

    heard = [Command(()).listen(line.encode(), 0).events[0] for line in done.stdout.splitlines()]
    assert [getattr(event, "text", None) for event in heard] == said


def test_crash_is_a_signal(tmp_path: Path) -> None:
    """A `crash` step ends the agent by SIGKILL, or by the signal it names."""
    assert play(tmp_path, '[[step]]\ndo = "crash"').returncode == -9
    assert play(tmp_path, '[[step]]\ndo = "crash"\nsignal = 11').returncode == -11


@pytest.mark.parametrize(
    "step",
    [
        'do = "edit"\npath = "missing"\nbefore = "a"\nafter = "b"',
        'do = "delete"\npath = "missing"',
        'do = "shell"\nrun = "exit 3"',
        'do = "wait_for"\npath = "missing"\nseconds = 0.01',
    ],
)
def test_step_that_cannot_be_done_fails_the_agent(tmp_path: Path, step: str) -> None:
    """A script that went on after a step that failed would prove nothing."""
    done = play(tmp_path, f'[[step]]\n{step}\n[[step]]\ndo = "say"\ntext = "on and on"')

    assert done.returncode == 1
    assert "step 1" in done.stderr
    assert "on and on" not in done.stdout


def test_every_fault_of_a_script_is_named() -> None:
    """A script with faults is refused with all of them at once, each with its step."""
    script = b"""
        title = "no such key"
        [[step]]
        do = "dance"
        [[step]]
        do = "write"
        path = 5
        colour = "red"
        only = { task = 1, weekday = "monday" }
        on = "sunday"
    """
    with pytest.raises(FileInvalid) as caught:
        parse_script(script, name="steps.toml")

    faults = [problem.what for problem in caught.value.problems]
    assert [fault.partition(":")[0] for fault in faults[1:]] == ["step 1", *["step 2"] * 6]
    assert "unknown key 'title'" in faults[0]


@pytest.mark.parametrize("data", [b"\xff", b"[[step", b"step = 1", b"[[step]]\n"])
def test_what_is_no_script_is_refused(data: bytes) -> None:
    """Bytes that are no TOML, or TOML of another shape, are FileInvalid."""
    with pytest.raises(FileInvalid):
        parse_script(data, name="steps.toml")


def test_truth_is_no_number() -> None:
    """`attempt = true` is refused: in Python it would fit attempt 1."""
    with pytest.raises(FileInvalid):
        parse_script(b'[[step]]\ndo = "exit"\nonly = { attempt = true }', name="steps.toml")


def test_step_without_filter_fits_everything() -> None:
    """A step without `only` is played on every occasion."""
    (step,) = parse_script(b'[[step]]\ndo = "exit"', name="steps.toml")

    assert step.fits(Occasion(task="any", attempt=9, step="repair"))


def test_settings_that_cannot_be_used() -> None:
    """An adapter without what it needs, and a name that no adapter has, are usage errors with a hint."""
    for name, settings in (
        ("command", AgentSettings()),
        ("scripted", AgentSettings()),
        ("scripted", AgentSettings(script="/nonexistent/steps.toml")),
        ("robot", AgentSettings()),
    ):
        with pytest.raises(UsageError) as caught:
            open_agent(name, settings)
        assert caught.value.hint


def test_program_needs_no_installed_package(tmp_path: Path) -> None:
    """The scripted agent starts isolated: a module in the work tree that it runs in changes nothing."""
    (tmp_path / "tree").mkdir()
    for trap in ("json.py", "tomllib.py", "unlost.py"):
        (tmp_path / "tree" / trap).write_text("raise SystemExit(99)", encoding="utf-8")

    done = play(tmp_path, '[[step]]\ndo = "exit"\ncode = 5')

    assert done.returncode == 5
