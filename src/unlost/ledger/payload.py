"""Typed payloads of events: frozen dataclasses out of facts and back, strictly.

The room that emits an event declares its payload here with `Declared`; the vocabulary of a room turns payloads
into events and events into payloads. Decoding refuses what was not declared: an unknown key, a missing key, a
value of another type. A key may be missing when its field has a default: that is how a payload grows. Any other
change makes a new version, and a function over the facts of the old one brings them up.

Field types: text, whole numbers, floats, booleans, `bytes` (a path, as `path_json` writes it), literals, other
dataclasses and unions of them, `X | None`, `tuple[X, ...]`, `frozenset[X]` and `Mapping[str, X]`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from types import NoneType, UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

from unlost.facts.quoting import path_from_json, path_json
from unlost.facts.records import MISSING, Field, dataclass, fields, is_dataclass
from unlost.ledger.events import Event, Facts, NewEvent
from unlost.ledger.protocol import LedgerUnavailable, StreamDamaged

Upgrade = Callable[[Facts], Facts]
_Convert = Callable[[Any], Any]
_SIMPLE: Final = (str, int, float, bool)
_OPTIONAL: Final = (UnionType, Union)  # `Literal[…] | None` is the older of the two


@dataclass(frozen=True, kw_only=True, slots=True)
class Declared:
    """One kind of event: its payload, and the functions that bring facts of version 1, 2, … one version up."""

    payload: type
    upgrades: tuple[Upgrade, ...] = ()

    @property
    def version(self) -> int:
        """The version that is written today."""
        return len(self.upgrades) + 1


class Vocabulary:
    """The events of one room, by kind."""

    def __init__(self, kinds: Mapping[str, Declared]) -> None:
        self._kinds = kinds
        self._names = {declared.payload: kind for kind, declared in kinds.items()}

    def new(self, payload: object, *, key: str, body: bytes | None = None) -> NewEvent:
        """The event that carries this payload; its type must be declared."""
        shape: Any = type(payload)
        kind = self._names[shape]
        facts = encoder(shape)(payload)
        return NewEvent(kind=kind, key=key, facts=facts, body=body, version=self._kinds[kind].version)

    def payload(self, event: Event) -> Any:
        """The payload of a stored event.

        Raises StreamDamaged when the facts are not what was declared, LedgerUnavailable when the event was written
        by a newer unlost.
        """
        declared = self._kinds.get(event.kind)
        if declared is None or event.version > declared.version:
            raise LedgerUnavailable(
                f"{event.stream} has an event {event.kind} of version {event.version}, written by a newer unlost",
                hint="pip install --upgrade unlost",
            )
        try:
            facts = event.facts
            for upgrade in declared.upgrades[event.version - 1 :]:
                facts = upgrade(facts)
            return decoder(declared.payload)(facts)
        except (ValueError, TypeError, KeyError) as error:
            raise StreamDamaged(event.stream, f"event {event.sequence} ({event.kind}): {error}") from error


@functools.cache
def encoder(kind: Any) -> _Convert:
    """The function that turns a value of this type into JSON."""
    if kind in _SIMPLE or get_origin(kind) is Literal:
        return _same
    if kind is bytes:
        return path_json
    if is_dataclass(kind):
        parts = [(name, encoder(hint)) for name, hint in _hints(kind)]
        return lambda value: {name: encode(getattr(value, name)) for name, encode in parts}
    if _choices(kind):
        by_type = {choice: encoder(choice) for choice in _choices(kind)}
        return lambda value: None if value is None else {"is": type(value).__name__} | by_type[type(value)](value)
    inner = encoder(_inner(kind))
    if get_origin(kind) is tuple:
        return lambda value: [inner(part) for part in value]
    if get_origin(kind) is frozenset:
        return lambda value: [inner(part) for part in sorted(value)]
    if get_origin(kind) in _OPTIONAL:
        return lambda value: None if value is None else inner(value)
    return lambda value: {name: inner(part) for name, part in value.items()}


@functools.cache
def decoder(kind: Any) -> _Convert:
    """The function that reads a value of this type from JSON; it raises ValueError or TypeError for anything else."""
    if kind is bytes:
        return path_from_json
    if kind in _SIMPLE or get_origin(kind) is Literal:
        words = frozenset(get_args(kind))
        return functools.partial(_literal, words) if words else functools.partial(_simple, kind)
    if isinstance(kind, type) and is_dataclass(kind):
        needed = frozenset(field.name for field in fields(kind) if not _has_default(field))
        return functools.partial(_dataclass, kind, {name: decoder(hint) for name, hint in _hints(kind)}, needed)
    if _choices(kind):
        return functools.partial(_choice, {choice.__name__: decoder(choice) for choice in _choices(kind)})
    inner = decoder(_inner(kind))
    if get_origin(kind) is tuple:
        return functools.partial(_tuple, inner)
    if get_origin(kind) is frozenset:
        return lambda value: frozenset(_tuple(inner, value))
    if get_origin(kind) in _OPTIONAL:
        return lambda value: None if value is None else inner(value)
    return functools.partial(_mapping, inner)


def _has_default(field: Field[Any]) -> bool:
    return field.default is not MISSING or field.default_factory is not MISSING


def _hints(kind: Any) -> list[tuple[str, Any]]:
    hints = get_type_hints(kind)
    return [(field.name, hints[field.name]) for field in fields(kind)]


def _choices(kind: Any) -> tuple[Any, ...]:
    """The dataclasses of a union of several; empty for any other type."""
    if get_origin(kind) not in _OPTIONAL:
        return ()
    parts = tuple(part for part in get_args(kind) if part is not NoneType)
    return parts if len(parts) > 1 and all(is_dataclass(part) for part in parts) else ()


def _inner(kind: Any) -> Any:
    """What an optional, a collection or a mapping holds; TypeError for a type that payloads may not have."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin in _OPTIONAL and len(parts) == 2 and NoneType in parts:
        return parts[0] if parts[1] is NoneType else parts[1]
    if origin is frozenset or (origin is tuple and len(parts) == 2 and parts[1] is ...):
        return parts[0]
    if origin is Mapping and parts[0] is str:
        return parts[1]
    raise TypeError(f"a payload cannot have a field of type {kind}")


def _same(value: Any) -> Any:
    return value


def _simple(kind: type, value: Any) -> Any:
    if kind is float and type(value) is int:
        return float(value)
    if type(value) is not kind:
        raise ValueError(f"{value!r} is not {kind.__name__}")
    return value


def _literal(words: frozenset[Any], value: Any) -> Any:
    if value not in words:
        raise ValueError(f"{value!r} is none of {sorted(words)}")
    return value


def _dataclass(kind: type, parts: Mapping[str, _Convert], needed: frozenset[str], value: Any) -> Any:
    if not isinstance(value, dict):
        raise TypeError(f"{kind.__name__} must be an object")
    wrong = (value.keys() - parts.keys()) | (needed - value.keys())
    if wrong:
        raise ValueError(f"{kind.__name__} has keys that are missing or unknown: {sorted(wrong)}")
    return kind(**{name: parts[name](part) for name, part in value.items()})


def _choice(by_name: Mapping[str, _Convert], value: Any) -> Any:
    if value is None:
        return None
    if not isinstance(value, dict) or value.get("is") not in by_name:
        raise ValueError(f"an object is expected that is one of {sorted(by_name)}")
    return by_name[value["is"]]({name: part for name, part in value.items() if name != "is"})


def _tuple(inner: _Convert, value: Any) -> Any:
    if not isinstance(value, list):
        raise TypeError("a list is expected")
    return tuple(inner(part) for part in value)


def _mapping(inner: _Convert, value: Any) -> Any:
    if not isinstance(value, dict):
        raise TypeError("an object is expected")
    return {name: inner(part) for name, part in value.items()}
