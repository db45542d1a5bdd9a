"""Scalar functions: one row per ALU operator or activation function, whatever uses it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
EVERYWHERE: Final = (-np.inf, np.inf)


@dataclass(frozen=True)
class ScalarFn:
    """Meaning of one element-wise operator.

    Attributes: key, the enumeration member (`AluOp` or `ActFunc`); nki, its name in
    `nki.language`; arity, 1 or 2; fn, NumPy form: float32 arrays in and out for arithmetic
    (comparison and logical results are 1.0 and 0.0), unsigned integer arrays in and out for bitvec
    operators; kind, ``arithmetic`` or ``bitvec``; reduces, whether it is a legal reduction;
    identity, neutral element of the reduction; commutes; domain, smallest and largest valid input
    of an activation function, ``symmetric`` meaning the domain holds for abs(x); cost, name of its
    cost class.
    """

    key: Any
    nki: str
    arity: int
    fn: Callable[..., Array]
    kind: str = "arithmetic"
    reduces: bool = False
    identity: float | None = None
    commutes: bool = False
    domain: tuple[float, float] = EVERYWHERE
    symmetric: bool = False
    cost: str = "simple"
