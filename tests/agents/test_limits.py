"""The ways in which agents say that their provider takes no more for now."""

from __future__ import annotations

import json

import pytest

from unlost.agents.claude import Claude
from unlost.agents.limits import limit_of
from unlost.agents.protocol import AgentSettings, RateLimit
from unlost.agents.reset_times import ResetTime


@pytest.mark.parametrize(
    ("error", "limit"),
    [
        ("Claude AI usage limit reached|1764579600", RateLimit(resets_at=1764579600.0)),
        ("You've hit your usage limit. Try again in 1 hour 5 minutes.", RateLimit(resets_in=3900.0)),
        ("You've hit your usage limit, try again in 3 days, 4 hours and 5 minutes", RateLimit(resets_in=273900.0)),
        ("Rate limit reached for gpt-5: please try again in 1.5s", RateLimit(resets_in=1.5)),
        ("Rate limit reached, try again in 6m0s.", RateLimit(resets_in=360.0)),
        ("usage limit: resets at 2026-12-01T05:00:00Z", RateLimit(resets_at=1796101200.0)),
        (
            "You’ve hit your usage limit. Visit x or try again at 6:49 AM.",
            RateLimit(resets_clock=ResetTime(hour=6, minute=49)),
        ),
        ("You’ve hit your usage limit, try again at 12:05 AM.", RateLimit(resets_clock=ResetTime(hour=0, minute=5))),
        ("usage limit: try again in 999999999999 days", RateLimit()),
        ("429 Too Many Requests (at 12:30:45, try 3 of 10)", RateLimit()),
        ("exceeded retry limit, last status: 429 Too Many Requests", RateLimit()),
        ("API error 529: Overloaded", RateLimit()),
        ("RESOURCE_EXHAUSTED: quota", RateLimit()),
        ("You've hit your session limit", RateLimit()),
        ("unexpected status 401 Unauthorized", None),
        ("the model wrote 4290 words", None),
        ("the turn failed", None),
    ],
)
def test_a_limit_is_read_from_words(error: str, limit: RateLimit | None) -> None:
    """A limit is recognised by its words, with the moment or the time until its reset when they name one."""
    assert limit_of(error) == limit


def test_a_status_decides_over_words() -> None:
    """Where the agent tells the HTTP status apart, words that look like a limit make none of a 401."""
    assert limit_of("no rate limit was reached", status=401) is None
    assert limit_of("scripted failure", status=429) == RateLimit()


def test_claude_tells_the_reset_in_a_line_of_its_own() -> None:
    """Claude Code's `rate_limit_event` that rejects holds the moment; one that only warns is none."""
    agent = Claude(AgentSettings(), "claude")
    for told in ({"status": "allowed_warning", "resetsAt": 5}, {"status": "rejected", "resetsAt": 1764579600}):
        agent.listen(json.dumps({"type": "rate_limit_event", "rate_limit_info": told}).encode(), 0)
    failed = {"type": "result", "subtype": "success", "is_error": True, "api_error_status": 429, "result": "limit"}
    agent.listen(json.dumps(failed).encode(), 0)

    assert agent.conclude(1).limit == RateLimit(resets_at=1764579600.0)
