"""Rounding to integers towards one side: `ceil`, `floor`, `trunc`.

The ALUs have no rounding operator, but exact remainders: ``x mod 1`` has the sign of 1,
``x mod -1`` that of -1, ``x fmod 1`` that of x. The remainder is taken of x clamped to 2^23, from
where on every float32 is an integer, so that infinities, which have none, stay what they are.
"""

from __future__ import annotations

from typing import Any, Final

from opennki.base.dtypes import float32
from opennki.isa.enums import AluOp
from opennki.trace.nki_ctx import nki_ctx
from opennki.trace.values import NkiTensor

from . import isa
from .creation import scratch
from .marks import nki_function
from .math import unary


@nki_function()
def ceil(x: Any, dtype: Any = None) -> NkiTensor:
    """Smallest integer that is not below x, element by element: ``x - x mod -1``."""
    return _without("ceil", x, dtype, AluOp.mod, -1.0)


@nki_function()
def floor(x: Any, dtype: Any = None) -> NkiTensor:
    """Largest integer that is not above x, element by element: ``x - x mod 1``."""
    return _without("floor", x, dtype, AluOp.mod, 1.0)


@nki_function()
def trunc(x: Any, dtype: Any = None) -> NkiTensor:
    """x without its fraction, element by element: ``x - x fmod 1``."""
    return _without("trunc", x, dtype, AluOp.fmod, 1.0)


LARGE: Final = 2.0**23
"""The magnitude from which on every float32 is an integer."""


def _without(fn: str, x: Any, dtype: Any, remainder: AluOp, by: float) -> NkiTensor:
    """``x - remainder(clamp(x), by)``; integer tiles are copied."""
    data, dst = unary(fn, x, dtype)
    if data.dtype.is_int:
        isa.tensor_copy(dst, data)
        return dst
    small = scratch(nki_ctx(), f"{dst.name}_{fn}", data.shape, float32)
    isa.tensor_scalar(small, data, AluOp.max, -LARGE, False, AluOp.min, LARGE)
    isa.scalar_tensor_tensor(dst, small, remainder, by, AluOp.subtract, data, False, True)
    return dst
