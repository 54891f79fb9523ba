"""A supervisor whose workspace another writer took over while its agent worked."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from app.supervising import Bench
from kit.ground import eventually

from unlost.facts.errors import SupersededWriter
from unlost.workspace.epochs import raise_epoch

EDIT = "    echo '- more' >>docs/notes.md"


@pytest.mark.slow
def test_an_overtaken_supervisor_records_nothing_more(bench: Bench, tmp_path: Path) -> None:
    """Decision 11: taken over while its agent works, it adds no boundary, no outcome and no attempt: exit 75."""
    started, overtaken = tmp_path / "started", tmp_path / "overtaken"
    wait = f"    touch '{started}'; while [ ! -e '{overtaken}' ]; do sleep 0.1; done\n{EDIT}"
    work = bench.work({"wait": wait, "never": EDIT})
    raised: list[SupersededWriter] = []

    def run() -> None:
        with pytest.raises(SupersededWriter) as caught:
            bench.run(work)
        raised.append(caught.value)

    runner = threading.Thread(target=run)
    runner.start()
    eventually(lambda: started.exists() or not runner.is_alive())
    assert started.exists()
    with bench.supervisor() as supervisor:
        ledger, workspace = supervisor.ledger, supervisor.place.workspace
        streams = {name: ledger.read(name) for name in (workspace, *ledger.streams("u-"))}
        raise_epoch(ledger, workspace, holder="another", purpose="move", place="elsewhere", root_digest="0" * 64)
        overtaken.touch()
        runner.join(240)

        assert [error.exit_code for error in raised] == [75]
        assert {name: ledger.read(name) for name in streams} == streams
    assert work.attempts() == ["wait"]
    assert b"- more" in bench.repository.read("docs/notes.md"), "what the agent made stays"
