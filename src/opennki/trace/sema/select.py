"""Choosing and repeating elements: `where`, `gather_flattened`, `broadcast_to`, `expand_dims`."""

from __future__ import annotations

from typing import Any

from opennki.base.codes import NKI2124, NKI2606, NKI3032
from opennki.base.dtypes import DType, int32, uint8, uint16, uint32
from opennki.ir import SBUF
from opennki.isa.enums import AluOp
from opennki.isa.fill import holds
from opennki.trace.context import TraceContext
from opennki.trace.nki_ctx import nki_ctx
from opennki.trace.values import NkiTensor

from . import isa
from .creation import in_sbuf, result, scratch
from .marks import nki_function
from .operands import Shape, dtype_or, fitted, integer, number, tensor, tile, wrong_type

PREDICATES = frozenset({uint8, uint16, uint32})


@nki_function()
def where(condition: Any, x: Any, y: Any, dtype: Any = None) -> NkiTensor:
    """``x`` where `condition` is not zero, ``y`` elsewhere; bits are moved, nothing is computed.

    Args: condition, a tile; x and y, tiles of its shape, (P, 1) tiles, or numbers; dtype of the
        result, by default that of the first of x and y that is a tile, else of `condition`.
    Raises: NKI1007, NKI2105, NKI2101, NKI2127 as the binary operators; NKI2606 for a number that
        the dtype of the result does not hold.
    """
    ctx = nki_ctx("nl.where")
    mask = tile(ctx, "where", "condition", condition)
    first = next((v for v in (x, y) if isinstance(v, NkiTensor)), mask)
    kind = dtype_or(ctx, dtype, first.dtype)
    whole = next((v.shape for v in (x, y) if isinstance(v, NkiTensor) and v.free_size > 1), None)
    shape = mask.shape if mask.free_size > 1 or whole is None else whole
    dst = result(ctx, "where", shape, kind)
    chosen = _choice(ctx, "x", x, shape, kind)
    other = _choice(ctx, "y", y, shape, kind)
    if isinstance(other, NkiTensor):
        isa.tensor_copy(dst, other)
    else:
        isa.memset(dst, other)
    isa.tensor_copy_predicated(
        dst, _of_dtype(ctx, chosen, kind, dst.name), _predicate(ctx, mask, shape, dst.name)
    )
    return dst


def _choice(
    ctx: TraceContext, name: str, value: Any, shape: Shape, dtype: DType
) -> NkiTensor | int | float:
    """An argument of `where` that is chosen from: a number that `dtype` holds, or a tile."""
    constant = number(value)
    if constant is not None:
        if dtype.is_int and not holds(dtype, constant):
            raise ctx.refusal(NKI2606, value=constant, dtype=dtype)
        return constant
    if not isinstance(value, NkiTensor):
        raise wrong_type(ctx, "where", name, "a tensor or a number", value)
    return fitted(ctx, "where", name, tile(ctx, "where", name, value), "condition", shape)


def _of_dtype(
    ctx: TraceContext, value: NkiTensor | int | float, dtype: DType, stem: str
) -> NkiTensor | int | float:
    """`value`, converted if it is a tile of another dtype."""
    if not isinstance(value, NkiTensor) or value.dtype == dtype:
        return value
    converted = scratch(ctx, f"{stem}_x", value.shape, dtype)
    isa.tensor_copy(converted, value)
    return converted


def _predicate(ctx: TraceContext, mask: NkiTensor, shape: Shape, stem: str) -> NkiTensor:
    """`mask` in a dtype that masked copies take."""
    if mask.dtype not in PREDICATES:
        converted = scratch(ctx, f"{stem}_condition", mask.shape, uint8)
        isa.tensor_scalar(converted, mask, AluOp.not_equal, 0.0)
        mask = converted
    return fitted(ctx, "where", "condition", mask, "x", shape)


@nki_function()
def gather_flattened(data: Any, indices: Any, axis: Any = 0, dtype: Any = None) -> NkiTensor:
    """``data[p, indices[p, k]]`` for every element k of every partition p of `indices`.

    The free dimensions of each count as one; the result has the shape of `indices`. An index that
    is too large stops the simulation with NKI6021.

    Args: data and indices, tiles in SBUF with as many partitions, indices of an integer dtype;
        axis, 0: there is one way to gather; dtype of the result, by default that of data.
    Raises: NKI1007, NKI2105 for what is no tile in SBUF; NKI2124 for another axis; as nc_n_gather,
        which wants indices of uint32, for other ones than integers.
    """
    ctx = nki_ctx("nl.gather_flattened")
    source = tile(ctx, "gather_flattened", "data", data, SBUF)
    chosen = tile(ctx, "gather_flattened", "indices", indices, SBUF)
    if integer(ctx, "gather_flattened", "axis", axis) != 0:
        raise ctx.refusal(NKI2124, name="axis", got=axis, allowed="0", inst="nl.gather_flattened")
    kind = dtype_or(ctx, dtype, source.dtype)
    dst = result(ctx, "gather_flattened", chosen.shape, kind)
    chosen = _unsigned(ctx, chosen, dst.name)
    if kind == source.dtype:
        isa.nc_n_gather(dst, source, chosen)
        return dst
    gathered = scratch(ctx, f"{dst.name}_data", chosen.shape, source.dtype)
    isa.nc_n_gather(gathered, source, chosen)
    isa.tensor_copy(dst, gathered)
    return dst


def _unsigned(ctx: TraceContext, indices: NkiTensor, stem: str) -> NkiTensor:
    """Integer `indices` as uint32; negative ones become too large for any tile."""
    if not indices.dtype.is_int or indices.dtype == uint32:
        return indices
    if indices.dtype != int32:
        wide = scratch(ctx, f"{stem}_indices", indices.shape, int32)
        isa.tensor_copy(wide, indices)
        indices = wide
    return indices.view(uint32)


@nki_function()
def broadcast_to(x: Any, shape: Any, dtype: Any = None) -> NkiTensor:
    """A tile of `shape` in which the dimensions of x that have size 1 are repeated.

    x itself if nothing changes. One partition is repeated by a DMA that reads it once for every
    partition; free dimensions by a copy with a stride of 0. Exact for every dtype.

    Args: x, in SBUF or PSUM; shape, with as many dimensions as x; dtype to convert to.
    Raises: NKI3032 if x cannot be broadcast to `shape`.
    """
    ctx = nki_ctx("nl.broadcast_to")
    data = tile(ctx, "broadcast_to", "x", x)
    want = broadcast_shape(ctx, data, shape)
    kind = dtype_or(ctx, dtype, data.dtype)
    if want == data.shape and kind == data.dtype:
        return data
    dst = result(ctx, "broadcast_to", want, kind)
    if want[0] == data.shape[0]:
        isa.tensor_copy(dst, _repeated(data, want))
        return dst
    data = in_sbuf(ctx, data, f"{dst.name}_x")  # DMA does not reach PSUM
    row = _repeated(data, (1, *want[1:]))
    isa.dma_copy(dst, row.expand_dim(1).broadcast(1, want[0]))
    return dst


def _repeated(x: NkiTensor, shape: Shape) -> NkiTensor:
    """`x` with free dimensions of size 1 repeated to `shape`."""
    for dim, (have, want) in enumerate(zip(x.shape, shape, strict=True)):
        if have != want:
            x = x.broadcast(dim, want)
    return x


def broadcast_shape(ctx: TraceContext, x: NkiTensor, shape: Any) -> Shape:
    """The shape that `x` is to be broadcast to."""
    if not isinstance(shape, tuple | list):
        raise wrong_type(ctx, "broadcast_to", "shape", "a tuple of integers", shape)
    want = tuple(integer(ctx, "broadcast_to", "shape", n) for n in shape)
    why = ""
    if len(want) != len(x.shape):
        why = f"one has {len(x.shape)} dimensions, the other {len(want)}"
    else:
        for dim, (have, size) in enumerate(zip(x.shape, want, strict=True)):
            if size != have and (have != 1 or size < 1):
                why = why or f"dimension {dim} has size {have}, not 1 or {size}"
    if why:
        raise ctx.refusal(NKI3032, shape=list(x.shape), want=list(want), why=why)
    return want


@nki_function()
def expand_dims(x: Any, axis: Any) -> NkiTensor:
    """A view of x with a new dimension of size 1 at position `axis` of the result.

    Raises: NKI3021 if that is position 0 of an on-chip tensor, NKI3025 if it is out of range.
    """
    ctx = nki_ctx("nl.expand_dims")
    view = tensor(ctx, "expand_dims", "x", x)
    return view.expand_dim(integer(ctx, "expand_dims", "axis", axis))
