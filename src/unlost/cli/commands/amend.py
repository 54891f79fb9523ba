"""`unlost amend UNIT --plan FILE`: put another plan in force, on the tree as it is."""

from __future__ import annotations

import click

from unlost.app.steering import Amendment, amend, take_tree
from unlost.cli.detaching import outliving_the_terminal
from unlost.cli.following import answer_unit, open_supervisor
from unlost.cli.invocation import Command, Invocation
from unlost.cli.ordered import order_from_file
from unlost.facts.errors import UsageError
from unlost.plan.digest import plan_digest


@click.command(
    "amend",
    cls=Command,
    examples=(
        "unlost amend u-3f9c --plan plan.toml --run",
        "unlost amend --plan plan.toml --note 'keep the old flag for a release'",
        "unlost amend u-3f9c --accept-tree 9f2c1a7b3d",
    ),
)
@click.argument("unit", required=False)
@click.option("--plan", "file", type=click.Path(), metavar="FILE", help="The new plan.")
@click.option("--run", "run", is_flag=True, help="Start the new revision in the same step.")
@click.option("--note", metavar="TEXT", help="A note of yours for every prompt of the new revision.")
@click.option("--approve", metavar="DIGEST", help="Amend only if the plan has this digest; else exit 3.")
@click.option(
    "--accept-tree", "tree", metavar="TREE", help="Take the present tree as the one the revision starts from."
)
@click.pass_obj
def command(
    invocation: Invocation,
    /,
    *,
    unit: str | None,
    file: str | None,
    run: bool,
    note: str | None,
    approve: str | None,
    tree: str | None,
) -> int:
    """Put another plan in force for a unit, on the tree as it is.

    Tasks are matched by id: a done task that did not change stays done, a changed one is reopened. The next attempt
    is told which files the earlier ones changed. Without --run the tree is kept as it is now, and `unlost resume`
    starts the revision only on exactly that tree.
    """
    if (file is None) == (tree is None):
        raise UsageError("give either --plan FILE or --accept-tree TREE", hint="unlost amend --help")
    with open_supervisor(invocation) as supervisor, outliving_the_terminal(invocation, supervisor):
        if tree is not None:
            return answer_unit(invocation, take_tree(supervisor, unit, tree))
        order = order_from_file(invocation, file or "")
        invocation.terminal.talk(f"plan      {plan_digest(order.plan)}")
        amendment = Amendment(plan=order.plan, plan_folder=order.folder, note=note, approve=approve, run=run)
        return answer_unit(invocation, amend(supervisor, unit, amendment))
