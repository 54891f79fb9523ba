"""What every ledger adapter must do."""

from __future__ import annotations

import pytest
from kit.hand_clock import HandClock
from ledger.conftest import ADAPTERS, OpenLedger

from unlost.ledger.events import NewEvent
from unlost.ledger.protocol import Fence, FencedOut, KeyTaken, Ledger, StreamMoved

pytestmark = pytest.mark.parametrize("url", ADAPTERS, indirect=True)


def test_events_come_back_as_they_were_recorded(ledger: Ledger, clock: HandClock, reopen: OpenLedger) -> None:
    """What append returned is what every later reader gets: order, time, facts, digest."""
    facts = {"path": "a\u202eb\n", "bytes": {"bytes": "gA=="}, "n": [1, 2.5, None, True]}
    first = ledger.append("u-1", [NewEvent(kind="unit.admitted", key="admitted", facts=facts, version=3)])
    clock.wait(0.123456)
    second = ledger.append("u-1", [NewEvent(kind="unit.stopped", key="stopped", body=b"\x00why")])

    stored = reopen().read("u-1")

    assert first + second == stored
    assert [event.sequence for event in stored] == [1, 2]
    assert facts == stored[0].facts
    assert stored[1].at - stored[0].at == pytest.approx(0.123456)
    assert stored[1:] == ledger.read("u-1", after=1)
    assert () == ledger.read("u-1", after=2) == ledger.read("u-1", after=99) == ledger.read("u-unknown")


def test_the_same_event_twice_is_recorded_once(ledger: Ledger, clock: HandClock) -> None:
    """Decision 12: appending an event again under its key returns the stored one, so a retry is harmless."""
    new = NewEvent(kind="attempt.intended", key="attempt 1", facts={"n": 1}, body=b"prompt")
    stored = ledger.append("u-1", [new])
    clock.wait(60)

    assert stored == ledger.append("u-1", [new], expect=0)
    assert stored == ledger.read("u-1")


@pytest.mark.parametrize(
    "other",
    [
        NewEvent(kind="attempt.intended", key="attempt 1", facts={"n": 2}, body=b"prompt"),
        NewEvent(kind="attempt.ended", key="attempt 1", facts={"n": 1}, body=b"prompt"),
        NewEvent(kind="attempt.intended", key="attempt 1", facts={"n": 1}, body=b"other"),
        NewEvent(kind="attempt.intended", key="attempt 1", facts={"n": 1}, body=b"prompt", version=2),
    ],
    ids=["facts", "kind", "body", "version"],
)
def test_a_key_says_one_thing(ledger: Ledger, other: NewEvent) -> None:
    """Another content under a taken key is refused, and nothing of its batch is recorded."""
    stored = ledger.append("u-1", [NewEvent(kind="attempt.intended", key="attempt 1", facts={"n": 1}, body=b"prompt")])

    with pytest.raises(KeyTaken, match="attempt 1"):
        ledger.append("u-1", [NewEvent(kind="x", key="before"), other])

    assert stored == ledger.read("u-1")


def test_a_stream_that_went_on_is_noticed(ledger: Ledger) -> None:
    """With `expect`, an event decided from an older state is refused and nothing is recorded."""
    ledger.append("u-1", [NewEvent(kind="x", key="1")], expect=0)

    with pytest.raises(StreamMoved):
        ledger.append("u-1", [NewEvent(kind="x", key="2")], expect=0)
    ledger.append("u-1", [NewEvent(kind="x", key="2"), NewEvent(kind="x", key="3")], expect=1)

    assert [event.key for event in ledger.read("u-1")] == ["1", "2", "3"]


def test_keys_are_unique_per_stream_only(ledger: Ledger) -> None:
    """Two streams may use the same key; each has its own sequence."""
    ledger.append("u-2", [NewEvent(kind="x", key="k")])
    ledger.append("u-1", [NewEvent(kind="x", key="k")])
    ledger.append("w-1", [NewEvent(kind="x", key="k")])

    assert ledger.streams() == ("u-2", "u-1", "w-1")
    assert ledger.streams("u-") == ("u-2", "u-1")
    assert [ledger.read(stream)[0].sequence for stream in ("u-1", "u-2")] == [1, 1]


def test_bodies_are_private_and_whole(ledger: Ledger, reopen: OpenLedger) -> None:
    """Decision 7: the exact bytes are kept apart from public facts; the event carries sha256 and size."""
    body = bytes(range(256)) * 5000
    with_body, without, empty = ledger.append(
        "u-1",
        [NewEvent(kind="x", key="1", body=body), NewEvent(kind="x", key="2"), NewEvent(kind="x", key="3", body=b"")],
    )

    assert body == reopen().body("u-1", 1)
    assert len(body) == with_body.body_size
    assert without.body_digest is None is ledger.body("u-1", 2)
    assert ledger.body("u-1", 3) == b""
    assert empty.body_size == 0
    assert ledger.body("u-1", 9) is None


def test_facts_must_be_json(ledger: Ledger) -> None:
    """What JSON cannot hold is refused, and nothing is recorded."""
    for wrong in ({"n": float("nan")}, {"n": b"bytes"}):
        with pytest.raises(ValueError, match=r"JSON"):
            ledger.append("u-1", [NewEvent(kind="x", key="ok"), NewEvent(kind="x", key="1", facts=wrong)])

    assert not ledger.read("u-1")
    assert not ledger.streams()


def test_a_writer_that_was_overtaken_appends_nothing(ledger: Ledger) -> None:
    """Decision 11: once the fence's stream went on nothing is recorded under it; what was before is answered again."""
    ledger.append("epochs-w-1", [NewEvent(kind="epoch", key="1")])
    fence = Fence(stream="epochs-w-1", length=1)
    first = ledger.append("u-1", [NewEvent(kind="x", key="1")], fence=fence)
    ledger.append("epochs-w-1", [NewEvent(kind="epoch", key="2")], expect=1)

    with pytest.raises(FencedOut) as caught:
        ledger.append("u-1", [NewEvent(kind="x", key="2")], expect=1, fence=fence)

    assert caught.value.exit_code == 75
    assert first == ledger.append("u-1", [NewEvent(kind="x", key="1")], fence=fence) == ledger.read("u-1")
