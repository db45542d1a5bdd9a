"""Rounding to integers towards one side: `ceil`, `floor`, `trunc`.

The ALUs have no rounding operator, but exact remainders: ``x mod 1`` has the sign of 1,
``x mod -1`` that of -1, ``x fmod 1`` that of x. Infinities have no remainder and give NaN.
"""

from __future__ import annotations

from typing import Any

from opennki.ir import Space
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


def _without(fn: str, x: Any, dtype: Any, remainder: AluOp, by: float) -> NkiTensor:
    """``x - remainder(x, by)`` in one instruction; integer tiles are copied."""
    data, dst = unary(fn, x, dtype)
    if data.dtype.is_int:
        isa.tensor_copy(dst, data)
        return dst
    if data.tensor.space is Space.psum:  # both inputs would be in PSUM
        copied = scratch(nki_ctx(), f"{dst.name}_{fn}", data.shape, data.dtype)
        isa.tensor_copy(copied, data)
        data = copied
    isa.scalar_tensor_tensor(dst, data, remainder, by, AluOp.subtract, data, False, True)
    return dst
