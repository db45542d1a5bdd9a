"""Reductions over the last free dimensions, and the functions built on them.

Sums and the like are float32 inside and rounded once to the dtype of the result, which is that of
the argument unless ``dtype=`` is given. Results on chip keep at least two dimensions: the sum of a
(P, F) tile over axis 1 is (P, 1).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod as product
from typing import Any

from opennki.base.codes import NKI2106, NKI2401, NKI2402, NKI2403
from opennki.base.dtypes import FLOATS, DType, float8_e8m0fnu, float32, names
from opennki.isa.enums import ActFunc, AluOp
from opennki.isa.reduce import reduce_axes
from opennki.trace.context import TraceContext
from opennki.trace.nki_ctx import nki_ctx
from opennki.trace.values import NkiTensor, restrided

from . import isa
from .creation import result, scratch
from .marks import nki_function
from .operands import Shape, dtype_or, fitted, integer, number, tile, wrong_type

FRACTIONS = FLOATS - {float8_e8m0fnu}
"""Dtypes that hold values in between; float8_e8m0fnu is read as bytes."""


@dataclass
class Fold:
    """A checked request: the tile, the folded axes, and the dimensions that stay.

    count, elements that become one; kept, shape of what stays; ones, the same with size 1 for
    every folded dimension.
    """

    ctx: TraceContext
    fn: str
    data: NkiTensor
    axes: tuple[int, ...]

    @property
    def kept(self) -> Shape:
        """Dimensions that stay."""
        return self.data.shape[: self.axes[0]]

    @property
    def ones(self) -> Shape:
        """The shape with size 1 for the folded dimensions."""
        return self.kept + (1,) * len(self.axes)

    @property
    def count(self) -> int:
        """Elements that are folded into one."""
        return product(self.data.shape[self.axes[0] :])

    def shape(self, keepdims: bool) -> Shape:
        """Shape of the result: at least two dimensions."""
        if keepdims:
            return self.ones
        return self.kept if len(self.kept) > 1 else (*self.kept, 1)

    def run(self, op: AluOp, dst: NkiTensor, data: NkiTensor | None = None) -> None:
        """Fold `data` (by default the tile) with `op` into `dst`."""
        isa.tensor_reduce(dst, op, self.data if data is None else data, self.axes)

    def repeated(self, folded: NkiTensor) -> NkiTensor:
        """A result of shape `ones` as a view of the tile's shape."""
        strides = (*folded.strides[: self.axes[0]], *(0 for _ in self.axes))
        return restrided(folded, self.data.shape, strides)

    def scratch(self, stem: str, shape: Shape, dtype: DType = float32) -> NkiTensor:
        """A tile for a value in between."""
        return scratch(self.ctx, f"{self.fn}_{stem}", shape, dtype)


def fold_of(fn: str, x: Any, axis: Any) -> Fold:
    """Check the arguments of the reduction `fn`.

    Raises: NKI1007, NKI2105 for what is no tile; NKI2401 to NKI2403 for axes that are not a run of
        free dimensions at the end.
    """
    ctx = nki_ctx(f"nl.{fn}")
    data = tile(ctx, fn, "x", x)
    given = axis if isinstance(axis, tuple | list | range) else (axis,)
    axes = reduce_axes(tuple(integer(ctx, fn, "axis", a) for a in given), len(data.shape))
    ndim = len(data.shape)
    if not axes:
        raise wrong_type(ctx, fn, "axis", "one or more axes", axis)
    if len(set(axes)) < len(axes) or not set(axes) <= set(range(ndim)):
        raise ctx.refusal(NKI2403, axis=axes, ndim=ndim)
    if 0 in axes:
        raise ctx.refusal(NKI2401, axis=axes, inst=f"nl.{fn}")
    if axes != tuple(range(axes[0], ndim)):
        raise ctx.refusal(NKI2402, axis=axes, ndim=ndim)
    return Fold(ctx, fn, data, axes)


def _reduced(fn: str, op: AluOp, x: Any, axis: Any, dtype: Any, keepdims: Any) -> NkiTensor:
    fold = fold_of(fn, x, axis)
    dst = _result(fold, dtype, keepdims)
    fold.run(op, dst)
    return dst


def _result(fold: Fold, dtype: Any, keepdims: Any) -> NkiTensor:
    kind = dtype_or(fold.ctx, dtype, fold.data.dtype)
    if number(keepdims) not in (0, 1):
        raise wrong_type(fold.ctx, fold.fn, "keepdims", "True or False", keepdims)
    return result(fold.ctx, fold.fn, fold.shape(bool(keepdims)), kind)


@nki_function()
def sum(x: Any, axis: Any, dtype: Any = None, keepdims: bool = False) -> NkiTensor:
    """Sum of x over `axis`, an axis or several: the last ones, not the partitions."""
    return _reduced("sum", AluOp.add, x, axis, dtype, keepdims)


@nki_function(alu=AluOp.max)
def max(x: Any, axis: Any, dtype: Any = None, keepdims: bool = False) -> NkiTensor:
    """Largest element of x over `axis`."""
    return _reduced("max", AluOp.max, x, axis, dtype, keepdims)


@nki_function(alu=AluOp.min)
def min(x: Any, axis: Any, dtype: Any = None, keepdims: bool = False) -> NkiTensor:
    """Smallest element of x over `axis`."""
    return _reduced("min", AluOp.min, x, axis, dtype, keepdims)


@nki_function()
def prod(x: Any, axis: Any, dtype: Any = None, keepdims: bool = False) -> NkiTensor:
    """Product of x over `axis`."""
    return _reduced("prod", AluOp.mult, x, axis, dtype, keepdims)


@nki_function()
def all(x: Any, axis: Any, dtype: Any = None) -> NkiTensor:
    """1 where every element of x over `axis` is nonzero, else 0."""
    fold = fold_of("all", x, axis)
    dst = _result(fold, dtype, False)
    if fold.count == 1:  # a fold gives a single element as it is
        isa.tensor_scalar(dst, fold.data, AluOp.not_equal, 0.0)
    else:
        fold.run(AluOp.logical_and, dst)
    return dst


@nki_function()
def mean(x: Any, axis: Any, dtype: Any = None, keepdims: bool = False) -> NkiTensor:
    """Arithmetic mean of x over `axis`: a float32 sum, divided by the number of elements."""
    fold = fold_of("mean", x, axis)
    dst = _result(fold, dtype, keepdims)
    _mean(fold, dst, fold.data)
    return dst


def _mean(fold: Fold, dst: NkiTensor, data: NkiTensor) -> None:
    total = fold.scratch("sum", fold.ones)
    fold.run(AluOp.add, total, data)
    isa.tensor_scalar(dst, total, AluOp.divide, float(fold.count))


@nki_function()
def var(x: Any, axis: Any, dtype: Any = None, keepdims: bool = False) -> NkiTensor:
    """Variance of x over `axis`: the mean of the squared distances from the mean.

    The folded dimensions stay with size 1 whatever `keepdims` says, as published.
    """
    fold = fold_of("var", x, axis)
    _result_shape_is_fixed(fold, keepdims)
    dst = result(fold.ctx, "var", fold.ones, dtype_or(fold.ctx, dtype, fold.data.dtype))
    average = fold.scratch("mean", fold.ones)
    _mean(fold, average, fold.data)
    distance = fold.scratch("distance", fold.data.shape)
    isa.tensor_tensor(distance, fold.data, fold.repeated(average), AluOp.subtract)
    isa.tensor_tensor(distance, distance, distance, AluOp.mult)
    _mean(fold, dst, distance)
    return dst


def _result_shape_is_fixed(fold: Fold, keepdims: Any) -> None:
    if number(keepdims) not in (0, 1):
        raise wrong_type(fold.ctx, fold.fn, "keepdims", "True or False", keepdims)


@nki_function()
def softmax(x: Any, axis: Any = -1, dtype: Any = None) -> NkiTensor:
    """``exp(x - max) / sum(exp(x - max))`` over `axis`; float32 inside.

    Over all free dimensions at once the scalar engine subtracts and sums while it exponentiates.
    """
    fold = fold_of("softmax", x, axis)
    data = fold.data
    dst = result(fold.ctx, "softmax", data.shape, dtype_or(fold.ctx, dtype, data.dtype))
    top, total = fold.scratch("max", fold.ones), fold.scratch("sum", fold.ones)
    powers = fold.scratch("exp", data.shape)
    if len(fold.kept) == 1:
        isa.tensor_reduce(top, AluOp.max, data, fold.axes, True)
        isa.activation_reduce(powers, ActFunc.Exp, data, AluOp.add, total, top)
    else:
        fold.run(AluOp.max, top)
        isa.tensor_tensor(powers, data, fold.repeated(top), AluOp.subtract)
        isa.activation(powers, ActFunc.Exp, powers)
        fold.run(AluOp.add, total, powers)
    isa.reciprocal(total, total)
    _scaled(fold, dst, powers, total)
    return dst


def _scaled(fold: Fold, dst: NkiTensor, data: NkiTensor, factor: NkiTensor) -> None:
    """``dst = data * factor``, where `factor` has the folded dimensions with size 1."""
    if len(fold.kept) == 1 and factor.dtype == float32:
        isa.tensor_scalar(dst, data, AluOp.mult, factor)
    else:
        isa.tensor_tensor(dst, data, fold.repeated(factor), AluOp.mult)


@nki_function()
def rms_norm(
    x: Any, w: Any, axis: Any, n: Any, epsilon: Any = 1e-06, dtype: Any = None,
    compute_dtype: Any = None,
) -> NkiTensor:  # fmt: skip
    """``x / sqrt(sum(x ** 2) / n + epsilon) * w``, the sum over `axis`.

    Args: x and w, tiles of one shape (w may be (P, 1)); n, what the sum is divided by; epsilon;
        dtype of the result, by default that of x; compute_dtype of what is in between, by default
        float32.
    Raises: NKI1007, NKI2105, NKI2101, NKI2127, NKI2401 to NKI2403 as of the other functions;
        NKI2106 for a `compute_dtype` that is not floating point.
    """
    fold = fold_of("rms_norm", x, axis)
    ctx, data = fold.ctx, fold.data
    weight = fitted(ctx, "rms_norm", "w", tile(ctx, "rms_norm", "w", w), "x", data.shape)
    size, small = number(n), number(epsilon)
    if size is None or size <= 0:
        raise wrong_type(ctx, "rms_norm", "n", "a positive number", n)
    if small is None:
        raise wrong_type(ctx, "rms_norm", "epsilon", "a number", epsilon)
    inner = dtype_or(ctx, compute_dtype, float32)
    if inner not in FRACTIONS:
        raise ctx.refusal(
            NKI2106, operand="compute_dtype", got=inner, inst="nl.rms_norm",
            allowed=names(FRACTIONS), target=ctx.target.title,
        )  # fmt: skip
    dst = result(ctx, "rms_norm", data.shape, dtype_or(ctx, dtype, data.dtype))
    squares = fold.scratch("squares", data.shape, inner)
    rms = fold.scratch("rms", fold.ones, inner)
    isa.activation(squares, ActFunc.Square, data)
    fold.run(AluOp.add, rms, squares)
    isa.tensor_scalar(rms, rms, AluOp.divide, float(size), False, AluOp.add, small)
    isa.activation(rms, ActFunc.Rsqrt, rms)
    _scaled(fold, squares, data, rms)
    isa.tensor_tensor(dst, squares, weight, AluOp.mult)
    return dst
