"""Remotes as they answer, refuse, hang and vanish: real git over file, HTTP and ssh on loopback."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from kit.repository import Repository
from kit.sshd import SshServer, running_sshd

from unlost.git.person import settings_in
from unlost.git.repository import open_repository
from unlost.publish.orders import PushOrder
from unlost.publish.outcomes import PushFailure
from unlost.publish.remembered import address_digest, remember_addresses, remembered_address
from unlost.publish.remotes import LocalRemotes
from unlost.publish.request_tool import hosted_repository

REF = "refs/heads/unlost/x"


@pytest.fixture
def bare(tmp_path: Path) -> Repository:
    """An empty bare repository."""
    return Repository.create(tmp_path / "remote.git", "--bare")


@pytest.fixture
def ssh() -> Iterator[SshServer]:
    """A server on loopback."""
    with running_sshd() as server:
        yield server


class Denying(BaseHTTPRequestHandler):
    """A host that wants a password that nobody has."""

    def do_GET(self) -> None:
        self.send_response(401)
        self.send_header("WWW-Authenticate", 'Basic realm="x"')
        self.end_headers()

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002  (the face of the base class)
        """Say nothing."""


def remotes(repository: Repository, tmp_path: Path, address: str, **facts: float) -> tuple[LocalRemotes, str]:
    """The remotes of a workspace whose `origin` is at an address, and the address's digest."""
    repository.git("config", "remote.origin.url", address)
    folder = tmp_path / "workspace"
    folder.mkdir()
    opened = open_repository(str(repository.root))
    digest = remember_addresses(str(folder), settings_in(opened), opened.root)["origin"]
    return LocalRemotes(root=opened.root, workspace_folder=str(folder), **facts), digest


def order(repository: Repository, url: str, before: str | None = None) -> PushOrder:
    """A push of HEAD."""
    commit = repository.git("rev-parse", "HEAD")
    return PushOrder(unit="u-1", remote="origin", url=url, ref=REF, before=before, commit=commit)


def test_a_push_is_read_back(repository: Repository, bare: Repository, tmp_path: Path) -> None:
    """What was read decides: before, after, and after a second push under the lease of the first."""
    there, url = remotes(repository, tmp_path, str(bare.root))
    assert there.read("origin", url, REF).oid is None
    first = there.push(order(repository, url))
    repository.write("lib.rs", "more\n")
    old = repository.git("rev-parse", "HEAD")
    repository.commit("second")
    second = there.push(order(repository, url, before=old))

    assert (first.failure, first.seen.oid) == (None, old)
    assert (second.failure, second.seen.oid) == (None, repository.git("rev-parse", "HEAD"))
    assert there.fetch("origin", url, REF).oid == repository.git("rev-parse", "HEAD")


def test_a_lease_that_does_not_hold_pushes_nothing(repository: Repository, bare: Repository, tmp_path: Path) -> None:
    """`--force-with-lease`: a branch that is not what was read is not moved, not even forward."""
    there, url = remotes(repository, tmp_path, f"file://{bare.root}")
    there.push(order(repository, url))
    before = repository.git("rev-parse", "HEAD")
    repository.write("lib.rs", "more\n")
    repository.commit("second")
    pushed = there.push(order(repository, url, before=None))

    assert pushed.failure == "not_fast_forward"
    assert pushed.seen.oid == before


def test_a_relative_address_is_beside_the_repository(repository: Repository, bare: Repository, tmp_path: Path) -> None:
    """Git reads a relative folder from the repository; so does a push that stands elsewhere."""
    there, url = remotes(repository, tmp_path, "../remote.git")

    assert there.push(order(repository, url)).failure is None
    assert bare.git("rev-parse", REF) == repository.git("rev-parse", "HEAD")


def test_the_persons_own_settings_hold(
    repository: Repository, bare: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`insteadOf` of the person's global configuration is followed; one of the repository's is not."""
    chosen = tmp_path / "gitconfig"
    chosen.write_text(f'[url "file://{bare.root}"]\n\tinsteadOf = https://host.invalid/x.git\n')
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(chosen))
    repository.git("config", f"url.file://{tmp_path}/nowhere.pushInsteadOf", "https://host.invalid/")
    there, url = remotes(repository, tmp_path, "https://host.invalid/x.git")

    assert there.push(order(repository, url)).failure is None


@pytest.mark.parametrize(
    ("address", "failure"),
    [
        ("https://127.0.0.1:1/x.git", "unreachable"),
        ("/nowhere/x.git", "unreachable"),
        ("ext::sh -c 'touch ran'", "unreachable"),
        ("--upload-pack=touch ran", "unreachable"),
    ],
)
def test_an_address_where_nobody_is(repository: Repository, tmp_path: Path, address: str, failure: PushFailure) -> None:
    """A closed port, no folder, a program in place of an address, an option: no answer, and nothing is run."""
    there, url = remotes(repository, tmp_path, address)

    assert there.read("origin", url, REF).failure == failure
    assert there.push(order(repository, url)).seen.failure == failure
    assert not (repository.root / "ran").exists()
    assert not Path("ran").exists()


def test_a_host_that_wants_a_password(repository: Repository, tmp_path: Path) -> None:
    """Nobody is asked and nothing hangs: auth, and what git said carries no address."""
    server = HTTPServer(("127.0.0.1", 0), Denying)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        port = server.server_address[1]
        there, url = remotes(repository, tmp_path, f"http://me:s3cret@127.0.0.1:{port}/x.git")
        reading = there.read("origin", url, REF)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

    assert reading.failure == "auth"
    assert "s3cret" not in reading.told
    assert str(port) not in reading.told


def test_a_remote_that_hangs_is_given_up(repository: Repository, bare: Repository, tmp_path: Path) -> None:
    """A hook over there that never ends: the push ends in its time, and what stands there is read."""
    hook = bare.root / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexec sleep 300\n")
    hook.chmod(0o755)
    there, url = remotes(repository, tmp_path, f"file://{bare.root}", push_timeout=1.0)
    pushed = there.push(order(repository, url))

    assert pushed.failure == "unreachable"
    assert (pushed.seen.failure, pushed.seen.oid) == (None, None)


@pytest.mark.slow
def test_over_ssh(
    repository: Repository, bare: Repository, tmp_path: Path, ssh: SshServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R.56: over sshd on loopback: with the person's key it is pushed and read back, with none it is auth."""
    monkeypatch.setenv("GIT_SSH_COMMAND", ssh.client)
    there, url = remotes(repository, tmp_path, ssh.url(bare.root))
    pushed = there.push(order(repository, url))
    assert (pushed.failure, pushed.seen.oid) == (None, repository.git("rev-parse", "HEAD"))
    monkeypatch.setenv("GIT_SSH_COMMAND", f"{ssh.client} -o PubkeyAuthentication=no")

    assert there.read("origin", url, REF).failure == "auth"


def test_addresses_stay_on_this_machine(repository: Repository, tmp_path: Path) -> None:
    """A digest stands for an address; one that was changed in the file is not taken."""
    _, url = remotes(repository, tmp_path, "https://me:pw@example.org/x.git")
    folder = str(tmp_path / "workspace")
    assert remembered_address(folder, url) == "https://me:pw@example.org/x.git"
    kept = Path(folder, "remotes.json")
    assert os.stat(kept).st_mode & 0o077 == 0
    kept.write_text(kept.read_text().replace("example.org", "example.com"))

    assert remembered_address(folder, url) is None
    assert remembered_address(folder, address_digest("other")) is None


@pytest.mark.parametrize(
    ("address", "hosted"),
    [
        ("https://github.com/o/r.git", "github.com/o/r"),
        ("https://me:pw@github.com/o/r", "github.com/o/r"),
        ("git@github.com:o/r.git", "github.com/o/r"),
        ("ssh://git@host.example:2222/o/r.git", "host.example/o/r"),
        ("/srv/git/r.git", None),
        ("file:///srv/git/r.git", None),
        ("https://host/deep/o/r.git", None),
    ],
)
def test_which_addresses_are_hosted(address: str, hosted: str | None) -> None:
    """A pull request is opened only where the address says host, owner and name."""
    assert hosted_repository(address) == hosted
