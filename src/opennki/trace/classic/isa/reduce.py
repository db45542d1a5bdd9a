"""Reductions, scans and statistics, as calls of the first generation."""

from __future__ import annotations

from typing import Any

from opennki.ir import Inst
from opennki.isa.reduce import reduce_axes
from opennki.trace.classic.promotion import promoted
from opennki.trace.classic.tiles import ClassicTensor, Window
from opennki.trace.plain import plain_bool, plain_int

from .call import Call, published


@published("op, data, axis, *, mask=None, dtype=None, negate=False, keepdims=False, name=None")
def tensor_reduce(call: Call) -> ClassicTensor:
    """A new tile: the fold of the last dimensions of `data` by `op`.

    Dimensions that are folded are dropped, or stay with size 1 (`keepdims`); a tile keeps two in
    any case. Source: NKI 0.1 ISA reference, tensor_reduce. Model: the reference wants the last
    dimensions; published kernels fold others than those, which are walked last here.
    """
    x = call.tile("data")
    folded = _axes(call["axis"], len(x.shape))
    kept = [k for k in range(len(x.shape)) if k not in folded]
    shape = [x.shape[k] for k in kept]
    if plain_bool(call["keepdims"]):
        shape = [1 if k in folded else size for k, size in enumerate(x.shape)]
    elif len(shape) < 2:
        shape = [*(shape or [x.shape[0]]), 1]
    dst = call.result(shape, call.kind(x.dtype))
    where = call.part(x)
    dims = range(len(x.shape)) if len(shape) == len(x.shape) else kept
    read, axis = where.of(x), call["axis"]
    whole = kept[:1] == [0] and len(kept) + len(folded) == len(x.shape)
    if whole and kept != list(range(len(kept))) and read.index is None:
        read, axis = _moved_last(read, kept, folded), list(range(len(kept), len(x.shape)))
    call.emit(where, dst=where.along(dst, dims), data=read, axis=axis)
    return dst


def _moved_last(view: ClassicTensor, kept: list[int], folded: tuple[int, ...]) -> ClassicTensor:
    """`view` with the dimensions `folded` after the others, as the instruction folds them."""
    order = [*kept, *folded]
    shape, strides = ([of[k] for k in order] for of in (view.shape, view.strides))
    return Window(view.tensor, view.offset, tuple(shape), tuple(strides), view.dtype)


def _axes(axis: Any, ndim: int) -> tuple[int, ...]:
    """The dimensions that `axis` names; none for what the instruction will refuse."""
    given = axis if isinstance(axis, tuple | list) else (axis,)
    numbers = [plain_int(one) for one in given]
    if any(one is None for one in numbers):
        return ()
    return reduce_axes([one for one in numbers if one is not None], ndim)


@published("op, data, *, mask=None, dtype=None, name=None")
def tensor_partition_reduce(call: Call) -> ClassicTensor:
    """A new tile with one partition: the fold of the partitions of `data` by `op`.

    Source: NKI 0.1 ISA reference, tensor_partition_reduce.
    """
    x = call.near("data")
    dst = call.result((1, *x.shape[1:]), call.kind(x.dtype))
    where = call.part(x)
    dims = [None, *range(1, len(x.shape))]
    call.emit(where, dst=where.along(dst, dims), data=where.copied(x))
    return dst


@published(
    "*, data, op0, operand0, reduce_op, reduce_res, reverse0=False, dtype=None, mask=None, "
    "name=None"
)
def tensor_scalar_reduce(call: Call) -> ClassicTensor:
    """A new tile: ``op0(data, operand0)``; its fold by `reduce_op` goes to `reduce_res`.

    Source: NKI 0.1 ISA reference, tensor_scalar_reduce.
    """
    x, first, total = call.tile("data"), call.scalar("operand0"), call.tile("reduce_res")
    dst, where = call.like(x), call.part(x)
    call.emit(
        where, dst=where.of(dst), data=where.of(x), operand0=where.rows(first),
        reduce_res=where.rows(total),
    )  # fmt: skip
    return dst


@published(
    "*, src, dst, op0, op1, imm0, imm1=None, reduce_cmd=reduce_cmd.reset_reduce, mask=None, "
    "dtype=None, name=None"
)
def tensor_scalar_cumulative(call: Call) -> Inst | None:
    """Running values along each partition: ``dst[p, f] = r = op1(op0(src[p, f], imm0), r)``.

    Source: NKI ISA reference, tensor_scalar_cumulative, and the example of the first generation.
    """
    dst, x = call.tile("dst"), call.tile("src")
    first, second = call.scalar("imm0"), call.scalar("imm1")
    where = call.part(dst)
    return call.emit(
        where, dst=where.of(dst), src=where.of(x), imm0=where.rows(first),
        imm1=where.rows(second),
    )  # fmt: skip


@published(
    "data0, data1, initial, op0, op1, reverse0=False, reverse1=False, *, dtype=None, mask=None, "
    "name=None"
)
def tensor_tensor_scan(call: Call) -> ClassicTensor:
    """A new tile: ``r[f] = op1(op0(data0[f], r[f - 1]), data1[f])``, from `initial` on.

    Source: NKI 0.1 ISA reference, tensor_tensor_scan.
    """
    x, y, start = call.tile("data0"), call.tile("data1"), call.vector("initial")
    dst, where = call.like(x, promoted(x.dtype, y.dtype)), call.part(x)
    call.emit(
        where, dst=where.of(dst), data0=where.of(x), data1=where.of(y), initial=where.rows(start)
    )
    return dst


@published("data, *, mask=None, dtype=None, name=None")
def bn_stats(call: Call) -> ClassicTensor:
    """A new tile with 6 statistics of each partition. Source: NKI 0.1 ISA reference, bn_stats."""
    return _of_partitions(call, "data", 6)


@published("data, *, mask=None, dtype=None, name=None")
def bn_aggr(call: Call) -> ClassicTensor:
    """A new tile with mean and variance of each partition. Source: NKI 0.1 ISA reference,
    bn_aggr."""
    return _of_partitions(call, "data", 2)


@published("*, src, mask=None, dtype=None, name=None")
def max8(call: Call) -> ClassicTensor:
    """A new tile with the 8 largest of each partition. Source: NKI 0.1 ISA reference, max8."""
    return _of_partitions(call, "src", 8)


def _of_partitions(call: Call, name: str, count: int) -> ClassicTensor:
    """A new tile of `count` numbers for each partition of the tile `name`."""
    x = call.tile(name)
    dst = call.result((x.shape[0], count), call.kind(x.dtype))
    where = call.part(x)
    call.emit(where, dst=where.rows(dst), **{name: where.of(x)})
    return dst
