"""The quick dataclass behaves as the standard one in everything that unlost uses."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import subprocess
import sys
from functools import cached_property
from typing import Any

import pytest

from unlost.facts import records
from unlost.facts.records import FrozenInstanceError, asdict, dataclass, field, fields, is_dataclass, replace


@dataclass(frozen=True, kw_only=True)
class Point:
    """A point with a default, a factory and something computed."""

    x: int
    y: int = 2
    tags: tuple[str, ...] = field(default_factory=tuple)

    @cached_property
    def sum(self) -> int:
        """Computed once."""
        return self.x + self.y


@dataclass(frozen=True, kw_only=True)
class Named(Point):
    """A point that inherits fields and adds one."""

    name: str


@dataclass
class Counter:
    """Mutable, positional."""

    count: int
    step: int = 1


def make(kind: Any, *args: Any, **given: Any) -> Any:
    return kind(*args, **given)


def test_fields_defaults_and_factories() -> None:
    """Defaults and factories fill what is not given; inherited fields come first."""
    assert (Point(x=1).y, Point(x=1).tags, Named(x=1, name="a").y) == (2, (), 2)
    assert [each.name for each in fields(Named)] == ["x", "y", "tags", "name"]
    assert asdict(Point(x=1)) == {"x": 1, "y": 2, "tags": ()}
    assert Counter(3, step=4).step == 4


@pytest.mark.parametrize("given", [{}, {"y": 1}, {"x": 1, "z": 2}])
def test_wrong_arguments_are_type_errors(given: dict[str, int]) -> None:
    """A missing or unknown field, and a positional one where only keywords are taken, is a TypeError."""
    with pytest.raises(TypeError):
        make(Point, **given)
    with pytest.raises(TypeError):
        make(Point, 1)
    with pytest.raises(TypeError):
        make(Counter, 1, 2, 3)


def test_frozen_is_frozen() -> None:
    """A frozen instance takes no assignment and no deletion, and a mutable one does."""
    with pytest.raises(FrozenInstanceError):
        Point(x=1).x = 2  # type: ignore[misc]  # that it cannot be assigned to is what is tested
    with pytest.raises(FrozenInstanceError):
        del Point(x=1).x
    counter = Counter(1)
    counter.count += 1
    assert counter.count == 2


def test_equality_hash_and_repr() -> None:
    """Equal by class and fields, hashable when frozen, told by name and fields; what is cached does not count."""
    point = Point(x=1)

    assert point.sum == 3
    assert point == Point(x=1)
    assert hash(point) == hash(Point(x=1))
    assert point != Point(x=2)
    assert point != Named(x=1, name="a")
    assert repr(point) == "Point(x=1, y=2, tags=())"
    with pytest.raises(TypeError):
        hash(Counter(1))


def test_replace_copy_pickle_and_match() -> None:
    """What works on a dataclass works: replace, copy, pickle, pattern matching."""
    point = Named(x=1, name="a")

    assert replace(point, x=5) == Named(x=5, name="a")
    assert copy.deepcopy(point) == point
    assert pickle.loads(pickle.dumps(point)) == point  # noqa: S301  (our own bytes)
    match point:
        case Named(name=name):
            assert name == "a"


def test_replace_takes_nothing_computed_along() -> None:
    """What a cached property computed for the old values is computed again for the new ones."""
    point = Point(x=1)
    assert point.sum == 3

    assert replace(point, x=5).sum == 7
    with pytest.raises(TypeError):
        replace(point, z=1)  # type: ignore[call-arg]  # that there is no such field is what is tested


def test_nested_records_become_dictionaries() -> None:
    """Records in tuples, lists and dictionaries are taken apart as well; other values stay what they are."""
    inner = Point(x=1, tags=("a",))
    told = {"x": 1, "y": 2, "tags": ("a",)}

    assert asdict(Counter(inner, step=[inner, {"k": inner}])) == {  # type: ignore[arg-type]  # any value is taken
        "count": told,
        "step": [told, {"k": told}],
    }


def test_only_records_are_records() -> None:
    """A class and its instances are records, everything else is not, and has no fields to give."""
    assert is_dataclass(Point)
    assert is_dataclass(Counter(1))
    assert not is_dataclass(3)
    with pytest.raises(TypeError):
        fields(3)  # type: ignore[arg-type]  # that a number has no fields is what is tested


def test_the_standard_functions_take_them() -> None:
    """`dataclasses.fields`, `replace`, `asdict` and `is_dataclass` work on them, inherited fields included."""
    point = Named(x=1, name="a")

    assert dataclasses.is_dataclass(Named)
    assert dataclasses.is_dataclass(point)
    assert [each.name for each in dataclasses.fields(Named)] == ["x", "y", "tags", "name"]
    assert dataclasses.fields(Named)[1].default == 2
    assert dataclasses.replace(point, x=5) == Named(x=5, name="a")
    assert dataclasses.asdict(point) == {"x": 1, "y": 2, "tags": (), "name": "a"}
    assert dataclasses.replace(Counter(1), step=3) == Counter(1, step=3)


def test_nothing_heavy_is_read_for_them() -> None:
    """The module brings neither `dataclasses` nor `inspect` along: every start of a command would pay for it."""
    code = f"import sys, {records.__name__}; sys.exit(any(name in sys.modules for name in ('dataclasses', 'inspect')))"

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
