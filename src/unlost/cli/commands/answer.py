"""`unlost answer`: answer the question of a parked unit."""

from __future__ import annotations

from typing import Final

import click

from unlost.app.questions import LIMIT
from unlost.cli.files import STDIN, read_named_file
from unlost.cli.following import open_supervisor, show_unit
from unlost.cli.invocation import Command, Invocation
from unlost.facts.errors import UsageError

_READ_LIMIT: Final = 4 * LIMIT
_UNIT: Final = "u-"


@click.command(
    "answer",
    cls=Command,
    examples=('unlost answer u-3f9c "Yes, the 1.x format is still read."', "unlost answer -- - < answer.txt"),
)
@click.argument("words", nargs=-1, required=True, metavar="[UNIT] TEXT")
@click.option("--question", metavar="ID", help="Count only for this question, not for a later one.")
@click.pass_obj
def command(invocation: Invocation, *, words: tuple[str, ...], question: str | None) -> int:
    """Answer the question of a parked unit.

    The first answer of the requester or of an operator counts; the same one again changes nothing. It starts nothing:
    `unlost resume` goes on, with what was left of the deadline when the question was asked. TEXT is `-` for stdin.
    """
    unit, text = _unit_and_text(words)
    if text == STDIN:
        text = read_named_file(STDIN, folder=invocation.folder, limit=_READ_LIMIT).decode("utf-8", "replace")
    with open_supervisor(invocation) as supervisor:
        show_unit(invocation, supervisor.answer(unit, text, question=question))
    return 0


def _unit_and_text(words: tuple[str, ...]) -> tuple[str | None, str]:
    if len(words) == 1:
        return None, words[0]
    if len(words) == 2 and words[0].startswith(_UNIT):
        return words[0], words[1]
    raise UsageError("an answer is one text; put it in quotes", hint='unlost answer UNIT "..."')
