"""Dataclasses that cost a fiftieth to define, and nothing to import.

`dataclasses.dataclass` writes six methods as source text for every class and compiles them at import: 0.6 ms a class
with CPython 3.11, and `mark` imports a hundred; and importing `dataclasses` reads `inspect`, `ast` and `tokenize`,
which takes as long as a third of a mark. Here the methods are shared by all classes and look at their fields. Type
checkers see the standard decorator and functions. The standard library's own `fields`, `replace` and `asdict` take
these classes too, and pattern matching works as ever. `slots` is accepted and saves nothing.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from dataclasses import MISSING, Field, FrozenInstanceError, asdict, field, fields, is_dataclass, replace
    from dataclasses import dataclass as dataclass  # noqa: PLC0414  (the explicit form of a re-export)
else:

    class _Missing:
        """The default of a field that has none."""

        def __repr__(self):
            return "MISSING"

    MISSING: Final = _Missing()

    class FrozenInstanceError(AttributeError):
        """A field of a frozen record was assigned to, or deleted."""

    class Field:
        """One field of a record; `default` and `default_factory` are MISSING where there is none."""

        __slots__ = ("compare", "default", "default_factory", "kw_only", "name", "type")

        def __init__(self, default=MISSING, default_factory=MISSING, compare=True):  # noqa: FBT002  (as in `field`)
            self.default = default
            self.default_factory = default_factory
            self.compare = compare

        def named(self, name, kind, kw_only):
            """The field with its place in a class."""
            self.name, self.type, self.kw_only = name, kind, kw_only
            return self

    def field(*, default=MISSING, default_factory=MISSING, compare=True):
        """`dataclasses.field`, of those of its choices that unlost uses."""
        return Field(default, default_factory, compare)

    def dataclass(cls=None, /, *, frozen=False, kw_only=False, slots=False):  # noqa: ARG001  (slots: see above)
        """`dataclasses.dataclass(frozen=…, kw_only=…)` without a compilation."""
        if cls is None:
            return lambda decorated: _record(decorated, frozen=frozen, kw_only=kw_only)
        return _record(cls, frozen=frozen, kw_only=kw_only)

    def is_dataclass(thing):
        """Whether this is a record, or a class of records."""
        return hasattr(thing if isinstance(thing, type) else type(thing), "__layout__")

    def fields(record):
        """The fields of a record or of a class of records, in order. Raises TypeError for anything else."""
        if not is_dataclass(record):
            raise TypeError(f"{record!r} is no record")
        return record.__layout__.fields

    def replace(record, /, **changes):
        """The record with other values in some fields."""
        of_fields = record.__dict__
        if of_fields.keys() != record.__layout__.names:
            # What a cached property computed holds for the old values only.
            of_fields = {name: of_fields[name] for name in record.__layout__.names}
        return type(record)(**{**of_fields, **changes})

    def asdict(record):
        """The record as dictionaries, those in tuples, lists and dictionaries too; other values as they are."""
        return {each.name: _plain(getattr(record, each.name)) for each in fields(record)}

    def _plain(value):
        if is_dataclass(value) and not isinstance(value, type):
            return asdict(value)
        if isinstance(value, (list, tuple)):
            parts = [_plain(part) for part in value]
            return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
        if isinstance(value, dict):
            return {_plain(key): _plain(part) for key, part in value.items()}
        return value


__all__ = (
    "MISSING",
    "Field",
    "FrozenInstanceError",
    "asdict",
    "dataclass",
    "field",
    "fields",
    "is_dataclass",
    "replace",
)


class _Layout(NamedTuple):
    """What the shared functions need to know of a class."""

    fields: tuple[Any, ...]
    names: frozenset[str]
    positional: tuple[str, ...]
    defaults: dict[str, Any]
    factories: dict[str, Any]
    order: tuple[str, ...]


class _StandardFields:
    """The fields as the standard library keeps them: made when its own functions ask, which have imported it."""

    def __get__(self, _record: object, owner: Any) -> Any:
        standard = sys.modules.get("dataclasses")
        if standard is None:
            raise AttributeError("__dataclass_fields__")
        made = []
        for each in owner.__layout__.fields:
            given = {name: getattr(each, name) for name in ("default", "default_factory")}
            known = {name: value for name, value in given.items() if value is not MISSING}
            made.append((each.name, each.type, standard.field(**known, compare=each.compare, kw_only=each.kw_only)))
        return standard.make_dataclass(owner.__name__, made, init=False).__dataclass_fields__


def _record(cls: Any, *, frozen: bool, kw_only: bool) -> type:
    own = vars(cls)
    found: dict[str, Any] = {}
    for base in reversed(cls.__mro__[1:]):
        if "__layout__" in vars(base):
            found |= {each.name: each for each in base.__layout__.fields}
    for name, kind in cls.__annotations__.items():
        if not str(kind).startswith(("ClassVar", "typing.ClassVar")):
            found[name] = _field(cls, name, kind, kw_only=kw_only)
    cls.__layout__ = _layout(tuple(found.values()))
    cls.__dataclass_fields__ = _StandardFields()
    methods: dict[str, Any] = {"__init__": _init, "__repr__": _repr, "__eq__": _eq, "__hash__": None}
    methods["__match_args__"] = cls.__layout__.positional
    if frozen:
        methods |= {"__hash__": _hash, "__setattr__": _refuse_setting, "__delattr__": _refuse_deleting}
    for name, method in methods.items():
        # What a class defines itself stays, as with the standard decorator; `__hash__` follows from `__eq__`.
        if name not in own or (name == "__hash__" and own[name] is None):
            setattr(cls, name, method)
    return cls  # type: ignore[no-any-return]  # the class that came in


def _field(cls: Any, name: str, kind: Any, *, kw_only: bool) -> Any:
    given: Any = vars(cls).get(name, MISSING)
    if not isinstance(given, Field):
        return field(default=given).named(name, kind, kw_only)
    if given.default is MISSING:
        delattr(cls, name)
    else:
        setattr(cls, name, given.default)
    return given.named(name, kind, kw_only)  # type: ignore[attr-defined]  # a field of this module


def _layout(found: tuple[Any, ...]) -> _Layout:
    return _Layout(
        fields=found,
        names=frozenset(each.name for each in found),
        positional=tuple(each.name for each in found if not each.kw_only),
        defaults={each.name: each.default for each in found if each.default is not MISSING},
        factories={each.name: each.default_factory for each in found if each.default_factory is not MISSING},
        order=tuple(each.name for each in found if each.compare),
    )


def _init(self: Any, *args: Any, **given: Any) -> None:
    layout: _Layout = self.__layout__
    if args:
        if len(args) > len(layout.positional):
            raise TypeError(f"{type(self).__name__} takes {len(layout.positional)} positional arguments")
        given |= dict(zip(layout.positional, args, strict=False))
    if given.keys() != layout.names:
        unknown = given.keys() - layout.names
        given = {
            **layout.defaults,
            **{name: make() for name, make in layout.factories.items() if name not in given},
            **given,
        }
        lacking = layout.names - given.keys()
        if unknown or lacking:
            wrong = f"has no {sorted(unknown)}" if unknown else f"needs {sorted(lacking)}"
            raise TypeError(f"{type(self).__name__} {wrong}")
    self.__dict__.update(given)


def _repr(self: Any) -> str:
    shown = ", ".join(f"{each.name}={getattr(self, each.name)!r}" for each in self.__layout__.fields)
    return f"{type(self).__qualname__}({shown})"


def _values(self: Any) -> tuple[Any, ...]:
    return tuple(getattr(self, name) for name in self.__layout__.order)


def _eq(self: Any, other: object) -> Any:
    if other.__class__ is not self.__class__:
        return NotImplemented
    return _values(self) == _values(other)


def _hash(self: Any) -> int:
    return hash(_values(self))


def _refuse_setting(_self: Any, name: str, _value: object) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_deleting(_self: Any, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")
