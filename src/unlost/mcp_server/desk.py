"""What stands behind the tools: a desk where one attempt hands things in; `app/` fills it, tests fake it."""

from __future__ import annotations

from typing import Literal, Protocol

Matter = Literal["handoff", "brief", "findings", "report"]


class Refused(Exception):
    """What the agent asked for was not done; the text tells it what to correct."""


class Desk(Protocol):
    """One attempt's desk. Called from several threads; every method may raise Refused."""

    def hand_in(self, matter: Matter, value: object) -> str:
        """Keep what the agent hands in, whole and checked; what came earlier is replaced. Returns what to tell it."""

    def status(self) -> str:
        """What of the work that was there before stands now, and what is lost."""

    def restore(self, path: str) -> str:
        """Bring a lost path back, as it was last seen. Returns what to tell the agent."""
