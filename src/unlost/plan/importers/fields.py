"""Reading single fields of other tools' JSON: what has another type than it should is named with its line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from unlost.facts.errors import Problem
from unlost.plan.importers.facts import Node


class Fields:
    """The fields of one JSON object, whose problems are gathered in a list that all objects of a file share."""

    def __init__(self, node: Node, problems: list[Problem]) -> None:
        self.node = node
        self._problems = problems

    def text(self, *names: str) -> str:
        """The text of the first of these fields that is there and not null; empty when there is none."""
        for name in names:
            found = self.node.below.get(name)
            if found is None or found.value is None:
                continue
            if isinstance(found.value, str):
                return found.value.replace("\r\n", "\n").strip()
            self._complain(found, f"`{name}` is not text")
        return ""

    def number_or_text(self, name: str) -> str:
        """A field that one tool writes as a number and another as text, as text; empty when it is not there."""
        found = self.node.below.get(name)
        if found is None or found.value is None:
            return ""
        if isinstance(found.value, str | int | float) and not isinstance(found.value, bool):
            return str(found.value).strip()
        self._complain(found, f"`{name}` is neither text nor a number")
        return ""

    def texts(self, name: str) -> tuple[str, ...]:
        """The texts of a list, without empty ones; a single text is a list of one."""
        found = self.node.below.get(name)
        if found is None or found.value is None:
            return ()
        if isinstance(found.value, str):
            return (found.value.strip(),) if found.value.strip() else ()
        kept = []
        for each in self._each(found, name):
            if isinstance(each.value, str):
                kept.append(each.value.replace("\r\n", "\n").strip())
            else:
                self._complain(each, f"`{name}` holds something that is not text")
        return tuple(text for text in kept if text)

    def is_true(self, name: str) -> bool:
        """Whether a field is there and true."""
        found = self.node.below.get(name)
        if found is not None and not isinstance(found.value, bool) and found.value is not None:
            self._complain(found, f"`{name}` is neither true nor false")
        return found is not None and found.value is True

    def objects(self, name: str) -> Sequence[Fields]:
        """The objects of a list."""
        found = self.node.below.get(name)
        if found is None or found.value is None:
            return ()
        kept = []
        for each in self._each(found, name):
            if isinstance(each.value, dict):
                kept.append(Fields(each, self._problems))
            else:
                self._complain(each, f"`{name}` holds something that is no object")
        return kept

    def ids(self, name: str) -> tuple[str, ...]:
        """The ids of a list, numbers among them."""
        found = self.node.below.get(name)
        if found is None or found.value is None:
            return ()
        return tuple(
            str(each.value)
            for each in self._each(found, name)
            if isinstance(each.value, str | int | float) and not isinstance(each.value, bool)
        )

    def _each(self, found: Node, name: str) -> Iterator[Node]:
        if isinstance(found.value, list):
            yield from found.below.values()
        else:
            self._complain(found, f"`{name}` is no list")

    def _complain(self, node: Node, what: str) -> None:
        self._problems.append(Problem(line=node.line, what=what))
