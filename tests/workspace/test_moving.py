"""Workspaces that move: saved at one place, restored at another, home over their own old root and nobody else's.

Every test runs over each way to a place; the roots are on this machine.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kit.places import WORKSPACE, Places, leavings
from kit.sshd import running_sshd

from unlost.facts.errors import SupersededWriter, TryLater
from unlost.workspace.epochs import raise_epoch, read_epochs
from unlost.workspace.events import read_record
from unlost.workspace.facts import Location, Quiescence
from unlost.workspace.failures import RestoreRefused
from unlost.workspace.transports.registry import open_transport
from unlost.workspace.transports.targets import read_target

CAUSE = (
    "workspace_restore_failed: step=sandbox_restore operation=restore exit=1 stage=inspect_root reason=occupied_root"
)


@pytest.fixture(scope="module")
def server() -> Iterator[Any]:
    """The sshd of this module."""
    with running_sshd() as running:
        yield running


@pytest.fixture(params=["local", pytest.param("ssh", marks=pytest.mark.service)])
def places(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Places]:
    """A workspace that may move."""
    if request.param == "ssh":
        server = request.getfixturevalue("server")
        monkeypatch.setenv("UNLOST_SSH", server.client)
        target = read_target(server.url("/root"), folder="/")
    else:
        target = read_target("/root", folder="/")
    with tempfile.TemporaryDirectory(prefix="unlost-") as state_home:
        transport = open_transport(target, state_home=state_home)
        made = Places.make(tmp_path / "machines", transport)
        yield made
        made.close()
        transport.close()


def write(location: Location, name: str, content: str) -> None:
    """An agent writes a file."""
    (Path(location.root) / name).write_text(content)


def files(location: Location) -> dict[str, str]:
    """Every file of a root that is its work."""
    found = {}
    for folder, _, names in os.walk(location.root):
        for name in names:
            path = Path(folder) / name
            relative = path.relative_to(location.root).as_posix()
            if not relative.startswith((".git/", ".unlost/")):
                found[relative] = os.readlink(path) if path.is_symlink() else path.read_text()
    return found


def delegated(places: Places) -> tuple[Location, Location]:
    """A parent that prepared its root at A and saved, and a child that worked and saved at B."""
    places.repository()
    home, away = places.location("A"), places.location("B")
    places.prepare(home)
    write(home, "parent.txt", "the parent's edit\n")
    places.save(home)
    places.restore(away, holder="child")
    write(away, "child.txt", "the child's file\n")
    places.save(away, holder="child")
    return home, away


def refused(places: Places, location: Location, **more: Any) -> RestoreRefused:
    """The refusal of a restore that must leave every file as it was."""
    before = files(location)
    with pytest.raises(RestoreRefused) as caught:
        places.restore(location, **more)
    assert files(location) == before
    assert leavings(location) == []
    return caught.value


def test_own_retired_root_is_replaced(places: Places) -> None:
    """W.A1: the parent's root with a preparation receipt gives way to its own and the child's files; nothing stays."""
    home, _ = delegated(places)

    restored = places.restore(home)

    assert (restored.report.outcome, restored.report.replaced) == ("restored", True)
    assert files(home)["parent.txt"] == "the parent's edit\n"
    assert files(home)["child.txt"] == "the child's file\n"
    assert leavings(home) == []
    newest = read_epochs(places.ledger, WORKSPACE)[-1]
    assert (newest.place, newest.root_digest, newest.holder) == ("A", home.root_digest, "parent")


def test_without_the_proof_the_cause_is_that_of_production(places: Places) -> None:
    """W.20: a retired root that the record does not prove fails with the source's own cause text."""
    home, _ = delegated(places)
    raise_epoch(places.ledger, WORKSPACE, holder="x", purpose="run", place="A", root_digest=home.root_digest)

    error = refused(places, home, abandon=True)

    assert error.message == CAUSE
    assert error.exit_code == 3


def test_a_repeated_preparation_keeps_new_edits(places: Places) -> None:
    """W.A2: asked again after a lost reply, the same restore adopts the root with its new unsaved edits."""
    home, _ = delegated(places)
    first = places.restore(home)
    write(home, "parent.txt", "not saved yet\n")

    again = places.restore(home)

    assert again.report.outcome == "adopted"
    assert (again.report.identity, again.report.epoch) == (first.report.identity, first.report.epoch)
    assert files(home)["parent.txt"] == "not saved yet\n"


def test_own_restored_root_is_replaced(places: Places) -> None:
    """W.A3: a root that carries the receipt of an earlier restore is replaced like one that was prepared."""
    home, away = delegated(places)
    places.restore(home)
    write(home, "second.txt", "second round\n")
    places.save(home)

    restored = places.restore(away, holder="child 2")

    assert restored.report.replaced
    assert files(away) == files(home)
    assert leavings(away) == []


def test_a_root_without_a_receipt_is_refused(places: Places) -> None:
    """W.R1: permission by the record is not enough where the root carries no receipt."""
    home, _ = delegated(places)
    for name in os.listdir(Path(home.root) / ".unlost"):
        os.unlink(Path(home.root) / ".unlost" / name)

    assert refused(places, home).report.reason == "occupied_root"


def test_a_forged_receipt_is_refused(places: Places) -> None:
    """W.R2: a well-formed receipt whose identity nobody recorded is that of a stranger."""
    home, _ = delegated(places)
    receipt = Path(home.root) / ".unlost" / "workspace-ready.json"
    text = receipt.read_text()
    identity = text.partition('"identity":"')[2][:64]
    receipt.write_text(text.replace(identity, "a" * 64))

    assert refused(places, home).report.reason == "occupied_root"


def test_a_later_use_without_a_final_save_is_refused(places: Places) -> None:
    """W.R3: agents were let into the root again after its final save, and nobody saved what they did."""
    home, _ = delegated(places)
    raise_epoch(places.ledger, WORKSPACE, holder="later", purpose="run", place="A", root_digest=home.root_digest)
    write(home, "later.txt", "later work\n")

    assert refused(places, home).report.reason == "unsaved"
    assert refused(places, home, abandon=True).message == CAUSE


def test_a_place_where_nothing_was_ever_saved_is_refused(places: Places) -> None:
    """W.R4: another place with an unknown folder at the path keeps its folder."""
    delegated(places)
    other = places.location("C")
    Path(other.root).mkdir(parents=True)
    write(other, "unknown.txt", "somebody's\n")

    assert refused(places, other).message == CAUSE


def test_a_cold_restore_into_an_occupied_root_is_refused(places: Places) -> None:
    """W.R5, W.11: a first restore at a place refuses any occupant: a folder, a file, a link, an empty folder."""
    places.repository()
    places.prepare(places.location("A"))
    places.save(places.location("A"))
    for number, kind in enumerate(("folder", "file", "link", "empty")):
        target = places.location("B", f"{kind}-root")
        parent = Path(target.root).parent
        parent.mkdir(exist_ok=True)
        if kind == "file":
            Path(target.root).write_text("a file")
        elif kind == "link":
            (parent / "elsewhere").mkdir()
            os.symlink("elsewhere", target.root)
        else:
            Path(target.root).mkdir()
        if kind == "folder":
            write(target, "theirs.txt", "theirs\n")

        with pytest.raises(RestoreRefused) as caught:
            places.restore(target, holder=f"child {number}")

        assert caught.value.message == CAUSE
        assert os.path.lexists(target.root)
        assert leavings(target) == []


def test_an_empty_folder_needs_its_own_permission(places: Places) -> None:
    """W.16: with `allow_empty` an empty folder is filled, a full one still refused, and the proof is not asked."""
    home, _ = delegated(places)
    empty = places.location("C")
    Path(empty.root).mkdir(parents=True)

    assert places.restore(empty, holder="c", allow_empty=True).report.outcome == "restored"
    places.save(empty, holder="c")
    assert refused(places, home, allow_empty=True).report.reason == "occupied_root"


def test_the_newest_save_made_here_keeps_the_root(places: Places) -> None:
    """W.23: where the newest save was made the root stays as it is, edits since included."""
    places.repository()
    home = places.location("A")
    places.prepare(home)
    places.save(home)
    write(home, "since.txt", "since the save\n")
    before = os.stat(home.root).st_ino

    restored = places.restore(home, holder="somebody else")

    assert restored.report.outcome == "adopted"
    assert os.stat(home.root).st_ino == before
    assert files(home)["since.txt"] == "since the save\n"


def test_the_newest_save_made_here_comes_back_when_the_root_is_gone(places: Places) -> None:
    """W.23: the same allocation without its root is restored like a new one."""
    places.repository()
    home = places.location("A")
    places.prepare(home)
    places.save(home)
    saved = files(home)
    os.rename(home.root, f"{home.root}-away")

    restored = places.restore(home, holder="somebody else")

    assert restored.report.outcome == "restored"
    assert files(home) == saved


def test_a_warm_root_gets_differing_files_only(places: Places) -> None:
    """A next epoch onto a warm root writes what differs; every other file is the one that was there."""
    home, _ = delegated(places)
    same = Path(home.root) / "kept/deep/unchanged.txt"
    inode = same.stat().st_ino

    restored = places.restore(home)

    assert (restored.written, same.stat().st_ino) == (1, inode)
    assert restored.linked is not None
    assert restored.linked >= 3


def test_a_restored_root_is_a_repository_of_its_own(places: Places) -> None:
    """A restored root has the base commit, its branch, the index as the commit has it, and nothing of the origin."""
    home, away = delegated(places)
    source, made = places.git(home), places.git(away)

    assert made("rev-parse", "HEAD") == source("rev-parse", "HEAD")
    assert made("symbolic-ref", "HEAD") == "refs/heads/main"
    assert made("status", "--porcelain") == " M parent.txt\n?? child.txt"
    assert made("rev-parse", "--is-shallow-repository") == "false"
    assert made("fsck", "--strict") == ""
    assert made("remote") == ""
    assert os.access(Path(away.root) / "tool.sh", os.X_OK)
    assert os.readlink(Path(away.root) / "link") == "parent.txt"


def test_a_final_save_proves_that_nothing_runs(places: Places) -> None:
    """W.5: while an agent of this epoch runs, or that cannot be told, a final save is refused and records nothing."""
    places.repository()
    home = places.location("A")
    places.prepare(home)
    length = read_record(places.ledger, WORKSPACE).length

    for quiescence in (Quiescence(unknown=False, active=("attempt 1",)), Quiescence(unknown=True)):
        with pytest.raises(TryLater) as caught:
            places.save(home, quiescence=quiescence)
        assert caught.value.exit_code == 75
    assert read_record(places.ledger, WORKSPACE).length == length


def test_an_interim_save_is_no_ground_for_replacing(places: Places) -> None:
    """W.4: a root whose last use ended in an interim save is not retired."""
    home, _ = delegated(places)
    places.restore(home)
    places.save(home, final=False)

    with pytest.raises(RestoreRefused) as caught:
        places.restore(places.location("C"), holder="c")

    assert caught.value.report.reason == "unsaved"


def test_an_older_copy_saves_nothing(places: Places) -> None:
    """Decision 11: a root whose writer was overtaken cannot be saved over the newer work: exit 75."""
    home, _ = delegated(places)

    with pytest.raises(SupersededWriter) as caught:
        places.save(home)

    assert caught.value.exit_code == 75
    assert "place B" in caught.value.message


def test_nothing_saved_is_nothing_to_restore(places: Places) -> None:
    """A workspace without a durable save is told so, and no epoch is raised for it."""
    places.repository()
    places.prepare(places.location("A"))
    before = read_epochs(places.ledger, WORKSPACE)

    with pytest.raises(RestoreRefused) as caught:
        places.restore(places.location("B"), holder="b")

    assert caught.value.report.reason == "missing_snapshot"
    assert read_epochs(places.ledger, WORKSPACE) == before
