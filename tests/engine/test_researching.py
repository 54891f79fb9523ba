"""The research step as the engine carries it out, over the real ledger."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from engine.fake_research import BLOCKED, COMMIT, READY
from engine.fake_world import World
from engine.research_units import UNIT, Researched, researched

from unlost.facts.errors import NeedsPerson
from unlost.ledger.protocol import Ledger
from unlost.plan.facts import Budget, Plan
from unlost.research.brief import brief_digest, canonical_brief, parse_brief
from unlost.unit.attempt_events import AttemptIntended
from unlost.unit.report import unit_document
from unlost.unit.research_events import ResearchOpened

SMALL = {**READY, "evidence": [{"claim": "one", "source": "s"}], "sources": [{"id": "s", "kind": "note", "ref": "x"}]}


def test_research_runs_before_the_first_coding_attempt(unit: Researched) -> None:
    """R.23, R.46, R.A5, R.A10: one researcher, then coding in its own stage; only the unit's end settles it."""
    unit.world.research.brief = READY
    state = unit.run()
    kinds = [event.kind for event in unit.ledger.read(UNIT)]

    assert state.phase == "done"
    assert unit.researchers() == 1
    assert kinds.index("research.settled") < kinds.index("attempt.intended")
    assert kinds.count("unit.ended") == 1


def test_research_alone_never_ends_a_unit(unit: Researched) -> None:
    """R.46, R.A10: a finished research leaves the unit open, in the stage of research, until coding begins."""
    unit.world.research.brief = READY
    unit.world.deeds["one"] = lambda files, number: pytest.fail("the work tree is looked at below")
    with pytest.raises(pytest.fail.Exception):
        unit.run()
    settled = unit.events("research.settled")[0]

    assert settled.facts["result"] == "ready"
    assert not unit.state.over
    assert all(task.state in ("waiting", "running") for task in unit.state.tasks)


def test_the_request_is_bound_and_stored_before_the_researcher_starts(unit: Researched) -> None:
    """R.30, R.42, R.A9c: contract, requester, unit, step, repository and full commit are on record first."""
    unit.world.research.brief = READY
    seen: list[str] = []
    unit.world.research.meanwhile = lambda: seen.extend(event.kind for event in unit.ledger.read(UNIT))
    unit.run()
    opened = unit.events("research.opened")[0]

    assert seen[-1] == "research.opened"
    assert opened.facts["tag"] == {
        "ledger": "l-1",
        "unit": UNIT,
        "requester": "a person",
        "step": "research",
        "attempt": "u-1-research-1-1",
        "repository": "r" * 64,
        "commit": COMMIT,
        "contract": unit.state.digest,
    }
    assert unit.ledger.body(UNIT, opened.sequence) == unit.world.research.orders[0].prompt


def test_the_request_asks_for_a_check_of_the_given_plan(unit: Researched) -> None:
    """R.26, R.45: the whole contract is told, tasks are to be checked against the commit, the account to be short."""
    unit.world.research.brief = READY
    unit.run()
    request = unit.world.research.orders[0].prompt.decode()

    assert "Do all three." in request
    assert "## Task two\n\nDo two." in request
    assert COMMIT in request
    assert "Simple work deserves a short look" in request
    assert "Do not replace them" in request
    assert "End with a short account: decision, findings, sources, approach, verification" in request


def test_coding_gets_the_brief_as_fenced_advice_after_its_contract(unit: Researched) -> None:
    """R.7, R.8, R.9, R.A2: the contract stands outside and first; the brief is one fence, claims marked unverified."""
    unit.world.research.brief = READY
    unit.run()

    for prompt, order in zip(unit.prompts(), unit.world.orders, strict=True):
        assert prompt.count("<<<UNTRUSTED research ") == 1
        assert prompt.index("## Goal\n\nDo all three.") < prompt.index("<<<UNTRUSTED research ")
        assert prompt.index(f"Your task: {order.task}") < prompt.index("<<<UNTRUSTED research ")
        assert "Claims (unverified):\n- three call sites [s1]" in prompt
        assert "Planned proof:\n- run the suite" in prompt
        assert "Unknown:\n- who else imports it" in prompt


def test_every_coding_attempt_says_which_brief_it_was_given(unit: Researched) -> None:
    """R.34: the digest of the brief is public in every attempt that was given it."""
    unit.world.research.brief = READY
    unit.run()
    digest = brief_digest(parse_brief(json.dumps(READY).encode(), redact=str))

    assert [told.brief for told in unit.world.told if isinstance(told, AttemptIntended)] == [digest] * 3


def test_a_simple_brief_is_enough(unit: Researched) -> None:
    """R.5, R.26, R.A1: a small brief about simple work passes."""
    unit.world.research.brief = SMALL

    assert unit.run().phase == "done"


@pytest.mark.parametrize(
    ("brief", "failure"),
    [
        (None, "no_brief"),
        (b"{", "malformed"),
        ({**READY, "commit": "abc1234"}, "malformed"),
        ({**READY, "evidence": []}, "malformed"),
        ({**READY, "plan": "mine"}, "malformed"),
        ({**READY, "goal": "x" * 9000}, "malformed"),
        ({**READY, "readiness": "blocked"}, "malformed"),
        ({**READY, "commit": "b" * 40}, "other_commit"),
    ],
)
def test_failed_research_ends_the_unit_before_coding(unit: Researched, brief: object, failure: str) -> None:
    """R.6, R.16: research without a sound brief about its own commit fails the unit; it is not parked."""
    unit.world.research.brief = brief  # type: ignore[assignment]  # rubbish on purpose
    state = unit.run()

    assert (state.phase, state.reason) == ("failed", f"research_{failure}")
    assert unit.world.orders == []
    assert unit.events("research.intended") == []


def test_a_researcher_that_ends_in_an_error_fails_the_unit(unit: Researched) -> None:
    """R.16: failed research aborts before implementation, whatever it left."""
    unit.world.research.brief, unit.world.research.error = READY, "it crashed"
    state = unit.run()

    assert (state.phase, state.reason) == ("failed", "research_agent_failed")
    assert unit.world.orders == []


def test_secrets_are_taken_out_before_anything_is_stored(unit: Researched) -> None:
    """R.20: redacted, then validated, then stored."""
    unit.world.research.brief = {**READY, "approach": ["use s3cret-value"]}
    unit.run()
    stored = unit.events("research.stored")[0]
    body = unit.ledger.body(UNIT, stored.sequence) or b""

    assert b"[REDACTED:test]" in body
    assert all(b"s3cret-value" not in (unit.ledger.body(UNIT, e.sequence) or b"") for e in unit.ledger.read(UNIT))


def test_brief_closure_and_tag_survive_in_the_ledger(unit: Researched) -> None:
    """R.34, R.43, R.A9e: reopened, the real ledger still has the exact brief, all its origins, and the tag."""
    unit.world.research.brief = READY
    unit.run()
    record = unit.state.research
    assert record is not None
    assert record.settled is not None
    told = json.loads(unit.ledger.body(UNIT, record.settled_at) or b"")
    brief = parse_brief(json.dumps(READY).encode(), redact=str)

    assert unit.ledger.body(UNIT, record.standing.stored_at or 0) == canonical_brief(brief)
    assert [(origin["kind"], origin["ref"], origin["commit"]) for origin in told["origins"]] == [
        ("file", "a", COMMIT),
        ("url", "https://x.test", None),
    ]
    assert record.settled.sources == tuple(origin["id"] for origin in told["origins"])
    assert record.opened.tag.commit == COMMIT


def test_public_facts_hold_no_word_of_research(unit: Researched) -> None:
    """R.41, R.A9b: neither an event's facts nor the unit's document carry text of brief, question or answer."""
    unit.park()
    unit.answer("Only the secret customer.")
    state = unit.resume()
    public = json.dumps([dict(event.facts) for event in unit.ledger.read(UNIT)]) + json.dumps(unit_document(state))

    for word in ("1.x", "three call sites", "secret customer", "x.test", "who else"):
        assert word not in public


def test_a_replay_follows_the_recorded_selection(unit: Researched, plan: Plan) -> None:
    """R.27: the steps are on record with the admission; a resumed unit follows them."""
    unit.world.research.brief = READY
    unit.world.deeds["one"] = lambda files, number: pytest.fail("stop here")
    with pytest.raises(pytest.fail.Exception):
        unit.run()

    assert unit.events("unit.admitted")[0].facts["steps"] == ["research", "code"]
    assert unit.state.steps == ("research", "code")


def test_a_unit_without_the_step_acquires_none(world: World, ledger: Ledger, unit: Researched, plan: Plan) -> None:
    """R.28: a unit that was admitted without research gets no researcher and no requirement."""
    unit.admission = replace(unit.admission, plan=plan)
    state = unit.run()

    assert state.phase == "done"
    assert unit.researchers() == 0
    assert "<<<UNTRUSTED research" not in unit.prompts()[0]


def test_what_a_researcher_writes_is_reported(unit: Researched) -> None:
    """R.23: paths that it wrote outside its outbox are on record, counted and named."""
    unit.world.research.brief, unit.world.research.discarded = READY, (b"main.rs", b"new")
    state = unit.run()

    assert unit.events("research.ended")[0].facts["discarded"] == ["main.rs", "new"]
    assert unit_document(state)["research"]["discarded"] == 2


def test_without_a_commit_there_is_nothing_to_investigate(unit: Researched) -> None:
    """R.30: research needs a full commit; before the first one nobody is started, and the unit waits for it."""
    unit.world.research.brief, unit.world.research.commit = READY, None
    with pytest.raises(NeedsPerson):
        unit.run()
    assert unit.researchers() == 0
    unit.world.research.commit = COMMIT

    assert unit.resume().phase == "done"


def test_research_is_charged_to_the_units_own_lease(unit: Researched) -> None:
    """R.24, R.48, R.A11: what research used stands beside coding, priced, under the same deadline."""
    unit.world.research.brief = READY
    state = unit.run()

    assert state.spent.known_usd == pytest.approx(0.2 + 3 * 0.1)
    assert state.spent.tokens == 40
    assert state.spent.turns == 4 + 9
    assert state.terms.deadline == unit.events("unit.admitted")[0].facts["terms"]["deadline"]


def test_an_unknown_price_of_research_pauses_before_coding(unit: Researched, plan: Plan) -> None:
    """R.49, R.A11: with a cost cap a researcher whose price nobody knows is not free: no coding is paid for."""
    unit.admission = replace(unit.admission, plan=replace(researched(plan), budget=Budget(cost_usd=5.0)))
    unit.world.research.brief, unit.world.research.cost_usd = READY, None
    state = unit.run()

    assert (state.phase, state.reason) == ("paused", "price_unknown")
    assert unit.world.orders == []


def test_the_researcher_gets_its_share_and_no_more(unit: Researched, plan: Plan) -> None:
    """R.24: turns, seconds, dollars and tokens of its own; the rest stays for coding."""
    budget = Budget(deadline=10_000.0, cost_usd=5.0, tokens=1000)
    unit.admission = replace(unit.admission, plan=replace(researched(plan, turns=7, share=0.1), budget=budget))
    unit.world.research.brief = READY
    unit.run()
    caps = unit.world.research.orders[0].caps

    assert (caps.turns, caps.wall_clock, caps.cost_usd, caps.tokens) == (7, 1000.0, 0.5, 100)


def test_research_that_would_eat_codings_minimum_is_refused(unit: Researched, plan: Plan) -> None:
    """R.24: three tasks keep a minute each; what is left is too little, so no researcher starts; more time goes on."""
    unit.admission = replace(unit.admission, plan=replace(researched(plan), budget=Budget(deadline=185.0)))
    unit.world.research.brief = READY
    state = unit.run()

    assert (state.phase, state.reason) == ("paused", "reserve")
    assert unit.researchers() == 0
    assert unit_document(state)["next"] == "unlost resume u-1 --extend 1h"
    assert unit.resume(extend=3600.0).phase == "done"


def test_a_second_task_is_told_of_the_blocked_briefs_answer_too(unit: Researched) -> None:
    """R.12, R.13: the brief keeps its blocked label, and its answer goes along, in every coding prompt."""
    unit.park()
    unit.answer()
    unit.resume()

    assert all("Decision: blocked: Is the 1.x format" in prompt for prompt in unit.prompts())
    assert all("Yes, until 3.0." in prompt for prompt in unit.prompts())


def test_the_opened_event_names_the_attempt_for_ever(unit: Researched) -> None:
    """R.A9d: a researcher's record has the immutable tag of its own spawn, and nothing later rewrites it."""
    unit.world.research.brief = BLOCKED
    unit.run()
    before = [told for told in unit.world.told if isinstance(told, ResearchOpened)]
    unit.answer()
    unit.resume()

    assert unit.state.research is not None
    assert [unit.state.research.opened] == before
