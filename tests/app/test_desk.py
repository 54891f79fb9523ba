"""The desk of an attempt over a real workspace."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from kit.program import Program
from kit.repository import Repository

from unlost.app.desk import AttemptDesk
from unlost.attempt.outbox import read_outbox
from unlost.mcp_server.desk import Refused
from unlost.settings import read_settings


@pytest.fixture
def desk(repository: Repository, tmp_path: Path) -> AttemptDesk:
    (tmp_path / "outbox").mkdir()
    return AttemptDesk(
        outbox=str(tmp_path / "outbox"), root=str(repository.root), settings=read_settings(), may_restore=True
    )


def test_what_is_handed_in_is_in_the_outbox(desk: AttemptDesk) -> None:
    """A handoff and a report come to lie where the supervisor reads them, and a second one replaces the first."""
    handoff = {"task": "t", "iteration_cap": 5, "remaining_steps": ["delete it"], "source": "handoff"}
    desk.hand_in("handoff", {**handoff, "notes": "first"})
    desk.hand_in("handoff", handoff)
    desk.hand_in("report", {"outcome": "no_change", "reason": "it is done already"})
    assert desk.outbox is not None
    returned = read_outbox(desk.outbox)

    assert returned.handoff is not None
    assert json.loads(returned.handoff) == handoff
    assert returned.report is not None
    assert returned.report.outcome == "no_change"


def test_what_is_wrong_is_told_and_not_kept(desk: AttemptDesk) -> None:
    """Every fault of a handoff, a brief or a report is named to the agent."""
    for matter in ("handoff", "brief", "report"):
        with pytest.raises(Refused) as caught:
            desk.hand_in(matter, {"outcome": "perfect", "task": ""})
        assert str(caught.value)
    assert desk.outbox is not None
    assert read_outbox(desk.outbox).handoff is None


def test_findings_are_judged_when_they_are_handed_in(desk: AttemptDesk) -> None:
    """R.20: findings that break a rule are refused by place; whole ones lie in the outbox, the later ones alone."""
    good = {"file": "a.py", "lines": [1, 2], "severity": "error", "what": "Wrong.", "why": "Because."}
    with pytest.raises(Refused, match=r"findings\[0\]\.file"):
        desk.hand_in("findings", {"findings": [{**good, "file": "../a"}]})
    desk.hand_in("findings", {"findings": [good]})
    desk.hand_in("findings", {"findings": []})
    assert desk.outbox is not None
    returned = read_outbox(desk.outbox)

    assert returned.findings is not None
    assert json.loads(returned.findings) == {"findings": []}


def test_a_lost_path_can_be_brought_back(desk: AttemptDesk, program: Program, repository: Repository) -> None:
    """What is lost is told, and comes back byte for byte; what is not lost is not touched."""
    repository.write("main.rs", "hours of work\n")
    program("mark")
    repository.git("checkout", "--", "main.rs")

    assert desk.status() == 'earlier work: 0 standing, 1 lost\nlost: "main.rs" (reverted)'
    with pytest.raises(Refused, match="is not lost"):
        desk.restore("lib.rs")
    assert desk.restore("main.rs") == '"main.rs" is back as it was last seen'
    assert repository.read("main.rs") == b"hours of work\n"
    assert desk.status() == "earlier work: 1 standing, 0 lost"


def test_research_restores_nothing(repository: Repository, tmp_path: Path) -> None:
    """A researcher works apart from the tree, and cannot change it through us."""
    desk = AttemptDesk(outbox=str(tmp_path), root=str(repository.root), settings=read_settings(), may_restore=False)

    with pytest.raises(Refused, match="changes nothing"):
        desk.restore("main.rs")


def test_the_tools_come_over_stdio_too(program: Program, repository: Repository) -> None:
    """`unlost mcp` answers line by line until the client hangs up; outside of attempts nothing can be handed in."""
    repository.write("main.rs", "hours of work\n")
    program("mark")
    calls: list[tuple[str, dict[str, object]]] = [
        ("initialize", {"protocolVersion": "2025-06-18"}),
        ("tools/call", {"name": "work_status", "arguments": {}}),
        ("tools/call", {"name": "ask_human", "arguments": {"question": "Which?"}}),
    ]
    said = [{"jsonrpc": "2.0", "id": at, "method": method, "params": given} for at, (method, given) in enumerate(calls)]
    lines = [json.dumps(each) for each in [*said, {"jsonrpc": "2.0", "method": "notifications/initialized"}]]
    first, status, asked = map(json.loads, program("mcp", stdin="\n".join(lines) + "\n").out.splitlines())

    assert first["result"]["serverInfo"]["name"] == "unlost"
    assert status["result"]["content"][0]["text"] == "earlier work: 1 standing, 0 lost"
    assert asked["result"]["isError"] is True
    assert "no attempt" in asked["result"]["content"][0]["text"]
