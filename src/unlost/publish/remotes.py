"""Publishing on this machine, as the engine asks for it: remotes, and the text of a pull request."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from unlost.facts.errors import NotARepository, UsageError
from unlost.facts.records import dataclass
from unlost.git.repository import open_repository
from unlost.host.reading import write_atomically
from unlost.publish.orders import Pushed, PushOrder, Requested
from unlost.publish.outcomes import PushFailure, RemoteReading
from unlost.publish.push import PUSH_TIMEOUT, RemoteGit, open_remote
from unlost.publish.remembered import remembered_address
from unlost.publish.request_tool import open_request


@dataclass(frozen=True, kw_only=True)
class LocalRemotes:
    """`engine.publish_ports.Remotes` for one workspace. Texts of requests are kept in its folder, by unit."""

    root: str
    workspace_folder: str
    push_timeout: float = PUSH_TIMEOUT

    def read(self, remote: str, url: str, ref: str) -> RemoteReading:  # noqa: ARG002  (the name is for people)
        """What the remote holds at a ref (see `Remotes.read`)."""
        return self._read(url, lambda there: there.read(ref))

    def fetch(self, remote: str, url: str, ref: str) -> RemoteReading:  # noqa: ARG002  (the name is for people)
        """Bring what it holds into the publishing store (see `Remotes.fetch`)."""
        return self._read(url, lambda there: there.fetch(ref))

    def push(self, order: PushOrder) -> Pushed:
        """Push with a lease and read back (see `Remotes.push`)."""
        with self._remote(order.url) as there:
            if isinstance(there, RemoteGit):
                return there.push(order)
            return Pushed(failure=there, told="", seen=RemoteReading(url=order.url, failure=there))

    def request(self, unit: str, *, url: str, branch: str, target: str | None, title: str, text: str) -> Requested:
        """Keep the text as a file, open a request where `gh` can (see `Remotes.request`)."""
        data = text.encode("utf-8", "replace")
        place = self.request_file(unit)
        os.makedirs(os.path.dirname(place), mode=0o700, exist_ok=True)
        write_atomically(place, data, durable=True)
        address = remembered_address(self.workspace_folder, url)
        opened = None
        if address is not None:
            opened = open_request(address, branch=branch, target=target, title=title, file=place)
        return Requested(
            digest=hashlib.sha256(data).hexdigest(),
            address=None if opened is None else opened.address,
            told="" if opened is None else opened.told,
        )

    def request_file(self, unit: str) -> str:
        """Where the text of a unit's request is kept."""
        return os.path.join(self.workspace_folder, "units", f"{unit}.request.md")

    def _read(self, url: str, look: Callable[[RemoteGit], RemoteReading]) -> RemoteReading:
        with self._remote(url) as there:
            return look(there) if isinstance(there, RemoteGit) else RemoteReading(url=url, failure=there)

    @contextmanager
    def _remote(self, url: str) -> Iterator[RemoteGit | PushFailure]:
        repository = None
        with contextlib.suppress(NotARepository, UsageError):
            repository = open_repository(self.root)
        if repository is None:
            yield "no_remote"
            return
        with open_remote(self.workspace_folder, repository, url, push_timeout=self.push_timeout) as there:
            yield there if there is not None else "remote_changed"
