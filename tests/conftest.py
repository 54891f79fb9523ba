"""Every test runs in an environment of its own: no home folder, no git configuration, no state home of the person."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from kit.campaign import FULL
from kit.program import Program
from kit.repository import Repository

GIT_ENVIRONMENT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "A Person",
    "GIT_AUTHOR_EMAIL": "person@example.org",
    "GIT_AUTHOR_DATE": "2026-01-02T03:04:05Z",
    "GIT_COMMITTER_NAME": "A Person",
    "GIT_COMMITTER_EMAIL": "person@example.org",
    "GIT_COMMITTER_DATE": "2026-01-02T03:04:05Z",
    "LC_ALL": "C.UTF-8",
}
UNWANTED = (
    *("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_CONFIG_PARAMETERS", "GIT_CONFIG_GLOBAL", "XDG_CONFIG_HOME"),
    *("XDG_STATE_HOME", "UNLOST_LEDGER", "UNLOST_STORE", "UNLOST_TEMPORAL", "UNLOST_PLACE", "UNLOST_ATTEMPT"),
    *("UNLOST_CRASH_AT", "NO_COLOR", "FORCE_COLOR"),
)

# How long an example takes is the machine's affair, and each run of the suite draws the same ones: UNLOST_CAMPAIGN=full
# draws new ones.
settings.register_profile(
    "unlost", deadline=None, derandomize=not FULL, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("unlost")


@pytest.fixture(autouse=True, scope="session")
def signals_are_heard() -> None:
    """A suite that was started in the background, or by nohup, hands its ignored signals on to all that it starts."""
    for number, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, handler)


@pytest.fixture(autouse=True)
def hermetic_environment(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """A home folder and a state home in a temporary folder; git knows no configuration but the repository's."""
    folder = tmp_path_factory.mktemp("machine")
    (folder / "home").mkdir()
    for name in UNWANTED:
        monkeypatch.delenv(name, raising=False)
    for name, value in GIT_ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("HOME", str(folder / "home"))
    monkeypatch.setenv("UNLOST_HOME", str(folder / "state"))


@pytest.fixture(autouse=True)
def sentence_of_a_campaign(request: pytest.FixtureRequest, record_property: Callable[[str, object], None]) -> None:
    """A campaign's report carries the sentence that must be true."""
    if request.node.get_closest_marker("campaign"):
        record_property("sentence", (request.function.__doc__ or request.node.name).strip().splitlines()[0])


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """A real repository with one commit: `main.rs`, `lib.rs` and `docs/notes.md`."""
    made = Repository.create(tmp_path / "repository")
    made.write("main.rs", "fn main() {\n    legacy_parse();\n}\n")
    made.write("lib.rs", "pub fn legacy_parse() {}\n")
    made.write("docs/notes.md", "# Notes\n")
    made.commit("first")
    return made


@pytest.fixture
def program(repository: Repository) -> Program:
    """The installed program, started in the repository."""
    return Program(folder=repository.root)
