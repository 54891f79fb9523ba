"""The desk of one attempt: what it hands in goes into its outbox, what it asks is answered from the workspace."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from unlost.app.plain import Workspace
from unlost.attempt.outbox import BRIEF, FINDINGS, HANDOFF, REPORT, parse_report
from unlost.facts.errors import FileInvalid, UnlostError
from unlost.facts.quoting import path_from_json
from unlost.facts.records import dataclass
from unlost.handoff.schema import load_handoff
from unlost.host.ids import new_nonce
from unlost.host.reading import write_atomically
from unlost.host.redaction import Redactor
from unlost.mcp_server.desk import Matter, Refused
from unlost.mcp_server.serve import serving
from unlost.publish.findings_reading import parse_findings
from unlost.research.brief import parse_brief
from unlost.settings import Settings

_KEPT: Final[Mapping[Matter, str]] = {
    "handoff": "the handoff is kept; end now",
    "brief": "the brief is kept; end now",
    "findings": "the findings are kept; end now",
    "report": "the report is kept; end now",
}
_MOST_NAMED: Final = 20


@dataclass(frozen=True, kw_only=True)
class AttemptDesk:
    """`mcp_server.desk.Desk` of the attempt with this outbox, in the workspace at `root`.

    Without an outbox it is the desk of a session that is no attempt: nothing can be handed in. `may_restore` is for
    attempts that work in that tree; a researcher works apart from it.
    """

    outbox: str | None
    root: str
    settings: Settings
    may_restore: bool

    def hand_in(self, matter: Matter, value: object) -> str:
        """Keep a file in the outbox, once its format holds (see `Desk.hand_in`)."""
        if self.outbox is None:
            raise Refused("this session is no attempt of a plan: nobody waits for it; tell the person")
        data = json.dumps(value).encode()
        name, judge = _JUDGES[matter]
        try:
            judge(data)
        except FileInvalid as error:
            raise Refused("; ".join(problem.what for problem in error.problems) or error.message) from error
        except ValueError as error:
            raise Refused(str(error)) from error
        write_atomically(os.path.join(self.outbox, name.decode()), data)
        return _KEPT[matter]

    def status(self) -> str:
        """One line for what stands, one for each loss."""
        found = self._checked()
        lost = [f"lost: {json.dumps(each['path'])} ({each['state']})" for each in found["lost"][:_MOST_NAMED]]
        more = len(found["lost"]) - len(lost)
        head = f"earlier work: {found['standing']} standing, {len(found['lost'])} lost"
        return "\n".join([head, *lost, *([f"and {more} more"] if more > 0 else [])])

    def restore(self, path: str) -> str:
        """Bring back a path that is lost now; no other one: an agent puts nothing back over a task's present work."""
        if not self.may_restore:
            raise Refused("research changes nothing in the work tree")
        if path not in [each["path"] for each in self._checked()["lost"]]:
            raise Refused(f"{json.dumps(path)} is not lost; work_status names what is")
        with _told(), Workspace.open(self.root, self.settings) as workspace:
            done = workspace.restore([path_from_json(path)])
        if done.exit_code:
            raise Refused(f"{json.dumps(path)} could not be brought back")
        return f"{json.dumps(path)} is back as it was last seen"

    def _checked(self) -> dict[str, Any]:
        with _told(), Workspace.open(self.root, self.settings) as workspace:
            return dict(workspace.check().to_json())


@dataclass(frozen=True, kw_only=True)
class Desks:
    """Opens the desk of each attempt of a workspace at a URL of its own."""

    root: str
    settings: Settings
    may_restore: bool = True

    @contextmanager
    def open(self, outbox: str) -> Iterator[str]:
        """The secret URL of an attempt's tools, as long as the attempt lasts."""
        desk = AttemptDesk(outbox=outbox, root=self.root, settings=self.settings, may_restore=self.may_restore)
        with serving(desk, new_secret=new_nonce) as url:
            yield url


def _judge_brief(data: bytes) -> object:
    return parse_brief(data, redact=Redactor())


def _judge_findings(data: bytes) -> object:
    return parse_findings(data, redact=Redactor())


_JUDGES: Final[Mapping[Matter, tuple[bytes, Callable[[bytes], object]]]] = {
    "handoff": (HANDOFF, load_handoff),
    "brief": (BRIEF, _judge_brief),
    "findings": (FINDINGS, _judge_findings),
    "report": (REPORT, parse_report),
}


@contextmanager
def _told() -> Iterator[None]:
    """Our own errors are the agent's answer: it must hear that nothing was done."""
    try:
        yield
    except UnlostError as error:
        raise Refused(f"{error.message}; nothing was done") from error
