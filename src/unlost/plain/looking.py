"""One look into the user's repository, begun when somebody first asks."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import ExitStack
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

from unlost.git.repository import Repository
from unlost.host.doors import open_door

if TYPE_CHECKING:
    from unlost.traces.inspection import Inspection

LOOKS: Final[Mapping[str, str]] = {"inspection": "unlost.traces.inspection"}
"""What a look is made with; opened by the first look."""


class Looking:
    """Opens an `Inspection` on first use and closes it at the end; None where there is no repository."""

    def __init__(self, repository: Repository | None, *, scratch: str) -> None:
        self.repository = repository
        self._scratch = scratch
        self._stack = ExitStack()
        self._inspection: Inspection | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._inspection = None
        self._stack.close()

    @property
    def inspection(self) -> Inspection | None:
        """The look; opened now when it was not yet."""
        if self._inspection is None and self.repository is not None:
            os.makedirs(self._scratch, mode=0o700, exist_ok=True)
            inspection: Inspection = open_door(LOOKS, "inspection").Inspection(self.repository, scratch=self._scratch)
            self._inspection = self._stack.enter_context(inspection)
        return self._inspection
