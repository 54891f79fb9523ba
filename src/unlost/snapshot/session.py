"""What one capture works with: the places, the gits, the readers, under the capture lock."""

from __future__ import annotations

import os
from collections.abc import Callable
from types import TracebackType
from typing import Self

from unlost.facts.records import dataclass
from unlost.git.call import Git
from unlost.git.configuration import read_settings
from unlost.git.formats import ObjectFormat, object_format
from unlost.git.reader import ObjectReader
from unlost.git.repository import Repository
from unlost.git.treecache import TreeCache
from unlost.host.clock import Clock
from unlost.host.locks import FileLock
from unlost.snapshot.facts import Limits
from unlost.snapshot.layout import Layout

Progress = Callable[[str], None]
"""Told in a few words what takes long."""


@dataclass(frozen=True, kw_only=True)
class Workplace:
    """A work tree and where its captures go; `depth` counts the repositories around a nested one."""

    layout: Layout
    root: str
    limits: Limits
    clock: Clock
    progress: Progress
    depth: int = 0


def store_format(layout: Layout) -> ObjectFormat:
    """The object format of a store that exists; SHA-1 when there is none."""
    settings = read_settings(os.path.join(layout.store, "config"))
    return object_format(settings.get("extensions.objectformat", "sha1"))


class Session:
    """The open hands of one capture; leave it as a context manager.

    `repository` is None when the work tree's `.git` is gone: the files can still be captured.
    """

    def __init__(
        self,
        place: Workplace,
        format: ObjectFormat,  # noqa: A002  (git's own word)
        repository: Repository | None,
        lock: FileLock,
    ) -> None:
        layout, inherit = place.layout, (lock.descriptor,)
        self.place = place
        self.layout = layout
        self.format = format
        self.repository = repository
        self.lock = lock
        self.store = Git(layout.store, home=layout.home, inherit=inherit)
        self.work = Git(layout.git_dir, home=layout.home, work_tree=place.root, inherit=inherit)
        self.judge = Git(layout.judge, home=layout.home, work_tree=place.root, inherit=inherit)
        self.objects = ObjectReader(self.store)
        self.trees = TreeCache(layout.trees, format, self.objects)

    @property
    def calls(self) -> int:
        """How many git processes were started."""
        return self.store.calls + self.work.calls + self.judge.calls

    def close(self) -> None:
        """Let go of processes and descriptors."""
        self.objects.close()
        self.trees.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
