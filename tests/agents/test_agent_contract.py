"""What every adapter must keep: each runs a real agent through the same attempts.

A new adapter adds one line to ADAPTERS: how to make it do each of the DEEDS.
"""

from __future__ import annotations

import json
import secrets
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from kit import acp_program, vendor_programs
from kit.ground import Audience, fast

from unlost.agents.protocol import Agent, AgentSettings, Ended, Errand, Said, Started, ToolCall, Usage
from unlost.agents.registry import AGENTS, open_agent
from unlost.attempt.facts import AttemptEnd, AttemptRequest
from unlost.attempt.prepare import folders
from unlost.attempt.run import run
from unlost.host.clock import SystemClock
from unlost.host.environment import passed_environment

DEEDS = ("edits", "fails", "reports", "is told to end")


def command_line(deed: str, folder: Path) -> AgentSettings:
    """A shell script for a deed."""
    lines = {
        "edits": """
            cat > /dev/null
            echo '{"type": "started", "session": "s-1"}'
            echo plain words
            echo '{"type": "tool", "id": "1", "name": "edit"}'
            echo changed > file.txt
            echo '{"type": "usage", "tokens": 12, "cost_usd": 0.5}'
            echo '{"outcome": "completed"}' > "$UNLOST_OUTBOX/report.json"
        """,
        "fails": "exit 4",
        "reports": """
            echo '{"type": "ended", "error": "no credit"}'
        """,
        "is told to end": """
            trap 'echo "{}" > "$UNLOST_OUTBOX/handoff.json"; exit 0' INT
            echo '{"type": "tool", "name": "edit"}'; echo '{"type": "tool", "name": "edit"}'
            while :; do sleep 0.02; done
        """,
    }
    return AgentSettings(command=("/bin/sh", "-c", lines[deed]))


def script(deed: str, folder: Path) -> AgentSettings:
    """The steps for a deed."""
    steps: Mapping[str, list[dict[str, object]]] = {
        "edits": [
            {"do": "say", "text": "plain words"},
            {"do": "write", "path": "file.txt", "text": "changed\n"},
            {"do": "usage", "tokens": 12, "cost_usd": 0.5},
            {"do": "report", "outcome": "completed"},
        ],
        "fails": [{"do": "exit", "code": 4}],
        "reports": [{"do": "edit", "path": "file.txt", "before": "not in there", "after": ""}],
        "is told to end": [
            {"do": "tool", "times": 2},
            {"do": "wait_for", "path": "never"},
            {"do": "handoff", "value": {}, "on": "cancel"},
        ],
    }
    path = folder / "steps.toml"
    path.write_text("\n".join("[[step]]\n" + _toml(step) for step in steps[deed]), encoding="utf-8")
    return AgentSettings(script=str(path))


def acp(deed: str, folder: Path) -> AgentSettings:
    """A stand-in that speaks ACP."""
    return AgentSettings(command=(sys.executable, acp_program.__file__, deed))


def claude(deed: str, folder: Path) -> AgentSettings:
    """A stand-in for Claude Code."""
    vendor_programs.install(folder / "bin", "claude", *vendor_programs.CLAUDE_DEEDS[deed])
    return AgentSettings()


def codex(deed: str, folder: Path) -> AgentSettings:
    """A stand-in for Codex."""
    vendor_programs.install(folder / "bin", "codex", *vendor_programs.CODEX_DEEDS[deed])
    return AgentSettings()


def opencode(deed: str, folder: Path) -> AgentSettings:
    """A stand-in for opencode."""
    return _named("opencode", deed, folder)


def gemini(deed: str, folder: Path) -> AgentSettings:
    """A stand-in for Gemini CLI."""
    return _named("gemini", deed, folder)


def _named(program: str, deed: str, folder: Path) -> AgentSettings:
    """The stand-in that speaks ACP, under a vendor's name."""
    script = folder / "bin" / program
    script.parent.mkdir(exist_ok=True)
    script.write_text(f"#!/bin/sh\nexec {sys.executable} {acp_program.__file__} '{deed}'\n", encoding="utf-8")
    script.chmod(0o755)
    return AgentSettings()


ADAPTERS: Mapping[str, Callable[[str, Path], AgentSettings]] = {
    "acp": acp,
    "claude": claude,
    "codex": codex,
    "command": command_line,
    "gemini": gemini,
    "opencode": opencode,
    "scripted": script,
}
TELLS_NO_PRICE = {"codex"}
TELLS_NO_TOKENS = {"opencode"}


@dataclass(frozen=True)
class Scene:
    """A root and a workspace's folder for one adapter."""

    name: str
    folder: Path
    attempt: str

    def adapter(self, deed: str) -> Agent:
        return open_agent(self.name, ADAPTERS[self.name](deed, self.folder))

    def errand(self) -> Errand:
        made = folders(str(self.folder / "workspace"), self.attempt)
        return Errand(
            attempt=self.attempt,
            number=1,
            unit="u-1",
            step="code",
            task="t",
            prompt=b"do it",
            root=str(self.folder / "root"),
            outbox=made.outbox,
            folder=made.private,
        )

    def run(self, deed: str, **caps: float) -> tuple[AttemptEnd, Audience]:
        audience = Audience()
        request = AttemptRequest(
            workspace_folder=str(self.folder / "workspace"),
            errand=self.errand(),
            agent=self.adapter(deed),
            environment=passed_environment(),
            caps=fast(**caps),
        )
        return run(request, audience, SystemClock()), audience


@pytest.fixture(params=sorted(AGENTS))
def scene(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scene:
    """Every adapter of the registry; the stand-ins for vendors' programs come first on PATH."""
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{passed_environment()['PATH']}")
    for name in ("root", "workspace"):
        (tmp_path / name).mkdir()
    (tmp_path / "root" / "file.txt").write_text("as it was\n", encoding="utf-8")
    # Processes are found by the mark of their attempt on the whole machine: no two tests share one.
    return Scene(name=request.param, folder=tmp_path, attempt=f"contract-{secrets.token_hex(4)}")


def test_every_adapter_is_in_the_contract() -> None:
    """An adapter of the registry that no contract test runs does not exist."""
    assert set(ADAPTERS) == set(AGENTS)


def test_an_edit_is_told_and_done(scene: Scene) -> None:
    """A run that goes well: the tree is changed, the events are typed, usage and report arrive, no error end."""
    end, audience = scene.run("edits")

    kinds = {type(event) for event in audience.events}
    assert {Said, ToolCall, Usage} <= kinds <= {Said, ToolCall, Usage, Started, Ended}
    assert (scene.folder / "root" / "file.txt").read_text(encoding="utf-8") == "changed\n"
    assert (end.reason, end.error, end.turns) == ("exited", None, 1)
    assert end.usage == Usage(
        tokens=None if scene.name in TELLS_NO_TOKENS else 12,
        cost_usd=None if scene.name in TELLS_NO_PRICE else 0.5,
    )
    assert end.returned.report is not None
    assert end.returned.report.outcome == "completed"


def test_a_bad_exit_is_an_error_end(scene: Scene) -> None:
    """An agent that leaves with another code than 0 has an error end."""
    end, _ = scene.run("fails")

    assert (end.reason, end.exit_code, end.error) == ("exited", 4, "exit code 4")


def test_a_named_error_is_an_error_end(scene: Scene) -> None:
    """An error that the agent itself names is the error of its end, whatever its exit code."""
    end, _ = scene.run("reports")

    assert end.reason == "exited"
    assert end.error
    assert "exit code" not in end.error


def test_told_to_end_it_hands_over(scene: Scene) -> None:
    """H.3: at a cap the agent is asked to end in the way its adapter names, and can hand over first."""
    end, _ = scene.run("is told to end", turns=1, grace=300.0)

    assert end.reason == "turns"
    assert end.returned.handoff is not None
    assert json.loads(end.returned.handoff) == {}
    assert end.seconds < 300


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"\xff\xfe",
        b"{",
        b"{}",
        b"[" * 100_000,
        b'{"type": []}',
        b'{"type": "tool", "id": {}, "name": 1}',
        b'{"type": "usage", "tokens": -1e999, "cost_usd": NaN}',
        b'{"type": "usage", "tokens": true, "cost_usd": "free"}',
        b'{"type": "ended", "error": 5}',
    ],
)
def test_no_line_of_an_agent_breaks_its_adapter(scene: Scene, line: bytes) -> None:
    """Whatever an agent prints is an event or something said; no number of it is absurd, and no end is invented."""
    adapter = scene.adapter("edits")
    adapter.launch(scene.errand())

    for event in adapter.listen(line, 0).events:
        if isinstance(event, Usage):
            assert event == Usage()
    assert adapter.conclude(0) == scene.adapter("edits").conclude(0)


def _toml(step: Mapping[str, object]) -> str:
    # A JSON scalar or empty table is a TOML value as well.
    return "\n".join(f"{key} = {json.dumps(value)}" for key, value in step.items()) + "\n"
