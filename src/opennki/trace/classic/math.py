"""Functions of one tile, and of two, as the first generation has them: with a mask.

Each is the function of the present generation of the same name, on the part that the mask leaves.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from opennki.base.dtypes import bool_
from opennki.trace.nki_ctx import nki_ctx
from opennki.trace.sema import math, rounding, trigonometry
from opennki.trace.sema.marks import nki_function
from opennki.trace.sema.operands import dtype_or

from .calls import operand, written
from .operators import binary
from .tiles import ClassicTensor

Function = Callable[..., ClassicTensor]


def _marked(made: Any, like: Any) -> Function:
    """`made` with the name, the words and the operator of the present function."""
    made.__name__ = made.__qualname__ = like.__name__
    made.__doc__ = f"As `nki.language.{like.__name__}`, where `mask` holds."
    alu, act = getattr(like, "__nki_alu__", None), getattr(like, "__nki_act__", None)
    return nki_function(alu=alu, act=act)(made)  # type: ignore[no-any-return]  # a function


def _unary(like: Any) -> Function:
    name = like.__name__

    def function(x: Any, *, dtype: Any = None, mask: Any = None) -> ClassicTensor:
        ctx = nki_ctx(f"nl.{name}")
        data = operand(ctx, name, "x", x)
        kind = dtype_or(ctx, dtype, bool_ if name == "logical_not" else data.dtype)
        return written(like, data.shape, kind, mask, data, dtype=kind)

    return _marked(function, like)


def _binary(like: Any) -> Function:
    name = like.__name__

    def function(x: Any, y: Any, *, dtype: Any = None, mask: Any = None) -> ClassicTensor:
        return binary(name, x, y, dtype=dtype, mask=mask)

    return _marked(function, like)


UNARY: dict[str, Function] = {
    name: _unary(getattr(math, name))
    for name in (
        "abs", "erf", "erf_dx", "exp", "gelu", "gelu_apprx_sigmoid", "gelu_apprx_sigmoid_dx",
        "gelu_apprx_tanh", "gelu_dx", "log", "mish", "reciprocal", "relu", "rsqrt", "sigmoid",
        "sign", "silu", "silu_dx", "softplus", "sqrt", "square", "tanh", "negative", "invert",
        "logical_not",
    )
}  # fmt: skip
UNARY |= {
    name: _unary(getattr(module, name))
    for module, names in (
        (rounding, ("ceil", "floor", "trunc")), (trigonometry, ("arctan", "cos", "sin", "tan")),
    )
    for name in names
}  # fmt: skip
"""Functions of one tile, by name."""

BINARY: dict[str, Function] = {
    name: _binary(getattr(math, name))
    for name in (
        "add", "subtract", "multiply", "divide", "power", "maximum", "minimum", "mod", "fmod",
        "bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift", "equal",
        "not_equal", "less", "less_equal", "greater", "greater_equal", "logical_and",
        "logical_or", "logical_xor",
    )
}  # fmt: skip
"""Functions of two tiles, or of a tile and a number, by name."""
