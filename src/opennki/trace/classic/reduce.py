"""Reductions over the last free dimensions, `softmax` and `rms_norm`, where a mask holds.

The mask is over the shape of the argument: elements that it leaves out are not reduced.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from opennki.base.dtypes import DType, bool_
from opennki.ir import row_major
from opennki.trace.context import TraceContext
from opennki.trace.nki_ctx import nki_ctx
from opennki.trace.sema import reduce
from opennki.trace.sema.marks import nki_function
from opennki.trace.sema.operands import dtype_or, integer, number, wrong_type
from opennki.trace.sema.reduce import Fold, fold_of

from .calls import Masked, made, operand, written
from .tiles import ClassicTensor, Shape

Function = Callable[..., ClassicTensor]


@dataclass(frozen=True)
class _Fold:
    """A checked request: the tile, what is folded of it, and where that is once it came last.

    Attributes: order, dimensions of the tile with the folded ones last.
    """

    fold: Fold
    data: ClassicTensor
    order: Shape

    def run(
        self, like: Callable[..., Any], kind: DType, mask: Any, keepdims: Any, /, **options: Any
    ) -> ClassicTensor:  # fmt: skip
        """The tile that `like`, of the present generation, folds the part that is left into."""
        fold = self.fold
        ctx = fold.ctx
        if number(keepdims) not in (0, 1):
            raise wrong_type(ctx, fold.fn, "keepdims", "True or False", keepdims)
        shape = self._ones() if keepdims else fold.shape(False)
        dst = made(ctx, fold.fn, shape, kind)
        masked = Masked(self.data.shape, mask)
        if masked.nothing:
            return dst
        places = dict(enumerate(self.order))
        kept = {k: dim for k, dim in places.items() if k < fold.axes[0]}
        ctx.destination = masked.along(dst.spread(fold.ones, row_major(fold.ones)), kept)
        try:
            like(masked.along(_turned(self.data, self.order), places), fold.axes, **options)
        finally:
            ctx.destination = None
        return dst

    def _ones(self) -> Shape:
        """The tile's shape with size 1 for the folded dimensions."""
        folded = self.order[self.fold.axes[0] :]
        return tuple(1 if k in folded else n for k, n in enumerate(self.data.shape))


def _turned(view: ClassicTensor, order: Shape) -> ClassicTensor:
    """`view` with its dimensions in another order."""
    if order == tuple(range(len(view.shape))):
        return view
    return view.spread(tuple(view.shape[k] for k in order), tuple(view.strides[k] for k in order))


def _fold_of(fn: str, x: Any, axis: Any) -> _Fold:
    """As `sema.reduce.fold_of`, with any free axes. Raises: NKI1007, NKI2105, NKI2401, NKI2403."""
    ctx = nki_ctx(f"nl.{fn}")
    data = operand(ctx, fn, "x", x)
    rank = len(data.shape)
    given = tuple(axis) if isinstance(axis, tuple | list | range) else (axis,)
    numbers = tuple(integer(ctx, fn, "axis", a) for a in given)
    axes = tuple(sorted(a + rank if a < 0 else a for a in numbers))
    if len(set(axes)) < len(axes) or not set(axes) <= set(range(1, rank)) or not axes:
        return _Fold(fold_of(fn, data, numbers), data, tuple(range(rank)))  # it refuses
    order = (*(k for k in range(rank) if k not in axes), *axes)
    last = tuple(range(rank - len(axes), rank))
    return _Fold(fold_of(fn, _turned(data, order), last), data, order)


def _reduction(like: Callable[..., Any]) -> Function:
    """The function of the first generation."""
    name = like.__name__

    def function(
        x: Any, axis: Any, *, dtype: Any = None, mask: Any = None, keepdims: bool = False
    ) -> ClassicTensor:
        found = _fold_of(name, x, axis)
        kind = _dtype(found.fold, dtype, None)
        options = {"dtype": kind, "keepdims": True}
        return found.run(like, kind, mask, keepdims, **options)

    return _named(function, like)


def _dtype(fold: Fold, dtype: Any, kind: DType | None) -> DType:
    return dtype_or(fold.ctx, dtype, kind or fold.data.dtype)


def _named(function: Any, like: Any) -> Function:
    function.__name__ = function.__qualname__ = like.__name__
    function.__doc__ = f"As `nki.language.{like.__name__}`, of the elements that `mask` leaves."
    alu = getattr(like, "__nki_alu__", None)
    return nki_function(alu=alu)(function)  # type: ignore[no-any-return]  # a function


sum = _reduction(reduce.sum)
max = _reduction(reduce.max)
min = _reduction(reduce.min)
prod = _reduction(reduce.prod)
mean = _reduction(reduce.mean)


@nki_function()
def var(x: Any, axis: Any, *, dtype: Any = None, mask: Any = None) -> ClassicTensor:
    """As `nki.language.var`, of the elements that `mask` leaves."""
    found = _fold_of("var", x, axis)
    kind = _dtype(found.fold, dtype, None)
    return found.run(reduce.var, kind, mask, True, dtype=kind)


@nki_function()
def all(x: Any, axis: Any, *, dtype: Any = bool_, mask: Any = None) -> ClassicTensor:
    """Whether every element of x over `axis` that `mask` leaves is nonzero."""
    found = _fold_of("all", x, axis)
    kind = _dtype(found.fold, dtype, bool_)
    return found.run(reduce.all, kind, mask, False, dtype=kind)


@nki_function()
def softmax(
    x: Any, axis: Any = -1, *, dtype: Any = None, compute_dtype: Any = None, mask: Any = None
) -> ClassicTensor:
    """``exp(x - max) / sum(exp(x - max))`` over `axis`, of the elements that `mask` leaves.

    Args: compute_dtype, of what is in between: float32, which is what it is. Raises: NKI1007 for
        another one.
    """
    ctx = nki_ctx("nl.softmax")
    data = operand(ctx, "softmax", "x", x)
    _float32_inside(ctx, "softmax", compute_dtype)
    kind = dtype_or(ctx, dtype, data.dtype)
    return written(reduce.softmax, data.shape, kind, mask, data, axis=axis)


def _float32_inside(ctx: TraceContext, fn: str, compute_dtype: Any) -> None:
    if compute_dtype is not None and dtype_or(ctx, compute_dtype, bool_) != "float32":
        raise wrong_type(ctx, fn, "compute_dtype", "float32", compute_dtype)


@nki_function()
def rms_norm(
    x: Any, w: Any, axis: Any, n: Any, epsilon: Any = 1e-06, *, dtype: Any = None,
    compute_dtype: Any = None, mask: Any = None,
) -> ClassicTensor:  # fmt: skip
    """As `nki.language.rms_norm`, of the elements that `mask` leaves."""
    ctx = nki_ctx("nl.rms_norm")
    data = operand(ctx, "rms_norm", "x", x)
    weight = operand(ctx, "rms_norm", "w", w)
    kind = dtype_or(ctx, dtype, data.dtype)
    return written(
        reduce.rms_norm, data.shape, kind, mask, data, weight, axis, n, epsilon,
        compute_dtype=compute_dtype,
    )  # fmt: skip
