"""`unlost review`: what a unit's review found, or a person's own findings in its place."""

from __future__ import annotations

import click

from unlost.app.findings import give_findings, show_review
from unlost.cli.files import read_named_file
from unlost.cli.following import answer_unit, open_supervisor
from unlost.cli.invocation import Command, Invocation
from unlost.cli.render.review import review_document, review_text
from unlost.facts.errors import UsageError
from unlost.host.environment import user_name
from unlost.host.redaction import Redactor
from unlost.publish.findings import Findings
from unlost.publish.findings_reading import RAW_LIMIT, parse_findings


@click.command(
    "review",
    cls=Command,
    examples=(
        "unlost review u-3f9c --body",
        "unlost review u-3f9c --findings mine.json && unlost resume u-3f9c",
        "unlost review u-3f9c --none && unlost resume u-3f9c",
    ),
)
@click.argument("unit", required=False)
@click.option("--findings", "file", metavar="FILE", help="Your own findings (`unlost.findings/1`); - for stdin.")
@click.option("--none", "nothing", is_flag=True, help="Your word that nothing is wrong.")
@click.option("--body", is_flag=True, help="What was found, for the requester and operators.")
@click.pass_obj
def command(invocation: Invocation, *, unit: str | None, file: str | None, nothing: bool, body: bool) -> int:
    """Show what a unit's review found, or give your own findings.

    With --findings or --none you are the reviewer of the work as it stands; `unlost resume` goes on with it: findings
    become a coding round, --none lets the unit end.
    """
    if bool(file) + nothing + body > 1:
        raise UsageError("--findings, --none and --body exclude one another; nothing was changed")
    with open_supervisor(invocation) as supervisor:
        if file is None and not nothing:
            operators = supervisor.settings.operators
            name = supervisor.find(unit)
            shown = show_review(supervisor.ledger, name, body=body, reader=user_name(), operators=operators)
            invocation.answer(review_document(shown), review_text(shown, invocation.terminal.palette))
            return 0
        findings = Findings()
        if file is not None:
            data = read_named_file(file, folder=invocation.folder, limit=RAW_LIMIT)
            findings = parse_findings(data, redact=Redactor())
        return answer_unit(invocation, give_findings(supervisor, unit, findings))
