"""What every way to a place must hold: the same suite over local, ssh (a real sshd) and command."""

from __future__ import annotations

import hashlib
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kit.sshd import running_sshd

from unlost.facts.errors import UsageError
from unlost.workspace.ports import Done, Transport, Unreachable
from unlost.workspace.transports.carrying import PIECE, Carrier, TransferFailed, porter_there
from unlost.workspace.transports.registry import TRANSPORTS, open_transport
from unlost.workspace.transports.targets import Target, read_target


@pytest.fixture(scope="module")
def server() -> Iterator[Any]:
    """The sshd of this module."""
    with running_sshd() as running:
        yield running


@pytest.fixture(params=["local", "command", pytest.param("ssh", marks=pytest.mark.service)])
def transport(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Transport]:
    """Each way to this very machine."""
    if request.param == "ssh":
        server = request.getfixturevalue("server")
        monkeypatch.setenv("UNLOST_SSH", server.client)
        target = read_target(server.url("/root"), folder="/")
    else:
        prefix = ("env", "-i", "PATH=/usr/local/bin:/usr/bin:/bin") if request.param == "command" else ()
        target = read_target("/root", folder="/", prefix=prefix)
    # Short, so that the shared connection's socket fits.
    with tempfile.TemporaryDirectory(prefix="unlost-") as state_home:
        opened = open_transport(target, state_home=state_home)
        yield opened
        opened.close()


def say_nothing(_: str) -> None:
    """Nobody watches."""


def test_every_adapter_is_in_this_suite() -> None:
    """A way to a place that no contract test runs does not exist."""
    assert set(TRANSPORTS) == {"local", "ssh", "command"}


def test_arguments_arrive_exactly(transport: Transport) -> None:
    """No shell on the way reads an argument: quotes, newlines, globs, substitutions, options, non-ASCII arrive."""
    hostile = ("a b", "'", '"', "$(touch /tmp/x)", "`id`", "\\", "*", "~", "-n", "--", "", "x\ny", "ü;|&<>#!", "%s")

    done = transport.run((transport.python, "-I", "-c", "import sys, json; print(json.dumps(sys.argv[1:]))", *hostile))

    assert done.ok, done.stderr
    assert json.loads(done.stdout) == list(hostile)


def test_streams_and_exit_code_come_back(transport: Transport) -> None:
    """Standard input is fed whole, both streams and the exit code come back apart."""
    code = "import sys; d = sys.stdin.buffer.read(); print(len(d)); print('told', file=sys.stderr); sys.exit(7)"

    done = transport.run((transport.python, "-I", "-c", code), stdin=b"\0" * 300_000)

    assert (done.exit_code, done.stdout.strip(), done.stderr.strip()[-4:]) == (7, b"300000", b"told")


def test_output_is_bounded(transport: Transport) -> None:
    """A place that talks without end fills no memory here."""
    done = transport.run((transport.python, "-I", "-c", "print('x' * 3000000)"), output_limit=1 << 16)

    assert len(done.stdout) < 1 << 17


@pytest.mark.parametrize("size", [0, 1, PIECE + 17])
def test_a_file_travels_both_ways(transport: Transport, tmp_path: Path, size: int) -> None:
    """Bytes arrive as they were, under their name alone, readable for the owner only."""
    data = os.urandom(size)
    source, there, back = tmp_path / "source", tmp_path / "there" / "it's $here", tmp_path / "back"
    source.write_bytes(data)

    transport.send(str(source), str(there), say_nothing)
    transport.receive(str(there), str(back), say_nothing)

    assert there.read_bytes() == back.read_bytes() == data
    assert there.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in there.parent.iterdir()] == ["it's $here"]


def test_what_a_cut_left_is_gone_on_with(transport: Transport, tmp_path: Path) -> None:
    """A transfer that was cut goes on where it was, in both directions; the part is named by its content."""
    data = os.urandom(PIECE + 1000)
    digest = hashlib.sha256(data).hexdigest()
    source, there, back = tmp_path / "source", tmp_path / "there", tmp_path / "back"
    source.write_bytes(data)
    (tmp_path / f"there.{digest[:32]}.part").write_bytes(data[:PIECE])
    (tmp_path / f"back.{digest[:32]}.part").write_bytes(data[:PIECE])
    told: list[str] = []

    transport.send(str(source), str(there), told.append)
    transport.receive(str(there), str(back), told.append)

    assert there.read_bytes() == back.read_bytes() == data
    assert told == ["sending 8 of 8 MiB", "receiving 8 of 8 MiB"]


def test_a_part_with_other_bytes_is_thrown_away(transport: Transport, tmp_path: Path) -> None:
    """A damaged part never becomes the file: it is sent anew."""
    data = os.urandom(5000)
    digest = hashlib.sha256(data).hexdigest()
    source, there = tmp_path / "source", tmp_path / "there"
    source.write_bytes(data)
    (tmp_path / f"there.{digest[:32]}.part").write_bytes(b"x" * 4000)

    transport.send(str(source), str(there), say_nothing)

    assert there.read_bytes() == data


def test_a_link_in_the_place_of_a_part_is_not_followed(transport: Transport, tmp_path: Path) -> None:
    """Nothing is written through a link that waits under the part's name."""
    data = b"payload"
    digest = hashlib.sha256(data).hexdigest()
    source, victim = tmp_path / "source", tmp_path / "victim"
    source.write_bytes(data)
    victim.write_bytes(b"mine")
    (tmp_path / f"there.{digest[:32]}.part").symlink_to(victim)

    with pytest.raises(TransferFailed):
        transport.send(str(source), str(tmp_path / "there"), say_nothing)

    assert victim.read_bytes() == b"mine"


def test_a_file_that_is_not_there_is_told(transport: Transport, tmp_path: Path) -> None:
    """Receiving what does not exist is an error in words, and makes nothing here."""
    with pytest.raises(TransferFailed, match="no such file"):
        transport.receive(str(tmp_path / "nothing"), str(tmp_path / "back"), say_nothing)

    assert list(tmp_path.iterdir()) == []


@pytest.mark.service
def test_an_unknown_host_key_is_refused(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Host keys are checked: a host that nobody vouched for is unreachable, and the hint says what to do."""
    monkeypatch.setenv("UNLOST_SSH", f"{server.client} -o UserKnownHostsFile=/dev/null -o StrictHostKeyChecking=no")
    opened = open_transport(read_target(server.url("/root"), folder="/"), state_home="/nowhere/" + "x" * 90)

    with pytest.raises(Unreachable, match="Host key"):
        opened.run(("true",))


@pytest.mark.service
def test_a_host_that_is_gone_is_unreachable(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody listening is exit 75 with ssh's own words."""
    monkeypatch.setenv("UNLOST_SSH", server.client)
    target = Target(transport="ssh", root="/r", host="127.0.0.1", port=1)

    with pytest.raises(Unreachable, match="refused") as caught:
        open_transport(target, state_home="/nowhere/" + "x" * 90).run(("true",))

    assert caught.value.exit_code == 75


def test_a_cut_in_the_middle_is_tried_again() -> None:
    """A piece whose call was cut is sent once more from where the place has it."""
    place: dict[str, bytes] = {"part": b""}
    cuts = iter([True, False, True, False, False])

    def run_there(argv: tuple[str, ...], stdin: bytes, _timeout: float, _limit: int) -> Done:
        operation = argv[5]
        if operation == "put":
            place["part"] = place["part"][: int(argv[8])] + stdin
            if next(cuts):
                place["part"] = place["part"][:-5]
                raise Unreachable("cut")
        answer = {"size": len(place["part"])}
        return Done(exit_code=0, stdout=json.dumps(answer).encode(), stderr=b"")

    source = Path(__file__)
    Carrier(porter_there(run_there, sys.executable)).send(str(source), "/there", say_nothing)

    assert place["part"] == source.read_bytes()


@pytest.mark.parametrize(
    "text",
    [
        "ssh://-oProxyCommand=id/root",
        "ssh://host;id/root",
        "ssh://a@-x/root",
        "ssh://-l@host/root",
        "ssh://host:22x/root",
        "ssh://host:0/root",
        "ssh://host",
        "ssh:///root",
        "ssh://host/../etc",
        "ssh://host/",
        "ssh://host/a%00b",
        "ssh:host/root",
        "/",
        "",
        "../..",
        "a\0b",
    ],
)
def test_targets_that_are_none_are_refused(text: str) -> None:
    """What ssh could take for an option, and roots that climb or hold everything, are exit 2."""
    with pytest.raises(UsageError):
        read_target(text, folder="/work")


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("box", Target(transport="local", root="/work/box")),
        ("../box", Target(transport="local", root="/box")),
        ("/a//b/", Target(transport="local", root="/a/b")),
        ("ssh://host/a", Target(transport="ssh", root="/a", host="host")),
        ("ssh://me@host:2222/a%20b", Target(transport="ssh", root="/a b", host="host", user="me", port=2222)),
        ("ssh://[::1]:22/a", Target(transport="ssh", root="/a", host="::1", port=22)),
    ],
)
def test_targets_are_read(text: str, target: Target) -> None:
    """A folder, or a URL with user, port and percent signs."""
    assert read_target(text, folder="/work") == target
