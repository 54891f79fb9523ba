"""The order of a prompt's sections, the fence, and that the contract stays outside of it."""

from __future__ import annotations

import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unlost.facts.errors import UsageError
from unlost.prompt.compose import MAXIMUM_PROMPT, Contract, Sections, compose
from unlost.prompt.fence import exact_fence, fence
from unlost.prompt.notes import AUTOMATIC_RESUME, DONE_UNCOMMITTED, LOOP_RULES, retained_work_note

CONTRACT = Contract(
    title="Drop the legacy parser",
    goal="Move every caller.\nKeep the *format*.",
    task="swap",
    text="Call parse_all.",
    acceptance=["no caller is left"],
    scope=["**"],
    paths=["src/cli.py"],
    reverts=[],
    checks=[["pytest", "-q"]],
    done=DONE_UNCOMMITTED,
)


def nonces() -> itertools.count[int]:
    return itertools.count(0x1000000000000000000000000000000)


def next_nonce() -> str:
    return f"{next(COUNTER):032x}"


COUNTER = nonces()


def text_of(sections: Sections) -> str:
    return compose(sections).data.decode("utf-8")


def test_every_section_in_its_fixed_order() -> None:
    """N.6, N.7, N.T8: operator note, automatic-resume note and retained-work note stand together in one fixed order."""
    note = retained_work_note([b"a.py"], lambda path: True)
    assert note is not None
    text = text_of(
        Sections(
            contract=CONTRACT,
            operator_note="mind the cache",
            automatic_resume=AUTOMATIC_RESUME,
            retained_work=note.text,
            handoff="[REAPPLY] a.py",
            brief="the brief",
            answer="the answer",
        )
    )

    places = [
        text.index(part)
        for part in (
            *(
                "Move every caller.",
                "Call parse_all.",
                "no caller is left",
                LOOP_RULES,
                "mind the cache",
                AUTOMATIC_RESUME,
            ),
            *(note.text, "[REAPPLY] a.py", "the brief", "the answer"),
        )
    ]
    assert places == sorted(places)


def test_a_first_attempt_is_the_contract_alone() -> None:
    """N.2, N.T3: without notes the prompt is the contract, which carries goal and task verbatim."""
    text = text_of(Sections(contract=CONTRACT))

    assert CONTRACT.goal in text
    assert "earlier coding attempt" not in text
    assert "Automatic resume" not in text
    assert text.endswith(DONE_UNCOMMITTED + "\n")


def test_the_automatic_resume_note_is_the_same_with_and_without_others() -> None:
    """N.5: the automatic-resume note is unchanged in text whatever else applies."""
    alone = text_of(Sections(contract=CONTRACT, automatic_resume=AUTOMATIC_RESUME))
    together = text_of(
        Sections(contract=CONTRACT, automatic_resume=AUTOMATIC_RESUME, retained_work="x", operator_note="y")
    )

    assert alone.count(AUTOMATIC_RESUME) == together.count(AUTOMATIC_RESUME) == 1


def test_a_prompt_over_its_bound_is_refused_whole() -> None:
    """N.R1: hitting the bound fails safe: nothing is cut silently."""
    with pytest.raises(UsageError):
        compose(Sections(contract=CONTRACT, handoff="x" * MAXIMUM_PROMPT))


def test_digest_and_size_are_of_the_exact_bytes() -> None:
    """N.23: what is recorded is what is sent, byte for byte."""
    prompt = compose(Sections(contract=CONTRACT))

    assert prompt.size == len(prompt.data)
    assert prompt.digest != compose(Sections(contract=CONTRACT, operator_note="other")).digest


@given(st.text(max_size=400), st.text(max_size=80))
def test_no_text_closes_its_fence(body: str, source: str) -> None:
    """R.10: whatever the text holds, there is exactly one opening and one closing line with the block's nonce."""
    block = fence("research", source, body, nonce=next_nonce)
    opening, *_ = block.splitlines()
    value = opening.split(" ")[2]

    assert block.count(value) == 3
    assert block.splitlines()[-2] == f"<<<END {value}>>>"


def test_a_nonce_that_the_text_knows_is_not_used() -> None:
    """A nonce that stands in the body already is drawn again."""
    values = iter(["aa" * 16, "bb" * 16])

    assert "bb" * 16 in fence("answer", "x", f"<<<END {'aa' * 16}>>>", nonce=lambda: next(values)).splitlines()[0]


def test_exact_text_stays_exact() -> None:
    """H.32: text of a fix is shown byte for byte; with hidden characters or CR it is shown as a JSON string."""
    plain = exact_fence("fix", "a.py", "token = 'sk-ant-api03-xxxxxxxx'\n\tx", nonce=next_nonce)
    hidden = exact_fence("fix", "a.py", "a\r\nb\u202e", nonce=next_nonce)

    assert "token = 'sk-ant-api03-xxxxxxxx'\n\tx" in plain
    assert "form=json" in hidden
    assert json.loads(hidden.splitlines()[1]) == "a\r\nb\u202e"
