"""What the global options of one command line say; apart from `invocation`, which reads them with click."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Any

from unlost.cli.terminal import JsonObject, Terminal
from unlost.facts.errors import UsageError
from unlost.facts.records import dataclass, field
from unlost.host.environment import current_environment
from unlost.snapshot.begun import Begun


@dataclass(frozen=True, kw_only=True)
class Invocation:
    """The global options of one command line, wherever they stood, and the terminal to answer on.

    `begun` is the capture that was begun when the words of the command line told that one will be asked for.
    `leaving`: the process ends right after the command.
    """

    terminal: Terminal
    json: bool = False
    folder: str = "."
    workspace: str | None = None
    quiet: bool = False
    dry_run: bool = False
    assume_yes: bool = False
    environment: Mapping[str, str] = field(default_factory=dict)
    begun: Begun | None = None
    leaving: bool = False

    @property
    def target(self) -> str:
        """The workspace that is meant: the `--workspace`, else the folder; its name is whole when it is gone itself.

        A shell may stand in a folder that was just removed: then its `PWD` still says which. Raises UsageError.
        """
        if self.workspace == "":
            # A variable that is not set must not mean whatever stands here.
            raise UsageError("an empty name names no workspace", hint="leave it out for the workspace here")
        if self.workspace is not None and self.workspace.startswith("w-"):
            return self.workspace
        place = self.workspace or self.folder
        if os.path.isabs(place):
            return place
        try:
            return os.path.join(os.getcwd(), place)
        except FileNotFoundError:
            here = self.environment.get("PWD", "")
            if not os.path.isabs(here):
                raise UsageError("the present folder is gone", hint="unlost --workspace ROOT names it") from None
            return os.path.normpath(os.path.join(here, place))

    @property
    def may_ask(self) -> bool:
        """Whether a person can be asked: a terminal reads and types, and no script wants JSON."""
        return not self.json and self.terminal.can_ask

    def answer(self, document: JsonObject, text: str, *, even_quiet: bool = False) -> None:
        """Write the answer of a command: one JSON object with `--json`, else the text.

        `-q` leaves the text out, unless it tells something that must not be missed (`even_quiet`).
        """
        if self.json:
            self.terminal.document(document)
        elif text and (even_quiet or not self.quiet):
            self.terminal.data(text)


def invocation_of(given: Mapping[str, Any], begun: Begun | None = None, *, leaving: bool = False) -> Invocation:
    """The invocation of this process's standard streams and environment under the options that were given."""
    environment = current_environment()
    options = dict(given)
    terminal = Terminal(
        stdin=sys.stdin,
        stdout=sys.stdout,
        stderr=sys.stderr,
        color=options.pop("color", "auto"),
        quiet=bool(options.get("quiet")),
        environment=environment,
    )
    return Invocation(terminal=terminal, environment=environment, begun=begun, leaving=leaving, **options)
