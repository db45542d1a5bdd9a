"""Python numbers among the arguments of kernels' calls, told from everything that is none."""

from __future__ import annotations

import numbers
import operator
from math import copysign, inf
from typing import Any

from opennki.ir import View


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
