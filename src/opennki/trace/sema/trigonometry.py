"""Sine, cosine, tangent and arctangent: argument reduction around the scalar engine's tables.

The tables of sine and arctangent hold for a limited range and do no reduction of their own.
Everything in between is float32, whatever the dtypes of argument and result.
"""

from __future__ import annotations

from math import pi
from typing import Any, Final

from opennki.base.dtypes import float32, int32
from opennki.isa.enums import ActFunc, AluOp
from opennki.trace.context import TraceContext
from opennki.trace.nki_ctx import nki_ctx
from opennki.trace.values import NkiTensor

from . import isa
from .creation import scratch
from .marks import nki_function
from .math import unary

# 2 pi as a sum of 8, 8 and 24 significant bits: up to 2^16 turns, their products with the first two
# are exact in float32, and so are the differences that the reduction forms.
_TURN: Final = (6.28125, 0.0019378662109375, -2.5590313510230748e-06)
_PI_BELOW: Final = 3.1415925025939941
"""The largest float32 below pi."""

_MULTIPLY, _ADD = AluOp.mult, AluOp.add


@nki_function(act=ActFunc.Sin)
def sin(x: Any, dtype: Any = None) -> NkiTensor:
    """Sine of x in radians, element by element, for all finite x.

    Off by at most 3e-7 up to a magnitude of 4e5. Beyond, where float32 numbers are 1/32 and more
    apart, results are merely between -1 and 1.
    """
    data, dst = unary("sin", x, dtype)
    _sine(nki_ctx(), dst, _reduced(nki_ctx(), data, dst.name))
    return dst


@nki_function()
def cos(x: Any, dtype: Any = None) -> NkiTensor:
    """Cosine of x in radians, element by element; accurate like `sin`."""
    data, dst = unary("cos", x, dtype)
    _cosine(dst, _reduced(nki_ctx(), data, dst.name))
    return dst


@nki_function()
def tan(x: Any, dtype: Any = None) -> NkiTensor:
    """Tangent of x in radians, element by element: sine by cosine of the reduced argument."""
    ctx = nki_ctx("nl.tan")
    data, dst = unary("tan", x, dtype)
    turn = _reduced(ctx, data, dst.name)
    below = scratch(ctx, f"{dst.name}_cos", data.shape, float32)
    isa.tensor_copy(below, turn)
    _cosine(below, below)
    _sine(ctx, turn, turn)
    isa.tensor_tensor(dst, turn, below, AluOp.divide)
    return dst


def _reduced(ctx: TraceContext, x: NkiTensor, stem: str) -> NkiTensor:
    """``x - 2 pi k`` for the nearest integer k: -pi to pi, perhaps a little more.

    k goes through an int32 tile, which rounds it. The three parts of 2 pi are subtracted one by
    one; only the last difference rounds.
    """
    turns = scratch(ctx, f"{stem}_turns", x.shape, int32)
    isa.tensor_scalar(turns, x, _MULTIPLY, 1 / (2 * pi))
    reduced = scratch(ctx, f"{stem}_reduced", x.shape, float32)
    rest = x
    for part in _TURN:
        isa.scalar_tensor_tensor(reduced, turns, _MULTIPLY, -part, _ADD, rest)
        rest = reduced
    return reduced


def _sine(ctx: TraceContext, dst: NkiTensor, r: NkiTensor) -> None:
    """Sine of the reduced argument `r`, which is overwritten.

    ``sin(r) = sin(pi - r) = sin(-pi - r)`` folds it into [-pi/2, pi/2], also from beyond pi.
    """
    isa.scalar_tensor_tensor(r, r, AluOp.subtract, pi, AluOp.min, r, True)
    isa.scalar_tensor_tensor(r, r, AluOp.subtract, -pi, AluOp.max, r, True)
    _clamped_sine(dst, r)


def _cosine(dst: NkiTensor, r: NkiTensor) -> None:
    """Cosine of the reduced argument `r`, which is overwritten: ``sin(pi/2 - |r|)``."""
    isa.tensor_scalar(r, r, AluOp.abs, None, False, AluOp.subtract, pi / 2, True)
    _clamped_sine(dst, r)


def _clamped_sine(dst: NkiTensor, r: NkiTensor) -> None:
    """Table sine of `r`; the clamp only matters for arguments that could not be reduced."""
    isa.tensor_scalar(r, r, AluOp.max, -_PI_BELOW, False, AluOp.min, _PI_BELOW)
    isa.activation(dst, ActFunc.Sin, r)


@nki_function(act=ActFunc.Arctan)
def arctan(x: Any, dtype: Any = None) -> NkiTensor:
    """Inverse tangent of x, element by element, for all x.

    With ``m = min(|x|, 1 / |x|)`` it is ``sign(x) (|x| > 1 ? pi/2 - arctan(m) : arctan(m))``, so
    that the table only sees 0 to 1.
    """
    ctx = nki_ctx("nl.arctan")
    data, dst = unary("arctan", x, dtype)
    size = scratch(ctx, f"{dst.name}_abs", data.shape, float32)
    small = scratch(ctx, f"{dst.name}_small", data.shape, float32)
    angle = scratch(ctx, f"{dst.name}_angle", data.shape, float32)
    isa.activation(size, ActFunc.Abs, data)
    isa.reciprocal(small, size)
    isa.tensor_tensor(small, small, size, AluOp.min)
    isa.activation(angle, ActFunc.Arctan, small)
    isa.tensor_scalar(small, angle, _MULTIPLY, -2.0, False, _ADD, pi / 2)
    isa.scalar_tensor_tensor(small, size, AluOp.is_gt, 1.0, _MULTIPLY, small)
    isa.tensor_tensor(angle, angle, small, _ADD)
    isa.activation(size, ActFunc.Sign, data)
    isa.tensor_tensor(dst, angle, size, _MULTIPLY)
    return dst
