"""`unlost show`: a snapshot, a file in it, or a unit."""

from __future__ import annotations

import hashlib
from typing import Any, Final

import click

from unlost.app.plain import Workspace
from unlost.cli.following import answer_unit, open_supervisor, show_unit
from unlost.cli.invocation import Command, Invocation
from unlost.cli.naming import named_snapshot
from unlost.cli.opening import open_workspace
from unlost.cli.render.listing import snapshots_text
from unlost.facts.errors import UsageError, WorkLost
from unlost.facts.quoting import path_json
from unlost.host.clock import SystemClock
from unlost.unit.story import story_of

_UNIT: Final = "u-"


@click.command(
    "show",
    cls=Command,
    takes_when=True,
    examples=("unlost show 2f9c1a:src/main.rs", "unlost show 3", "unlost show u-3f9c --prompt rewrite-tests/1 --body"),
)
@click.argument("what", required=False, metavar="[ID|SNAPSHOT:PATH]")
@click.option("--prompt", metavar="TASK/N", help="The prompt that attempt N of a task was given: digest and size.")
@click.option("--body", is_flag=True, help="With --prompt: its exact bytes.")
@click.pass_obj
def command(invocation: Invocation, *, what: str | None, prompt: str | None, body: bool) -> int:
    """A snapshot, a file in it, or a unit.

    SNAPSHOT is any WHEN, PATH is relative to the root; the file comes byte for byte. A unit is named by its id, a few
    digits are enough, or not at all when one is open here; exit 4 while work of it is lost.
    """
    if what is None or what.startswith(_UNIT):
        return _show_unit(invocation, what, prompt, body=body)
    if prompt is not None or body:
        raise UsageError("--prompt and --body belong to a unit", hint="`unlost show u-… --prompt TASK/N --body`")
    with open_workspace(invocation) as workspace:
        when, separator, path = _split(what)
        snapshot = named_snapshot(workspace, when)
        if separator:
            return _show_file(invocation, workspace, snapshot, path)
        row = next((row for row in workspace.snapshots().rows if row["snapshot"] == snapshot), None)
    if row is None:
        raise UsageError(f"no snapshot {snapshot} is kept here", hint="`unlost snapshots` lists them")
    text = snapshots_text([row], invocation.terminal.palette, now=SystemClock().now())
    invocation.answer({"schema": "unlost.snapshot/1", **row}, text)
    return 0


def _split(what: str) -> tuple[str, str, str]:
    """The snapshot and the path; a clock time (`14:05:src/a.py`) keeps its own colon."""
    when, separator, path = what.partition(":")
    if when.isdigit() and len(when) <= 2 and path[:2].isdigit() and path[2:3] in {"", ":"}:
        minutes, separator, path = path.partition(":")
        when = f"{when}:{minutes}"
    return when, separator, path


def _show_file(invocation: Invocation, workspace: Workspace, snapshot: str, path: str) -> int:
    name = path.encode("utf-8", "surrogateescape")
    content = workspace.content(snapshot, name)
    if invocation.json:
        shown: dict[str, Any] = {"schema": "unlost.file/1", "snapshot": snapshot, "path": path_json(name)}
        invocation.answer({**shown, "content": path_json(content)}, "")
    else:
        invocation.terminal.raw(content)
    return 0


def _show_unit(invocation: Invocation, named: str | None, prompt: str | None, *, body: bool) -> int:
    with open_supervisor(invocation) as supervisor:
        unit = supervisor.find(named)
        if prompt is None:
            shown = supervisor.show(unit)
            if invocation.quiet and not invocation.json:
                answer_unit(invocation, shown)
            else:
                show_unit(invocation, shown, story_of(supervisor.ledger.read(shown.id)))
            return WorkLost.exit_code if shown.state.proof.is_loss else 0
        task, _, number = prompt.rpartition("/")
        if not task or not number.isdigit():
            raise UsageError(f"{prompt!r} names no attempt; write TASK/N", hint=f"`unlost show {unit}`")
        sent = supervisor.prompt(unit, task, int(number))
    digest = hashlib.sha256(sent).hexdigest()
    document = {"schema": "unlost.prompt/1", "unit": unit, "attempt": prompt, "sha256": digest, "bytes": len(sent)}
    if invocation.json:
        invocation.answer(document | ({"prompt": sent.decode("utf-8", "replace")} if body else {}), "")
    elif body:
        invocation.terminal.raw(sent)
    else:
        # Prompts hold what a person and the research said: lists and logs carry none of it (R.41).
        invocation.answer(
            document, f"prompt    {prompt}  {len(sent):,} bytes  sha256 {digest}\n          --body prints it"
        )
    return 0
