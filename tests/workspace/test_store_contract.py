"""A shared store that places reach by any git URL: what goes there, what comes back, what stays home."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from kit.repository import Repository
from kit.sshd import running_sshd
from kit.stores import StoringPlace, say_nothing

from unlost.facts.errors import UsageError
from unlost.snapshot.elsewhere import restore_elsewhere
from unlost.snapshot.facts import SnapshotUnreadable
from unlost.workspace.ports import Unreachable
from unlost.workspace.stores.addresses import read_address
from unlost.workspace.stores.git import StoreRefused
from unlost.workspace.stores.registry import STORES, open_store


@pytest.fixture(scope="module")
def server() -> Iterator[Any]:
    """The sshd of this module."""
    with running_sshd() as running:
        yield running


@pytest.fixture(params=["path", "file", pytest.param("ssh", marks=pytest.mark.service)])
def shared(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The URL of an empty bare repository."""
    folder = tmp_path / "shared store.git"
    subprocess.run(["git", "init", "-q", "--bare", str(folder)], check=True)
    if request.param == "path":
        return str(folder)
    if request.param == "file":
        return f"file://{str(folder).replace(' ', '%20')}"
    server = request.getfixturevalue("server")
    monkeypatch.setenv("UNLOST_SSH", server.client)
    return str(server.url(str(folder).replace(" ", "%20")))


@pytest.fixture
def here(repository: Repository, tmp_path: Path, shared: str) -> StoringPlace:
    """The machine that the work is on."""
    repository.write(".gitignore", ".env\n")
    repository.commit("second")
    repository.write("main.rs", "fn main() {}\n")
    repository.write(".env", "KEY=1\n")
    return StoringPlace(tmp_path / "here", repository.root, shared)


@pytest.fixture
def there(tmp_path: Path, shared: str) -> StoringPlace:
    """Another machine, which knows nothing yet."""
    return StoringPlace(tmp_path / "there", tmp_path / "elsewhere", shared)


def objects_in(folder: Path) -> set[str]:
    """The ids of every object of a repository."""
    listed = subprocess.run(
        ["git", "cat-file", "--batch-all-objects", "--batch-check=%(objectname)"],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
    )
    return set(listed.stdout.split())


def test_every_kind_of_store_is_in_this_suite() -> None:
    """A store that no contract test runs does not exist."""
    assert set(STORES) == {"git", "own"}


def test_a_snapshot_comes_back_whole_elsewhere(
    here: StoringPlace, there: StoringPlace, repository: Repository, tmp_path: Path
) -> None:
    """What was put on one machine is got on another: files, base, HEAD's own commit at depth 1, without its history."""
    head = repository.git("rev-parse", "HEAD")
    snapshot = here.archive.capture()

    stored = here.store().put(snapshot, private=False, progress=say_nothing)
    found = there.store().get(snapshot.workspace, there.store().newest(snapshot.workspace) or "", progress=say_nothing)

    assert (stored.snapshot, stored.private) == (snapshot.id, False)
    assert (found.id, found.tree, found.base, found.surroundings.head) == (
        snapshot.id,
        snapshot.tree,
        snapshot.base,
        head,
    )
    made = restore_elsewhere(
        there.archive,
        replace(found, private=None),
        to=str(tmp_path / "new"),
        layout=there.archive.layout,
        journals=str(there.home),
    )
    new = Repository(root=tmp_path / "new")
    assert (made.head, made.substitute) == (head, False)
    assert new.git("log", "--format=%s") == "second"
    assert new.git("status", "--porcelain") == "M main.rs".rjust(10)


def test_private_files_stay_home_unless_asked(here: StoringPlace, there: StoringPlace, tmp_path: Path) -> None:
    """Precious ignored files are in no object of the store until somebody asks for it; then they come along."""
    snapshot = here.archive.capture()
    secret = subprocess.run(
        ["git", "hash-object", "--stdin"], input="KEY=1\n", capture_output=True, text=True, check=True
    ).stdout.strip()

    here.store().put(snapshot, private=False, progress=say_nothing)
    assert secret not in objects_in(tmp_path / "shared store.git")

    stored = here.store().put(snapshot, private=True, progress=say_nothing)
    found = there.store().get(snapshot.workspace, snapshot.id, progress=say_nothing)

    assert stored.private
    assert secret in objects_in(tmp_path / "shared store.git")
    assert found.private is not None
    assert dict(there.archive.walk(found.private)).keys() == {b".env"}


def test_only_what_is_new_travels(here: StoringPlace, repository: Repository, tmp_path: Path) -> None:
    """The second snapshot sends its changed file, the folders above it and its own commits, nothing else."""
    for number in range(50):
        repository.write(f"src/{number}.txt", f"{number}\n")
    here.store().put(here.archive.capture(), private=False, progress=say_nothing)
    before = objects_in(tmp_path / "shared store.git")
    repository.write("docs/notes.md", "# More\n")
    here.store().put(here.archive.capture(), private=False, progress=say_nothing)

    # A blob, `docs`, the root, the snapshot, the saved commit; base and HEAD are the same objects again.
    assert len(objects_in(tmp_path / "shared store.git") - before) == 5


def test_what_claims_rest_on_travels_beside(here: StoringPlace, there: StoringPlace, repository: Repository) -> None:
    """Earlier boundaries go along in one push, those that the store has not, and come along with the newest."""
    earlier = []
    for number in range(3):
        repository.write("docs/notes.md", f"# {number}\n")
        earlier.append(here.archive.capture())
    repository.write("docs/notes.md", "# last\n")
    newest = here.archive.capture()

    here.store().put(earlier[0], private=False, progress=say_nothing)
    here.store().put(newest, private=False, progress=say_nothing, beside=lambda _: earlier)
    there.store().get(newest.workspace, newest.id, progress=say_nothing)

    assert [each.id for each in there.archive.snapshots()] == [each.id for each in (*earlier, newest)]
    assert [dict(there.archive.walk(each.tree)) for each in earlier] == [
        dict(here.archive.walk(each.tree)) for each in earlier
    ]


def test_putting_and_getting_again_is_harmless(here: StoringPlace, there: StoringPlace) -> None:
    """A lost answer costs nothing: the same put and the same get come to the same."""
    snapshot = here.archive.capture()
    for _ in range(2):
        here.store().put(snapshot, private=False, progress=say_nothing)
        assert there.store().get(snapshot.workspace, snapshot.id, progress=say_nothing).id == snapshot.id

    assert here.store().holds(snapshot.workspace, snapshot.id)
    assert [each.id for each in there.archive.snapshots()] == [snapshot.id]


def test_without_a_shared_store_this_machine_keeps_its_own(here: StoringPlace) -> None:
    """No URL means the machine's own store: what was captured is held, is the newest, and is got."""
    store = open_store(None, here.archive.layout)
    snapshot = here.archive.capture()

    stored = store.put(snapshot, private=False, progress=say_nothing)

    assert stored.snapshot == store.newest(snapshot.workspace) == snapshot.id
    assert store.get(snapshot.workspace, snapshot.id, progress=say_nothing) == snapshot
    assert store.holds(snapshot.workspace, snapshot.id)
    assert not store.holds("w-other", snapshot.id)
    assert not store.holds(snapshot.workspace, "0" * 40)
    with pytest.raises(SnapshotUnreadable):
        store.put(replace(snapshot, id="0" * 40), private=False, progress=say_nothing)


def test_what_the_store_does_not_have_is_told(here: StoringPlace) -> None:
    """A snapshot that was never put is not held, not newest, and getting it is an error in words."""
    snapshot = here.archive.capture()
    store = here.store()

    assert store.newest(snapshot.workspace) is None
    assert not store.holds(snapshot.workspace, snapshot.id)
    with pytest.raises(StoreRefused, match="has no snapshot"):
        store.get(snapshot.workspace, snapshot.id, progress=say_nothing)


def test_work_of_two_places_with_one_number_does_not_collide(
    here: StoringPlace, there: StoringPlace, repository: Repository, tmp_path: Path
) -> None:
    """Two machines that count on from the same snapshot each keep theirs: the ref names number and content."""
    here.archive.capture()
    subprocess.run(["cp", "-r", str(repository.root), str(tmp_path / "elsewhere")], check=True)
    there.archive.capture()
    repository.write("a.txt", "here\n")
    (tmp_path / "elsewhere" / "a.txt").write_text("there\n")
    ours, theirs = here.archive.capture(), there.archive.capture()

    here.store().put(ours, private=False, progress=say_nothing)
    there.store().put(theirs, private=False, progress=say_nothing)

    assert ours.sequence == theirs.sequence
    assert here.store().get(theirs.workspace, theirs.id, progress=say_nothing).tree == theirs.tree
    assert here.archive.find(ours.id) == ours
    assert here.archive.find(theirs.id) == replace(theirs, sequence=ours.sequence + 1)
    here.archive.drop([ours.sequence + 1])
    assert here.archive.latest() == ours


def test_a_store_that_lies_is_found_out(here: StoringPlace, there: StoringPlace, tmp_path: Path) -> None:
    """Another commit under the name of a saved snapshot is refused, and no snapshot appears."""
    snapshot = here.archive.capture()
    here.store().put(snapshot, private=False, progress=say_nothing)
    folder = tmp_path / "shared store.git"
    name = subprocess.run(
        ["git", "for-each-ref", "--format=%(refname)"], cwd=folder, check=True, capture_output=True, text=True
    ).stdout.strip()
    forged = subprocess.run(
        ["git", "commit-tree", "-m", "x", "4b825dc642cb6eb9a060e54bf8d69288fbee4904"],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "GIT_DIR": str(folder)},
    ).stdout.strip()
    subprocess.run(["git", "update-ref", name, forged], cwd=folder, check=True)

    with pytest.raises(SnapshotUnreadable):
        there.store().get(snapshot.workspace, snapshot.id, progress=say_nothing)

    assert there.archive.snapshots() == ()


def test_a_store_that_is_not_there_is_told(here: StoringPlace, tmp_path: Path) -> None:
    """A missing repository is an error with the command that makes one."""
    here.url = str(tmp_path / "nothing.git")

    with pytest.raises((StoreRefused, Unreachable)) as caught:
        here.store().put(here.archive.capture(), private=False, progress=say_nothing)

    assert caught.value.hint == "git init --bare makes one where it shall be"


def test_an_ssh_host_that_is_gone_is_unreachable(repository: Repository, tmp_path: Path) -> None:
    """Nobody listening is exit 75: what was captured is here, and saving can be tried again."""
    place = StoringPlace(tmp_path / "home", repository.root, "ssh://127.0.0.1:1/store.git")

    with pytest.raises(Unreachable) as caught:
        place.store().put(place.archive.capture(), private=False, progress=say_nothing)

    assert caught.value.exit_code == 75


@pytest.mark.parametrize(
    "url",
    [
        "ext::sh -c id",
        "--upload-pack=id",
        "-x",
        "fd::3",
        "git://host/x",
        "ssh://-oProxyCommand=id/x",
        "",
        "relative",
        "-oX:path",
        "file://host/x",
        "https://",
        "ssh://host /x",
        "a:b\nc",
    ],
)
def test_addresses_that_are_none_are_refused(url: str) -> None:
    """What git takes for an option, a helper or an unsafe protocol is exit 2."""
    with pytest.raises(UsageError):
        read_address(url)


@pytest.mark.parametrize(
    ("url", "protocol"),
    [
        ("/a b", "file"),
        ("file:///a", "file"),
        ("ssh://me@h:2/a", "ssh"),
        ("me@host:a/b.git", "ssh"),
        ("host:/a", "ssh"),
        ("https://h/a", "https"),
    ],
)
def test_addresses_are_read(url: str, protocol: str) -> None:
    """A path, a URL, and ssh in git's short form."""
    assert read_address(url).protocol == protocol
