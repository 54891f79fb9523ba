"""Places for workspaces: several roots on this machine that share one ledger and one store, as machines would."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from kit.repository import Repository

from unlost.facts.errors import UnlostError
from unlost.host.clock import SystemClock
from unlost.host.ids import new_id
from unlost.ledger.protocol import Ledger
from unlost.ledger.registry import open_ledger
from unlost.snapshot.archive import Archive
from unlost.snapshot.facts import Snapshot
from unlost.snapshot.layout import Layout
from unlost.workspace.facts import Location, Quiescence
from unlost.workspace.planning import RestoreOrder
from unlost.workspace.ports import Done, Progress, Transport
from unlost.workspace.preparing import PrepareOrder, prepare
from unlost.workspace.restoring import Restored, restore
from unlost.workspace.saving import Saved, SaveOrder, save
from unlost.workspace.transports.registry import open_transport
from unlost.workspace.transports.targets import Target

WORKSPACE = "w-1"


def say_nothing(_: str) -> None:
    """Nobody watches."""


@dataclass(frozen=True)
class LocalSource:
    """Snapshots out of the store that all roots of a test share."""

    archive: Archive

    @property
    def layout(self) -> Layout:
        """The store."""
        return self.archive.layout

    def bring(self, snapshot: str) -> Snapshot:
        """It is there already."""
        return self.archive.find(snapshot)


@dataclass(frozen=True)
class WrappedTransport:
    """A transport that does what another does; to be overridden in one respect."""

    inner: Transport

    @property
    def python(self) -> str:
        """The place's interpreter."""
        return self.inner.python

    def run(
        self, argv: tuple[str, ...], *, stdin: bytes = b"", timeout: float = 600.0, output_limit: int = 1 << 20
    ) -> Done:
        """Run it."""
        return self.inner.run(argv, stdin=stdin, timeout=timeout, output_limit=output_limit)

    def send(self, source: str, target: str, progress: Progress) -> None:
        """Send it."""
        self.inner.send(source, target, progress)

    def receive(self, source: str, target: str, progress: Progress) -> None:
        """Receive it."""
        self.inner.receive(source, target, progress)

    def close(self) -> None:
        """Close it."""
        self.inner.close()


@dataclass(frozen=True)
class ArmedTransport(WrappedTransport):
    """A transport whose programs die at a named point."""

    point: str

    def run(
        self, argv: tuple[str, ...], *, stdin: bytes = b"", timeout: float = 600.0, output_limit: int = 1 << 20
    ) -> Done:
        """Run it with the point armed."""
        armed = ("/usr/bin/env", f"UNLOST_CRASH_AT={self.point}", *argv)
        return super().run(armed, stdin=stdin, timeout=timeout, output_limit=output_limit)


@dataclass
class Places:
    """One workspace that moves: `folder` holds every root, the ledger and the store."""

    folder: Path
    ledger: Ledger
    transport: Transport
    archives: dict[str, Archive] = field(default_factory=dict)

    @classmethod
    def make(cls, folder: Path, transport: Transport) -> Places:
        """No root yet."""
        folder.mkdir(parents=True, exist_ok=True)
        ledger = open_ledger(str(folder / "home" / "ledger.sqlite"), SystemClock())
        return cls(folder=folder, ledger=ledger, transport=transport)

    def close(self) -> None:
        """Let go of everything."""
        for archive in self.archives.values():
            archive.close()
        self.ledger.close()

    def root(self, name: str = "work") -> Path:
        """A root's path."""
        return Path(os.path.realpath(self.folder)) / name

    def location(self, place: str, root: str = "work") -> Location:
        """A root at a place; one path at two places is two folders here, `work` at place B being `B/work`."""
        return Location(place=place, root=str(self.root(root if place == "A" else f"{place}/{root}")))

    def repository(self, name: str = "work") -> Repository:
        """A new repository with one commit."""
        self.root(name).parent.mkdir(parents=True, exist_ok=True)
        repository = Repository.create(self.root(name))
        repository.git("config", "user.email", "a@example.org")
        repository.git("config", "user.name", "A")
        repository.write("parent.txt", "the parent's file\n")
        repository.write("kept/deep/unchanged.txt", "unchanged\n")
        repository.write("tool.sh", "#!/bin/sh\n", executable=True)
        os.symlink("parent.txt", repository.root / "link")
        repository.commit("first")
        return repository

    def archive(self, location: Location) -> Archive:
        """The archive of a root; all share one store."""
        if location.root not in self.archives:
            self.archives[location.root] = Archive(
                store_folder=str(self.folder / "home" / "store"),
                workspace_folder=str(self.folder / "home" / f"folder-{location.root_digest[:8]}"),
                workspace=WORKSPACE,
                root=location.root,
                clock=SystemClock(),
            )
        return self.archives[location.root]

    def git(self, location: Location) -> Callable[..., str]:
        """The git program in a root."""
        return Repository(Path(location.root)).git

    def prepare(self, location: Location, *, holder: str = "parent") -> None:
        """Give a root its first receipt."""
        prepare(
            self.ledger,
            PrepareOrder(workspace=WORKSPACE, location=location, holder=holder),
            transport=self.transport,
            scratch=str(self.folder / "home"),
            new_id=new_id,
            progress=say_nothing,
        )

    def save(
        self,
        location: Location,
        *,
        holder: str = "parent",
        final: bool = True,
        quiescence: Quiescence = Quiescence(unknown=False),  # noqa: B008  (frozen)
        meanwhile: Callable[[], None] = lambda: None,
    ) -> Saved:
        """Save a root; `meanwhile` happens before the capture."""

        def capture() -> Snapshot:
            meanwhile()
            return self.archive(location).capture(kind="boundary")

        @contextmanager
        def still() -> Iterator[Quiescence]:
            yield quiescence

        return save(
            self.ledger,
            SaveOrder(workspace=WORKSPACE, location=location, holder=holder, final=final),
            capture=capture,
            still=still,
            store=None,
            new_id=new_id,
            progress=say_nothing,
        )

    def restore(
        self,
        location: Location,
        *,
        holder: str = "parent",
        allow_empty: bool = False,
        private: bool = False,
        abandon: bool = False,
        transport: Transport | None = None,
        source: LocalSource | None = None,
    ) -> Restored:
        """Restore the newest saved work."""
        os.makedirs(os.path.dirname(location.root), exist_ok=True)
        scratch = self.folder / "home" / "scratch"
        scratch.mkdir(exist_ok=True)
        return restore(
            self.ledger,
            RestoreOrder(
                workspace=WORKSPACE,
                location=location,
                holder=holder,
                allow_empty=allow_empty,
                private=private,
                abandon=abandon,
            ),
            transport=transport or self.transport,
            source=source or LocalSource(self.archive(location)),
            scratch=str(scratch),
            new_id=new_id,
            progress=say_nothing,
        )


def leavings(location: Location) -> list[str]:
    """What stands beside a root that unlost made."""
    parent, name = os.path.split(location.root)
    return sorted(each for each in os.listdir(parent) if each.startswith(f"{name}."))


def local_transport() -> Transport:
    """The way to this machine."""
    return open_transport(Target(transport="local", root="/"), state_home="")


def main(folder: str, what: str, place: str, holder: str) -> None:
    """`python -m kit.places FOLDER restore|save PLACE HOLDER`: one move in a process that a test can kill."""
    places = Places.make(Path(folder), local_transport())
    try:
        if what == "restore":
            places.restore(places.location(place), holder=holder)
        else:
            places.save(places.location(place), holder=holder)
    except UnlostError as error:
        sys.stderr.write(f"{error.message}\n")
        sys.exit(error.exit_code)


if __name__ == "__main__":
    main(*sys.argv[1:])
