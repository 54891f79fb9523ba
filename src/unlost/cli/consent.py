"""What only a person may say: questions on a terminal, and refusals where nobody can be asked."""

from __future__ import annotations

from unlost.cli.invocation import Invocation
from unlost.facts.errors import NeedsPerson
from unlost.host.environment import is_below_attempt


def is_agreed(invocation: Invocation, statement: str) -> bool:
    """Whether a person agrees; `-y` agrees beforehand. Only a terminal is asked."""
    if invocation.assume_yes:
        return True
    if not invocation.may_ask:
        return False
    return invocation.terminal.ask(f"{statement}. Go on? [y/N] ").strip().lower() in {"y", "yes"}


def require_person(invocation: Invocation, what: str) -> None:
    """Raise NeedsPerson below an agent, whatever it says, and where no person is and none said `-y` beforehand."""
    if is_below_attempt():
        raise NeedsPerson(f"{what} is for a person to say, not for an agent", hint="unlost accept, in your terminal")
    if not (invocation.may_ask or invocation.assume_yes):
        raise NeedsPerson(f"{what} is for a person to say, and no terminal is here", hint="add -y if you mean it")
