"""Colours: five meanings, off unless the stream is a terminal; no text depends on them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, Literal

from unlost.facts.records import dataclass

ColorMode = Literal["auto", "always", "never"]
COLOR_MODES: Final = ("auto", "always", "never")


@dataclass(frozen=True, kw_only=True)
class Palette:
    """What each meaning looks like; with `colored=False` every text comes back as it is."""

    colored: bool

    def loss(self, text: str) -> str:
        """Work that is gone, and failures."""
        return self._dress(text, "1;31")

    def warning(self, text: str) -> str:
        """Something to look at that stops nothing."""
        return self._dress(text, "33")

    def good(self, text: str) -> str:
        """Work that stands, and what came back."""
        return self._dress(text, "32")

    def strong(self, text: str) -> str:
        """What to read first, and what to type."""
        return self._dress(text, "1")

    def faint(self, text: str) -> str:
        """Ids, times and other details."""
        return self._dress(text, "2")

    def _dress(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.colored and text else text


PLAIN: Final = Palette(colored=False)


def choose_palette(mode: ColorMode, environment: Mapping[str, str], is_terminal: Callable[[], bool]) -> Palette:
    """The palette for one stream: the flag decides, then NO_COLOR, then FORCE_COLOR, then the stream."""
    if mode != "auto":
        return Palette(colored=mode == "always")
    if environment.get("NO_COLOR"):
        return PLAIN
    if environment.get("FORCE_COLOR"):
        return Palette(colored=True)
    return Palette(colored=is_terminal() and environment.get("TERM") != "dumb")
