"""Which exact texts of a handoff look like they hold a secret: they are never redacted, so a person is told.

A secret-like shape in `anchor`, `before` or `after` stays as it is, for a redacted fix is no fix (H.32); it is
reported by field.
"""

from __future__ import annotations

from unlost.facts.records import dataclass
from unlost.handoff.facts import Handoff
from unlost.host.redaction import secret_kinds


@dataclass(frozen=True, kw_only=True)
class SecretField:
    """A field such as `exact_fixes[0].after`, and the kinds of secrets it seems to hold."""

    field: str
    kinds: tuple[str, ...]


def secret_fields(handoff: Handoff) -> tuple[SecretField, ...]:
    """Every exact text that has the shape of a secret, in the handoff's order; the values are not in it."""
    found = []
    for index, fix in enumerate(handoff.exact_fixes):
        for name, text in (("anchor", fix.anchor), ("before", fix.before), ("after", fix.after)):
            kinds = secret_kinds(text)
            if kinds:
                found.append(SecretField(field=f"exact_fixes[{index}].{name}", kinds=kinds))
    return tuple(found)
