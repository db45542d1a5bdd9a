"""Meaning of the ALU operators: one `ScalarFn` row per operator, its exact 32-bit integer form, and
the reductions built on it. Which dtypes an instruction accepts is the instruction's business.

Arithmetic operators take and give float32 arrays; comparisons and logical operators give 1.0 or
0.0; anything but zero, NaN included, counts as true. Bitvec operators take and give integer arrays
of the operand's own width. No row warns: overflow is inf, invalid is NaN.

Source: NKI ISA reference, "Supported Math Operators"; `nki.language` reference for mod, fmod,
abs_max and abs_min. Model: maximum, minimum and relu propagate NaN, because the language reference
defines them by `numpy.maximum` and `numpy.minimum`; what silicon does is not published.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from opennki.ir.scalar import Array, ScalarFn
from opennki.target import CAYMAN, COREV4, TONGA

from .enums import AluOp, Engine

Fn = Callable[..., Array]


def _quiet(fn: Fn) -> Fn:
    """`fn` without NumPy's floating-point warnings."""

    def run(*operands: Array) -> Array:
        with np.errstate(all="ignore"):
            return fn(*operands)

    return run


def _row(op: AluOp, nki: str, arity: int, fn: Fn, **columns: Any) -> ScalarFn:
    return ScalarFn(op, nki, arity, _quiet(fn), **columns)


def _truth(fn: Fn) -> Fn:
    """`fn`, whose results are booleans, giving 1.0 and 0.0."""
    return lambda *operands: fn(*operands).astype(np.float32)


def _bypass(x: Array, *_: Array) -> Array:
    return x


def _abs_max(x: Array, y: Array) -> Array:
    """``x if |x| > |y| else y``: a tie, or a NaN on either side, gives y."""
    return np.where(np.abs(x) > np.abs(y), x, y)


def _abs_min(x: Array, y: Array) -> Array:
    """``x if |x| < |y| else y``: a tie, or a NaN on either side, gives y."""
    return np.where(np.abs(x) < np.abs(y), x, y)


def _rsqrt(x: Array) -> Array:
    return np.float32(1) / np.sqrt(x)


def _average(x: Array, y: Array) -> Array:
    return (x + y) * np.float32(0.5)


def _relu(x: Array) -> Array:
    return np.maximum(x, np.float32(0))


def _unsigned(x: Array) -> Array:
    """The same bits as unsigned integers."""
    return x.view(f"u{x.dtype.itemsize}")


def _same_dtype(fn: Fn) -> Fn:
    """`fn` with its results wrapped to the dtype of the first operand."""
    return lambda x, *rest: fn(x, *rest).astype(x.dtype, copy=False)


# Model: a shift count is read as unsigned and may be any value. Bits shifted past the width are
# gone (0, or copies of the sign), so counts of the width or more, and negative ones, give 0 or the
# sign fill. NumPy's shifts define exactly this for a count that equals the width.


def _count(count: Array, x: Array) -> Array:
    return np.minimum(_unsigned(count), 8 * x.dtype.itemsize).astype(x.dtype)


def _shift_left(x: Array, count: Array) -> Array:
    return np.left_shift(x, _count(count, x))


def _arith_shift_right(x: Array, count: Array) -> Array:
    return np.right_shift(x, _count(count, x))


def _logical_shift_right(x: Array, count: Array) -> Array:
    bits = _unsigned(x)
    return np.right_shift(bits, _count(count, bits)).view(x.dtype)


def _bitvec(op: AluOp, nki: str, arity: int, fn: Fn, **columns: Any) -> ScalarFn:
    return _row(op, nki, arity, _same_dtype(fn), kind="bitvec", **columns)


_REDUCES: Final = {"reduces": True, "commutes": True}

# The bitwise_and identity -1.0 stands for "all ones". `arith_shift_left` is the same bits as
# `logical_shift_left`; NKI has one name for both, and it means the logical one here.
_ROWS: Final = (
    _row(AluOp.bypass, "bypass", 1, _bypass),
    _bitvec(AluOp.bitwise_not, "invert", 1, np.invert),
    _bitvec(AluOp.bitwise_and, "bitwise_and", 2, np.bitwise_and, identity=-1.0, **_REDUCES),
    _bitvec(AluOp.bitwise_or, "bitwise_or", 2, np.bitwise_or, identity=0.0, **_REDUCES),
    _bitvec(AluOp.bitwise_xor, "bitwise_xor", 2, np.bitwise_xor, identity=0.0, **_REDUCES),
    _bitvec(AluOp.arith_shift_left, "", 2, _shift_left),
    _bitvec(AluOp.arith_shift_right, "", 2, _arith_shift_right),
    _bitvec(AluOp.logical_shift_left, "left_shift", 2, _shift_left),
    _bitvec(AluOp.logical_shift_right, "right_shift", 2, _logical_shift_right),
    _row(AluOp.add, "add", 2, np.add, identity=0.0, **_REDUCES),
    _row(AluOp.subtract, "subtract", 2, np.subtract, identity=0.0, reduces=True),
    _row(AluOp.mult, "multiply", 2, np.multiply, identity=1.0, **_REDUCES),
    _row(AluOp.elemwise_mul, "", 2, np.multiply, identity=1.0, commutes=True),
    _row(AluOp.divide, "divide", 2, np.divide),
    _row(AluOp.max, "maximum", 2, np.maximum, identity=-np.inf, **_REDUCES),
    _row(AluOp.min, "minimum", 2, np.minimum, identity=np.inf, **_REDUCES),
    _row(AluOp.abs_max, "abs_max", 2, _abs_max, identity=0.0),
    _row(AluOp.abs_min, "abs_min", 2, _abs_min, identity=np.inf),
    _row(AluOp.is_equal, "equal", 2, _truth(np.equal), commutes=True),
    _row(AluOp.not_equal, "not_equal", 2, _truth(np.not_equal), commutes=True),
    _row(AluOp.is_gt, "greater", 2, _truth(np.greater)),
    _row(AluOp.is_ge, "greater_equal", 2, _truth(np.greater_equal)),
    _row(AluOp.is_lt, "less", 2, _truth(np.less)),
    _row(AluOp.is_le, "less_equal", 2, _truth(np.less_equal)),
    _row(AluOp.logical_and, "logical_and", 2, _truth(np.logical_and), identity=1.0, **_REDUCES),
    _row(AluOp.logical_or, "logical_or", 2, _truth(np.logical_or), identity=0.0, **_REDUCES),
    _row(AluOp.logical_xor, "logical_xor", 2, _truth(np.logical_xor), identity=0.0, **_REDUCES),
    _row(AluOp.average, "average", 2, _average, commutes=True),
    _row(AluOp.pow, "power", 2, np.power, cost="power"),
    _row(AluOp.mod, "mod", 2, np.mod),  # sign of the divisor, as in Python
    _row(AluOp.fmod, "fmod", 2, np.fmod),  # sign of the dividend, as in C
    _row(AluOp.rsqrt, "rsqrt", 1, _rsqrt, cost="rsqrt"),
    _row(AluOp.abs, "abs", 1, np.abs),
    _row(AluOp.square, "square", 1, np.square),
    _row(AluOp.relu, "relu", 1, _relu),
    _row(AluOp.reciprocal, "reciprocal", 1, lambda x: np.float32(1) / x, cost="reciprocal"),
)

ALU: Final[Mapping[AluOp, ScalarFn]] = {row.key: row for row in _ROWS}
"""Every operator but `mod_int`, which no front end reaches and which only has an integer form."""

_BY_NKI: Final = {row.nki: row for row in _ROWS if row.nki}


def by_nki_name(name: str) -> ScalarFn:
    """The row whose name in `nki.language` is `name`; raises KeyError."""
    return _BY_NKI[name]


def _magnitude(x: Array) -> Array:
    """``|x|`` as unsigned integers, so that the smallest integer has one too."""
    return _unsigned(np.abs(x))


def _int_abs_max(x: Array, y: Array) -> Array:
    return np.where(_magnitude(x) > _magnitude(y), x, y)


def _int_abs_min(x: Array, y: Array) -> Array:
    return np.where(_magnitude(x) < _magnitude(y), x, y)


def _int_pow(x: Array, y: Array) -> Array:
    """``x ** y`` modulo 2^32 by repeated squaring.

    Model: a negative exponent gives the real power truncated to an integer, and 0 to a negative
    power, which is infinite, gives the largest integer, as converting the float32 result would.
    """
    base, exponent = np.broadcast_arrays(x, y)
    left = np.maximum(exponent.astype(np.int64), 0)
    square, power = base, np.ones_like(base)
    while left.any():
        power = np.where(left & 1, power * square, power)
        square = square * square
        left = left >> 1
    sign = np.where((base == -1) & (exponent & 1 != 0), -1, 1)
    inverse = np.where(np.abs(base) == 1, sign, 0)
    inverse = np.where(base == 0, np.iinfo(base.dtype).max, inverse)
    return np.where(exponent < 0, inverse.astype(base.dtype), power)


def _integer(op: AluOp, fn: Fn) -> ScalarFn:
    return replace(ALU[op], fn=_quiet(_same_dtype(fn)))


_INT_ROWS: Final = (
    *(row for row in _ROWS if row.kind == "bitvec" or row.key is AluOp.bypass),
    _integer(AluOp.add, np.add),
    _integer(AluOp.subtract, np.subtract),
    _integer(AluOp.mult, np.multiply),
    _integer(AluOp.elemwise_mul, np.multiply),
    _integer(AluOp.max, np.maximum),
    _integer(AluOp.min, np.minimum),
    _integer(AluOp.abs_max, _int_abs_max),
    _integer(AluOp.abs_min, _int_abs_min),
    _integer(AluOp.is_equal, np.equal),
    _integer(AluOp.not_equal, np.not_equal),
    _integer(AluOp.is_gt, np.greater),
    _integer(AluOp.is_ge, np.greater_equal),
    _integer(AluOp.is_lt, np.less),
    _integer(AluOp.is_le, np.less_equal),
    _integer(AluOp.logical_and, np.logical_and),
    _integer(AluOp.logical_or, np.logical_or),
    _integer(AluOp.logical_xor, np.logical_xor),
    _integer(AluOp.pow, _int_pow),
    _integer(AluOp.mod, np.mod),
    _integer(AluOp.fmod, np.fmod),
    _integer(AluOp.abs, np.abs),
    _integer(AluOp.square, np.square),
    _integer(AluOp.relu, lambda x: np.maximum(x, 0)),
    ScalarFn(AluOp.mod_int, "", 2, _quiet(_same_dtype(np.mod))),
)

INT_ALU: Final[Mapping[AluOp, ScalarFn]] = {row.key: row for row in _INT_ROWS}
"""Exact forms for int32 and uint32 operands on GpSimd; results wrap to the first operand's dtype.

Truth values are the integers 1 and 0. Model: mod and fmod by zero give 0; divide, average,
reciprocal and rsqrt have no exact integer result and are absent: they take the float32 path.
Source: NKI ISA reference, tensor_tensor (native 32-bit integer arithmetic on GpSimd).
"""


def _pick_last(array: Array, smallest: bool) -> Array:
    """Element of extreme magnitude along the last axis; the last of several; NaN if any is NaN."""
    magnitude = np.abs(array) if array.dtype.kind == "f" else _magnitude(array)
    backwards = magnitude[..., ::-1]
    found = backwards.argmin(axis=-1) if smallest else backwards.argmax(axis=-1)
    last: Array = np.take_along_axis(array[..., ::-1], found[..., None], axis=-1)[..., 0]
    return last


_FOLDS: Final[Mapping[AluOp, Callable[[Array], Array]]] = {
    AluOp.add: lambda a: np.add.reduce(a, axis=-1, dtype=a.dtype),
    AluOp.subtract: lambda a: a[..., 0] - np.add.reduce(a[..., 1:], axis=-1, dtype=a.dtype),
    AluOp.mult: lambda a: np.multiply.reduce(a, axis=-1, dtype=a.dtype),
    AluOp.max: lambda a: np.maximum.reduce(a, axis=-1),
    AluOp.min: lambda a: np.minimum.reduce(a, axis=-1),
    AluOp.abs_max: lambda a: _pick_last(a, smallest=False),
    AluOp.abs_min: lambda a: _pick_last(a, smallest=True),
    AluOp.average: lambda a: np.add.reduce(a, axis=-1) / np.float32(a.shape[-1]),
    AluOp.logical_and: lambda a: np.logical_and.reduce(a, axis=-1).astype(a.dtype),
    AluOp.logical_or: lambda a: np.logical_or.reduce(a, axis=-1).astype(a.dtype),
    AluOp.logical_xor: lambda a: np.logical_xor.reduce(a, axis=-1).astype(a.dtype),
    AluOp.bitwise_and: lambda a: np.bitwise_and.reduce(a, axis=-1),
    AluOp.bitwise_or: lambda a: np.bitwise_or.reduce(a, axis=-1),
    AluOp.bitwise_xor: lambda a: np.bitwise_xor.reduce(a, axis=-1),
}


def reduce(
    op: AluOp, array: Array, axis: int | Sequence[int] = -1, keepdims: bool = False
) -> Array:
    """Fold `array` with `op` over `axis`, seeded with the first element, in its own dtype.

    Args: op, a legal reduction (``ALU[op].reduces``), or average (the mean), abs_max or abs_min,
    which some instructions also take; array, float32 (integers for bitvec operators; other
    operators wrap on integers, and average does not take them); axis, one or several axes, folded
    as one, first listed outermost.
    Returns: an array without `axis`, or with size 1 there when `keepdims`. A single element is
    returned as it is, also by logical operators.
    Raises: KeyError if `op` is no reduction. Source: numerics of tensor_reduce (seeding).
    Model: the order of float32 additions is not published; this is NumPy's pairwise order over the
    flattened axes, whatever the memory layout. subtract is the first element minus such a sum of
    the rest. abs_max and abs_min keep the last of equal magnitudes, as their tie rule implies.
    """
    fold = _FOLDS[op]
    axes = (axis,) if isinstance(axis, int) else tuple(axis)
    axes = tuple(a % array.ndim for a in axes)
    kept = tuple(a for a in range(array.ndim) if a not in axes)
    shape = tuple(array.shape[a] for a in kept)
    rows = np.ascontiguousarray(array.transpose(kept + axes)).reshape(*shape, -1)
    with np.errstate(all="ignore"):
        folded = np.asarray(rows[..., 0] if rows.shape[-1] == 1 else fold(rows))
    return np.expand_dims(folded, tuple(sorted(axes))) if keepdims else folded


_DVE: Final = {Engine.DVE: TONGA}
_POOL: Final = {Engine.POOL: TONGA}
_ACT: Final = {Engine.ACT: TONGA}
_OVERRIDES: Final[Mapping[AluOp, Mapping[Engine, int]]] = {
    AluOp.bypass: _DVE | _POOL | _ACT,
    AluOp.bitwise_and: _DVE | _POOL,  # Source: tensor_partition_reduce, a GpSimd instruction
    AluOp.bitwise_or: _DVE | _POOL,
    AluOp.add: _DVE | _POOL | {Engine.ACT: CAYMAN},  # Source: tensor_scalar on the Scalar engine
    AluOp.mult: _DVE | _POOL | {Engine.ACT: CAYMAN},
    AluOp.average: _POOL,  # Source: tensor_partition_reduce
    AluOp.pow: _POOL,  # Source: tensor_tensor
    AluOp.rsqrt: _POOL | _ACT,  # Source: "Engine Selection for Operators"
    AluOp.reciprocal: _DVE | _ACT,
    AluOp.abs_max: {Engine.DVE: COREV4, Engine.ACT: COREV4},  # Source: abs_max; activate2
    AluOp.abs_min: {Engine.DVE: COREV4, Engine.ACT: COREV4},
}

ENGINES: Final[Mapping[AluOp, Mapping[Engine, int]]] = {
    row.key: _OVERRIDES.get(
        row.key, _DVE if row.kind == "bitvec" or row.arity == 1 else _DVE | _POOL
    )
    for row in _ROWS
}
"""Engines that have an operator, with the order of the oldest target on which each has it.

Model: TONGA also stands for "no document names an oldest one". Source where marked; NKI ISA
reference, tensor_scalar: bitvec operators run on the Vector engine, and GpSimd knows one unary one.
"""

SINCE: Final[Mapping[AluOp, int]] = {op: min(found.values()) for op, found in ENGINES.items()}
"""Order of the oldest target that has an operator on any engine."""
