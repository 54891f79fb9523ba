from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest

from unlost.plan.build import TABLES
from unlost.plan.digest import normal_form, plan_digest, plan_from_normal_form
from unlost.plan.facts import Plan
from unlost.plan.parse import parse_plan

TEXT = """
goal = "x"
[budget]
deadline = "90m"
cost_usd = 5
[[task]]
id = "one"
text = "Do it."
check = [["true"]]
[[check]]
name = "all"
run = ["true"]
"""
OTHERWISE = """\
goal   = '''
x
'''
budget = { cost_usd = 5.0, deadline = "1h30m", turns = 200 }  # the default, written out
check = [ { run = ['true'], name = "all" } ]
[[task]]
text = "  Do it.  "
check = [
    ["true"],
]
id = 'one'
[scope]
paths = ["**"]
"""


def plan(text: str = TEXT) -> Plan:
    return parse_plan(text.encode(), name="plan.toml")


def test_digest_is_independent_of_formatting() -> None:
    """design.md, Words: the digest is the sha256 of the canonical JSON; order, blanks and defaults change nothing."""
    assert plan_digest(plan(OTHERWISE)) == plan_digest(plan())
    assert len(plan_digest(plan())) == 64


def test_digest_is_stable() -> None:
    """An approved digest stays that of the plan in every later version; a new key must keep it for old plans."""
    assert plan_digest(plan()) == "a94bae06d35b6d79413f0f0dc2c19964a060b77e966b876b5f61f284e0c20c8f"


@pytest.mark.parametrize("table", sorted(TABLES))
def test_every_key_of_a_table_is_bound(table: str) -> None:
    """N.R5: an approved digest binds exactly what was shown: whatever key changes, the digest does."""
    before = plan()
    for field in dataclasses.fields(getattr(before, table)):
        other: Any = dataclasses.replace(getattr(before, table), **{field.name: "something else"})

        assert plan_digest(dataclasses.replace(before, **{table: other})) != plan_digest(before)


def test_order_of_tasks_is_bound() -> None:
    """Tasks are ordered: another order is another plan."""
    two = plan(TEXT + '[[task]]\nid = "two"\ntext = "y"\n')
    swapped = dataclasses.replace(two, tasks=two.tasks[::-1])

    assert plan_digest(two) != plan_digest(swapped)


def test_normal_form_leads_back_to_the_plan() -> None:
    """The ledger keeps the normal form as JSON; the plan of it is the same plan."""
    stored = json.loads(json.dumps(normal_form(plan())))

    assert plan_from_normal_form(stored) == plan()


@pytest.mark.parametrize("key", ["goal", "tasks", "budget"])
def test_damaged_normal_form_is_refused(key: str) -> None:
    """A stored plan with a key missing, or one too many, is an error, not a plan with a default."""
    form = normal_form(plan())
    missing = {name: value for name, value in form.items() if name != key}

    with pytest.raises(ValueError, match="not the normal form"):
        plan_from_normal_form(missing)
    with pytest.raises(ValueError, match="not the normal form"):
        plan_from_normal_form({**form, "more": 1})
