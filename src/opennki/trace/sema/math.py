"""Element-wise functions of `nki.language` that are one instruction: operators and activations.

Each is a row: its name is that of the operator or function in the op tables, which also makes it
legal as an ``op=`` argument. Results are new tiles in SBUF, of the dtype of the first tile unless
``dtype=`` is given.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from opennki.base.codes import NKI2116, NKI2119
from opennki.base.dtypes import DType, float32, int32, uint32
from opennki.ir import Space
from opennki.ir.scalar import ScalarFn
from opennki.isa import act, alu
from opennki.isa.enums import ActFunc, AluOp, Engine
from opennki.trace.context import TraceContext
from opennki.trace.nki_ctx import nki_ctx
from opennki.trace.values import NkiTensor

from . import isa
from .creation import in_sbuf, result, scratch
from .marks import nki_function
from .operands import dtype_or, fitted, number, spread, tile, wrong_type

Function = Callable[..., NkiTensor]
NATIVE_INTS = frozenset({int32, uint32})
COMPARISONS = frozenset(
    {AluOp.is_equal, AluOp.not_equal, AluOp.is_lt, AluOp.is_le, AluOp.is_gt, AluOp.is_ge}
)  # fmt: skip


# ---- two operands --------------------------------------------------------------------------------


def _binary(name: str, what: str) -> Function:
    """The function of the binary operator `name` of the vector engine."""
    row = alu.by_nki_name(name)

    def function(x: Any, y: Any, dtype: Any = None) -> NkiTensor:
        return binary(row, x, y, dtype)

    return _named(function, name, f"{what}, element by element.\n\n{_BINARY_RULES}", row.key)


_BINARY_RULES = """\
    Args: x and y, tiles of one shape, or one of them a number or a (P, 1) tile; dtype of the
        result, by default that of the first tile.
    Raises: NKI1007 if neither is a tile, NKI2105 for tensors in HBM, NKI2101 and NKI2127 for
        shapes that do not combine.
"""


def _named(
    fn: Function, name: str, doc: str, op: AluOp | None = None, func: ActFunc | None = None
) -> Function:
    fn.__name__ = fn.__qualname__ = name
    fn.__doc__ = doc
    return nki_function(alu=op, act=func)(fn)


def binary(
    row: ScalarFn, x: Any, y: Any, dtype: Any = None, dst: NkiTensor | None = None
) -> NkiTensor:
    """``x op y`` for tiles and numbers, in as few instructions as are exact.

    Args: dst, where to write it; a new tile if not given.
    """
    fn = row.nki
    ctx = nki_ctx(f"nl.{fn}")
    left, right = number(x), number(y)
    if left is not None and right is not None:
        raise wrong_type(ctx, fn, "x", "a tile, as `y` is a number", x)
    tiles = []
    for name, value, plain in (("x", x, left), ("y", y, right)):
        if plain is None and not isinstance(value, NkiTensor):
            raise wrong_type(ctx, fn, name, "a tensor or a number", value)
        if plain is None:
            tiles.append(tile(ctx, fn, name, value))
    whole = next((t for t in tiles if t.free_size > 1), tiles[0])
    if dst is None:
        dst = result(ctx, fn, whole.shape, dtype_or(ctx, dtype, tiles[0].dtype))
    made = _integers_for(ctx, row, dst, tiles)
    if len(tiles) == 2:
        _with_tile(ctx, row, made, *tiles)
    elif right is not None:
        _with_number(ctx, row, made, tiles[0], right, False)
    else:
        assert left is not None
        _with_number(ctx, row, made, tiles[0], left, True)
    if made is not dst:
        isa.tensor_copy(dst, made)
    return dst


def _integers_for(
    ctx: TraceContext, row: ScalarFn, dst: NkiTensor, tiles: list[NkiTensor]
) -> NkiTensor:
    """Where to compute: `dst`, or a tile of integers for a comparison of 32-bit integers.

    Only with a 32-bit integer result are these compared exactly; as 1 or 0, it then becomes a
    byte, say, without a loss.
    """
    integers = {t.dtype for t in tiles} <= NATIVE_INTS
    if not integers or dst.dtype in NATIVE_INTS or row.key not in COMPARISONS:
        return dst
    return scratch(ctx, f"{dst.name}_{row.nki}", dst.shape, tiles[0].dtype)


def _with_number(
    ctx: TraceContext, row: ScalarFn, dst: NkiTensor, data: NkiTensor, value: float, first: bool
) -> None:
    """``data op value``, or ``value op data`` if the number comes `first`.

    Numbers are float32 in the instruction. 32-bit integers that stay integers are combined with a
    tile of the number instead, which GpSimd computes exactly.
    """
    _one_dtype(ctx, row, dst, x=data)
    exact = _exact(row, dst, data) and isinstance(value, int) and _holds(data.dtype, value)
    if exact or _on_gpsimd_only(row):
        data = in_sbuf(ctx, data, f"{dst.name}_x")
    if exact:
        filled = scratch(ctx, f"{dst.name}_number", (data.shape[0], 1), data.dtype)
        isa.memset(filled, value)
        constant = spread(filled, data.shape)
        a, b = (constant, data) if first else (data, constant)
        isa.tensor_tensor(dst, a, b, row.key)
    else:
        isa.tensor_scalar(dst, data, row.key, value, first)


def _exact(row: ScalarFn, *tiles: NkiTensor) -> bool:
    """Whether GpSimd combines tiles of these dtypes in 32-bit integers."""
    integers = {t.dtype for t in tiles} <= NATIVE_INTS
    on_gpsimd = Engine.POOL in alu.ENGINES[row.key] and row.key in alu.INT_ALU
    return integers and on_gpsimd and row.kind != "bitvec"


def _on_gpsimd_only(row: ScalarFn) -> bool:
    return set(alu.ENGINES[row.key]) == {Engine.POOL}


def _holds(dtype: DType, value: int) -> bool:
    bits = 8 * dtype.itemsize
    low = 0 if dtype.kind == "uint" else -(1 << (bits - 1))
    return low <= value < low + (1 << bits)


def _with_tile(
    ctx: TraceContext, row: ScalarFn, dst: NkiTensor, x: NkiTensor, y: NkiTensor
) -> None:
    """``x op y``; a float32 (P, 1) operand of an arithmetic operator is a per-partition scalar."""
    _one_dtype(ctx, row, dst, x=x, y=y)
    if _exact(row, dst, x, y) or _on_gpsimd_only(row):
        same = x is y
        x = in_sbuf(ctx, x, f"{dst.name}_x")
        y = x if same else in_sbuf(ctx, y, f"{dst.name}_y")
    elif x.tensor.space is Space.psum is y.tensor.space:
        y = in_sbuf(ctx, y, f"{dst.name}_y")
    x_fits = fitted(ctx, row.nki, "x", x, "y", dst.shape)
    y_fits = fitted(ctx, row.nki, "y", y, "x", dst.shape)
    if y_fits is not y and _is_scalar_operand(row, y):
        isa.tensor_scalar(dst, x, row.key, y, False)
    elif x_fits is not x and _is_scalar_operand(row, x):
        isa.tensor_scalar(dst, y, row.key, x, True)
    else:
        isa.tensor_tensor(dst, x_fits, y_fits, row.key)


def _is_scalar_operand(row: ScalarFn, view: NkiTensor) -> bool:
    return row.kind != "bitvec" and view.dtype == float32


def _one_dtype(ctx: TraceContext, row: ScalarFn, dst: NkiTensor, **tiles: NkiTensor) -> None:
    """Bit operators never convert: tiles and result have one integer dtype.

    Raises: NKI2119 for floating point, NKI2116 for two dtypes.
    """
    if row.kind != "bitvec":
        return
    for name, view in tiles.items():
        if not view.dtype.is_int:
            raise ctx.refusal(NKI2119, operand=name, op=f"nl.{row.nki}", dtype=view.dtype)
        if view.dtype != dst.dtype:
            raise ctx.refusal(
                NKI2116, first=name, first_dtype=view.dtype, second="the result",
                second_dtype=dst.dtype, inst=f"nl.{row.nki}",
            )  # fmt: skip


add = _binary("add", "``x + y``")
subtract = _binary("subtract", "``x - y``")
multiply = _binary("multiply", "``x * y``")
divide = _binary("divide", "``x / y``")
maximum = _binary("maximum", "The larger of x and y")
minimum = _binary("minimum", "The smaller of x and y")
abs_max = _binary("abs_max", "Whichever of x and y has the larger magnitude; y on a tie (gen4)")
abs_min = _binary("abs_min", "Whichever of x and y has the smaller magnitude; y on a tie (gen4)")
power = _binary("power", "``x ** y``")
mod = _binary("mod", "Remainder of ``x / y`` with the sign of y, as Python's ``%``")
fmod = _binary("fmod", "Remainder of ``x / y`` with the sign of x, as C's ``fmod``")
equal = _binary("equal", "1 where ``x == y``, else 0")
not_equal = _binary("not_equal", "1 where ``x != y``, else 0")
less = _binary("less", "1 where ``x < y``, else 0")
less_equal = _binary("less_equal", "1 where ``x <= y``, else 0")
greater = _binary("greater", "1 where ``x > y``, else 0")
greater_equal = _binary("greater_equal", "1 where ``x >= y``, else 0")
logical_and = _binary("logical_and", "1 where x and y are both nonzero, else 0")
logical_or = _binary("logical_or", "1 where x or y is nonzero, else 0")
logical_xor = _binary("logical_xor", "1 where exactly one of x and y is nonzero, else 0")
bitwise_and = _binary("bitwise_and", "Bits set in both integers x and y")
bitwise_or = _binary("bitwise_or", "Bits set in either of the integers x and y")
bitwise_xor = _binary("bitwise_xor", "Bits set in exactly one of the integers x and y")
left_shift = _binary("left_shift", "Bits of the integer x moved left by y")
right_shift = _binary("right_shift", "Bits of the integer x moved right by y, zeros moving in")


# ---- one operand ---------------------------------------------------------------------------------


def _activation(name: str, what: str, op: AluOp | None = None) -> Function:
    """The function `name` of the scalar engine; `op`, if the ALUs have it under that name too."""
    func: ActFunc = act.by_nki_name(name).key

    def function(x: Any, dtype: Any = None) -> NkiTensor:
        data, dst = unary(name, x, dtype)
        isa.activation(dst, func, data)
        return dst

    return _named(function, name, f"{what}, element by element.\n\n{_UNARY_RULES}", op, func)


_UNARY_RULES = """\
    Args: x, a tile; dtype of the result, by default that of x.
    Raises: NKI1007 if x is no tensor, NKI2105 if it is in HBM.
"""


def unary(fn: str, x: Any, dtype: Any = None) -> tuple[NkiTensor, NkiTensor]:
    """The checked argument of a function of one tile, and a new tile for its result."""
    ctx = nki_ctx(f"nl.{fn}")
    data = tile(ctx, fn, "x", x)
    return data, result(ctx, fn, data.shape, dtype_or(ctx, dtype, data.dtype))


exp = _activation("exp", "``e ** x``")
log = _activation("log", "Natural logarithm of x, from 2^-64 to 2^64")
sqrt = _activation("sqrt", "Square root of x, from 2^-116 to 2^118")
rsqrt = _activation("rsqrt", "``1 / sqrt(x)``, x from 2^-87 to 2^97", AluOp.rsqrt)
tanh = _activation("tanh", "Hyperbolic tangent of x")
sigmoid = _activation("sigmoid", "``1 / (1 + exp(-x))``")
relu = _activation("relu", "``max(x, 0)``", AluOp.relu)
gelu = _activation("gelu", "``x/2 (1 + erf(x / sqrt 2))``")
gelu_dx = _activation("gelu_dx", "Derivative of gelu at x")
gelu_apprx_tanh = _activation("gelu_apprx_tanh", "gelu of x, approximated with tanh")
gelu_apprx_sigmoid = _activation("gelu_apprx_sigmoid", "``x sigmoid(1.702 x)``, close to gelu")
gelu_apprx_sigmoid_dx = _activation("gelu_apprx_sigmoid_dx", "Derivative of gelu_apprx_sigmoid")
silu = _activation("silu", "``x sigmoid(x)``")
silu_dx = _activation("silu_dx", "Derivative of silu at x")
softplus = _activation("softplus", "``log(1 + exp(x))``")
mish = _activation("mish", "``x tanh(softplus(x))``")
erf = _activation("erf", "Error function of x")
erf_dx = _activation("erf_dx", "Derivative of the error function at x")
sign = _activation("sign", "-1, 0 or 1: the sign of x")
abs = _activation("abs", "``|x|``", AluOp.abs)
square = _activation("square", "``x * x``", AluOp.square)


@nki_function(alu=AluOp.reciprocal, act=ActFunc.Reciprocal)
def reciprocal(x: Any, dtype: Any = None) -> NkiTensor:
    """``1 / x``, element by element, on the vector engine, which is exact over the whole range."""
    data, dst = unary("reciprocal", x, dtype)
    isa.reciprocal(dst, data)
    return dst


@nki_function()
def negative(x: Any, dtype: Any = None) -> NkiTensor:
    """``-x``, element by element; int32 tiles are negated exactly."""
    data, dst = unary("negative", x, dtype)
    _with_number(nki_ctx(), alu.by_nki_name("multiply"), dst, data, -1, False)
    return dst


@nki_function()
def logical_not(x: Any, dtype: Any = None) -> NkiTensor:
    """1 where x is zero, else 0: x and 1, exclusively or."""
    data, dst = unary("logical_not", x, dtype)
    isa.tensor_scalar(dst, data, AluOp.logical_xor, 1.0)
    return dst


@nki_function(alu=AluOp.bitwise_not)
def invert(x: Any, dtype: Any = None) -> NkiTensor:
    """Every bit of the integer x flipped: x and all ones, exclusively or.

    Raises: NKI2116 if `dtype` is not that of x, NKI2119 if x is floating point.
    """
    data, dst = unary("invert", x, dtype)
    _one_dtype(nki_ctx(), alu.by_nki_name("invert"), dst, x=data)
    isa.tensor_scalar(dst, data, AluOp.bitwise_xor, -1)
    return dst


@nki_function(act=ActFunc.Copy)
def copy(x: Any, dtype: Any = None) -> NkiTensor:
    """A copy of the tile x in SBUF, of dtype `dtype` if given."""
    data, dst = unary("copy", x, dtype)
    isa.tensor_copy(dst, data)
    return dst
