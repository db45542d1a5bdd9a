"""Python values among the arguments of kernels' calls: numbers, arrays, and how each reads."""

from __future__ import annotations

import numbers
import operator
from math import copysign, inf
from typing import Any

import numpy as np

from opennki.base.diag import NkiError
from opennki.ir import View, describe


def plain_int(value: Any) -> int | None:
    """`value` as a Python integer, or None if it is none; booleans are none.

    A type, an array or a string may have an ``__index__`` that does not work for it.
    """
    if value.__class__ is int:
        return int(value)
    if isinstance(value, bool | float | View):
        return None
    try:
        return operator.index(value)
    except NkiError:  # a register's, which is a TypeError as well
        raise
    except TypeError:
        return None


def plain_number(value: Any) -> int | float | None:
    """`value` as a Python number if it is a real one, else None. Booleans become 0 and 1."""
    if isinstance(value, View):
        return None
    if getattr(value, "shape", None) == () and hasattr(value, "item"):
        value = value.item()
    if isinstance(value, bool | numbers.Integral):
        return int(value)
    if not isinstance(value, numbers.Real):
        return None
    try:
        return float(value)
    except OverflowError:  # a fraction beyond every float
        return copysign(inf, value)


def plain_bool(value: Any) -> bool | None:
    """`value` as a Python boolean if it is True, False, 1 or 0, else None."""
    found = plain_number(value)
    return bool(found) if found in (0, 1) else None


def shown(value: Any) -> str:
    """How an argument reads in a message: one line, arrays without their elements."""
    if isinstance(value, View):
        return describe(value)
    if value is None:
        return "None"
    if isinstance(value, np.ufunc):
        return f"the NumPy function np.{value.__name__}"
    if hasattr(value, "__nki_function__"):
        return f"the function nl.{value.__name__}"
    kind = type(value)
    if is_array(value):
        sizes = ", ".join(map(str, value.shape))
        made_by = _ARRAYS.get(_origin(kind), f"an array ({kind.__name__})")
        return f"{made_by} {_named(value)}[{sizes}]"
    return f"{kind.__name__} {' '.join(repr(value).split()):.60}"


def is_array(value: object) -> bool:
    """Whether `value` is an array of any framework (not a NumPy scalar, not one of our tensors)."""
    if isinstance(value, View | type | np.generic):
        return False
    return _has(value, "shape") and _has(value, "dtype")


def is_torch(value: object) -> bool:
    """Whether `value` is an array of torch."""
    return any(_origin(kind) == "torch" for kind in type(value).__mro__)


def is_dtype(value: object) -> bool:
    """Whether `value` is a dtype object of NumPy or torch; JAX's are types."""
    return isinstance(value, np.dtype) or (is_torch(value) and type(value).__name__ == "dtype")


def _has(value: object, name: str) -> bool:
    try:
        return hasattr(value, name)
    except RuntimeError:  # torch's nested tensors have shapes only in part
        return True


def _origin(kind: type) -> str:
    return kind.__module__.partition(".")[0]


def _named(array: Any) -> str:
    return str(array.dtype).removeprefix("torch.")


_ARRAYS = {
    "numpy": "a NumPy array", "torch": "a torch tensor", "jaxlib": "a JAX array",
    "jax": "a JAX array",
}  # fmt: skip
"""Modules that define arrays -> what messages call these."""
