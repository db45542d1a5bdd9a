"""User classes in kernels."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

import pytest

from opennki.trace.objects import NKIObject


class Plain(NKIObject):
    x: int
    y: bool = False

    def toggle(self):
        self.y = not self.y


@dataclass
class Decorated(NKIObject):
    x: int
    y: bool = False


class Assigned(NKIObject):
    first = None
    second = 2


@dataclass
class DecoratedAssigned(NKIObject):
    first = None
    second = 2


class Counted(NKIObject):
    n: int = 3

    def __post_init__(self):
        self.double = 2 * self.n


@pytest.mark.parametrize("cls", [Plain, Decorated])
def test_annotated_names_are_parameters(cls):
    made = cls(1)
    assert (made.x, made.y) == (1, False)
    assert cls(x=1, y=True) == cls(1, True)
    assert cls(1) != cls(2)


@pytest.mark.parametrize("cls", [Assigned, DecoratedAssigned])
def test_assigned_names_are_parameters_too(cls):
    made = cls(first=5)
    assert (made.first, made.second) == (5, 2)


def test_methods_change_fields():
    made = Plain(1)
    made.toggle()
    assert made.y is True
    assert repr(made) == "Plain(x=1, y=True)"


@dataclass
class Extended(Decorated):
    z: int
    shared: ClassVar[int]
    _: KW_ONLY
    last: int


@dataclass(frozen=True, slots=True)
class Frozen(NKIObject):
    x: int
    y: int = 2


@pytest.mark.parametrize("cls", [Plain, Decorated, Extended, Frozen])
def test_names_without_a_value_are_none(cls):
    """Source: the public kernel library leaves a field of a decorated class out."""
    assert cls().x is None
    assert cls(3).x == 3


def test_what_is_no_field_gets_no_value():
    assert not hasattr(Extended, "shared")
    assert Extended(1, True, 5, last=6) == Extended(x=1, y=True, z=5, last=6)
    with pytest.raises(TypeError):
        Extended(1, True, 5, 6)


def test_post_init_runs():
    assert Counted().double == 6
    assert Counted(5).double == 10


@pytest.mark.parametrize(
    "make", [lambda: Plain(1, 2, 3), lambda: Plain(z=1), lambda: Plain(1, x=2)]
)
def test_arguments_that_do_not_fit_are_refused(make):
    with pytest.raises(TypeError, match="Plain"):
        make()
