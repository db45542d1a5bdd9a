"""Creating tensors: `nl.ndarray` and the functions that also fill what they create."""

from __future__ import annotations

from typing import Any

from opennki.base.codes import NKI1008, NKI3001, NKI3002, NKI3003, NKI3004, NKI3005, NKI3009
from opennki.base.dtypes import DType, float32
from opennki.ir import Space, Tensor
from opennki.target import BUFFER_STRINGS
from opennki.trace.context import TraceContext
from opennki.trace.nki_ctx import nki_ctx
from opennki.trace.plain import plain_int, shown
from opennki.trace.values import NkiTensor

from . import isa
from .marks import nki_function
from .operands import Shape, dtype_or, number, tensor, wrong_type


@nki_function()
def ndarray(
    shape: Any, dtype: Any, buffer: Any = Space.sbuf, name: str = "", address: Any = None
) -> NkiTensor:
    """A new tensor whose contents are undefined until something writes them.

    Args: shape, on chip with the partition dimension first and at least one more, where (1,) means
        (1, 1); dtype; buffer, the memory; name, unique in the kernel, by default the variable it is
        assigned to; address, ``(partition, byte offset in the partition)`` of an on-chip tensor
        that the author places.
    Raises: NKI3001 to NKI3006 for shapes, dtypes, buffers, names that do not work.
    """
    ctx = nki_ctx("nl.ndarray")
    if not isinstance(name, str | None):
        raise wrong_type(ctx, "ndarray", "name", "a string", name)
    space = _space(ctx, buffer)
    sizes = _sizes(ctx, shape)
    if space.on_chip and sizes == (1,):  # as the examples of registers write it
        sizes = (1, 1)
    kind = _dtype(ctx, dtype)
    partition, offset = _address(ctx, address, space)
    unique = ctx.tensor_name(name or "", "hbm" if space.is_hbm else space.name)
    return _new(ctx, unique, sizes, kind, space, (partition, offset))


def result(
    ctx: TraceContext, fn: str, shape: Shape, dtype: DType, space: Space = Space.sbuf
) -> NkiTensor:
    """The tile that the function `fn` returns, named after the variable it is assigned to.

    It is the context's `destination` if there is one, for a single time.
    """
    if ctx.destination is not None:
        given, ctx.destination = ctx.destination, None
        return given
    return _new(ctx, ctx.tensor_name("", fn), shape, dtype, space)


def scratch(
    ctx: TraceContext, stem: str, shape: Shape, dtype: DType, space: Space = Space.sbuf
) -> NkiTensor:
    """A tile for a value in between that no variable of the author's names."""
    return _new(ctx, ctx.unique(stem), shape, dtype, space)


def in_sbuf(ctx: TraceContext, view: NkiTensor, stem: str) -> NkiTensor:
    """`view`, or a copy of it if it is in PSUM: for what cannot read there."""
    if view.tensor.space is not Space.psum:
        return view
    copied = scratch(ctx, stem, view.shape, view.dtype)
    isa.tensor_copy(copied, view)
    return copied


def placed(
    ctx: TraceContext, name: str, shape: Shape, dtype: DType, space: Space, at: tuple[int, int]
) -> NkiTensor:
    """A new on-chip tensor at `at`: start partition, and byte offset in the partitions.

    Raises: as `ndarray` with an address.
    """
    return _new(ctx, name, _sizes(ctx, shape), dtype, space, _address(ctx, at, space))


def _new(
    ctx: TraceContext, name: str, shape: Shape, dtype: DType, space: Space,
    place: tuple[int, int | None] = (0, None),
) -> NkiTensor:  # fmt: skip
    made = Tensor(
        name, shape, dtype, space, address=place[1], start_partition=place[0], loc=ctx.loc()
    )
    if space.on_chip:
        _fits(ctx, made)
    return ctx.new_tensor(made)


def _space(ctx: TraceContext, buffer: Any) -> Space:
    if isinstance(buffer, Space):
        return buffer
    if isinstance(buffer, str) and ctx.dialect.has(BUFFER_STRINGS) and buffer in _BUFFERS:
        return _BUFFERS[buffer]
    if isinstance(buffer, str):
        facts = {"expected": "a memory such as nl.sbuf", "got": repr(buffer)}
        raise ctx.refusal(NKI1008, name="buffer", fn="nl.ndarray", **facts)
    raise ctx.refusal(NKI3005, got=repr(buffer))


_BUFFERS = {"hbm": Space.private_hbm, **Space.__members__}


def _sizes(ctx: TraceContext, shape: Any) -> Shape:
    if not isinstance(shape, tuple | list):
        shape = (shape,)
    sizes = []
    for given in shape:
        n = plain_int(given)
        if n is None:
            raise ctx.refusal(NKI3001, shape=list(shape), why=f"{shown(given)} is not an integer")
        if n < 1:
            raise ctx.refusal(NKI3001, shape=list(shape), why=f"{n} is not positive")
        sizes.append(n)
    if not sizes:
        raise ctx.refusal(NKI3001, shape=[], why="it has no dimension")
    return tuple(sizes)


def _dtype(ctx: TraceContext, dtype: Any) -> DType:
    if dtype is None:
        raise ctx.refusal(NKI3004, got="None")
    return dtype_or(ctx, dtype, float32)


def _address(ctx: TraceContext, address: Any, space: Space) -> tuple[int, int | None]:
    if address is None:
        return 0, None
    if isinstance(address, tuple | list) and len(address) == 2 and space.on_chip:
        partition, offset = map(plain_int, address)
        if partition is None or offset is None:
            partition = offset = -1
        if 0 <= partition < ctx.target.partitions and offset >= 0:
            return partition, offset
    raise ctx.refusal(NKI3009, got=f"{address!r:.80}", space=space)


def _fits(ctx: TraceContext, tensor: Tensor) -> None:
    """On-chip limits of one tensor: two dimensions, the partitions, the bytes of a partition."""
    t = ctx.target
    if len(tensor.shape) < 2:
        why = "on-chip tensors have a partition dimension and at least one more"
        raise ctx.refusal(NKI3001, shape=list(tensor.shape), why=why)
    if tensor.start_partition + tensor.shape[0] > t.partitions >= tensor.shape[0]:
        got = (tensor.start_partition, tensor.address)
        why = f"{tensor.shape[0]} partitions from there on"
        raise ctx.refusal(NKI3009, got=got, space=tensor.space, why=why)
    if tensor.shape[0] > t.partitions:
        raise ctx.refusal(NKI3002, got=tensor.shape[0], limit=t.partitions, target=t.title)
    limit = t.sbuf_bytes if tensor.space is Space.sbuf else t.psum_bytes
    if tensor.row_bytes > limit:
        facts = {"got": tensor.row_bytes, "limit": limit, "target": t.title}
        raise ctx.refusal(NKI3003, space=tensor.space, **facts)


@nki_function()
def full(
    shape: Any, fill_value: Any, dtype: Any, buffer: Any = Space.sbuf, name: str = ""
) -> NkiTensor:
    """A new tensor, all elements `fill_value`. HBM is filled by DMA from a tile.

    Raises: as `ndarray`; NKI1007 if `fill_value` is no number, NKI2606 if `dtype` cannot hold it.
    """
    return _filled("full", shape, fill_value, dtype, buffer, name)


@nki_function()
def zeros(shape: Any, dtype: Any, buffer: Any = Space.sbuf, name: str = "") -> NkiTensor:
    """A new tensor, all elements 0."""
    return _filled("zeros", shape, 0, dtype, buffer, name)


@nki_function()
def ones(shape: Any, dtype: Any, buffer: Any = Space.sbuf, name: str = "") -> NkiTensor:
    """A new tensor, all elements 1."""
    return _filled("ones", shape, 1, dtype, buffer, name)


@nki_function()
def zeros_like(x: Any, dtype: Any = None, buffer: Any = None, name: str = "") -> NkiTensor:
    """Zeros in the shape of `x` and, unless given, its dtype; in SBUF unless `buffer` is given."""
    like = tensor(nki_ctx("nl.zeros_like"), "zeros_like", "x", x)
    where = Space.sbuf if buffer is None else buffer
    kind = like.dtype if dtype is None else dtype
    return _filled("zeros_like", like.shape, 0, kind, where, name)


@nki_function()
def empty_like(x: Any, dtype: Any = None, buffer: Any = None, name: str = "") -> NkiTensor:
    """A new tensor with the shape of `x`, and its dtype and memory unless they are given."""
    like = tensor(nki_ctx("nl.empty_like"), "empty_like", "x", x)
    where = like.tensor.space if buffer is None else buffer
    return ndarray(like.shape, like.dtype if dtype is None else dtype, where, name)


def _filled(fn: str, shape: Any, value: Any, dtype: Any, buffer: Any, name: str) -> NkiTensor:
    ctx = nki_ctx(f"nl.{fn}")
    fill = number(value)
    if fill is None:
        raise wrong_type(ctx, fn, "fill_value", "a number", value)
    made = ndarray(shape, dtype, buffer, name)
    if made.tensor.space.on_chip:
        isa.memset(made, fill)
    else:
        _fill_hbm(ctx, made, fill)
    return made


FILL_COLUMNS = 2048
"""Elements per partition of the tile that fills HBM: 1 MiB of float32 in all."""


def _fill_hbm(ctx: TraceContext, made: NkiTensor, value: int | float) -> None:
    """Fill `made` by at most three transfers from one tile, which is read repeatedly.

    All elements are equal, so it does not matter which of the tile's elements lands where.
    """
    rows = min(ctx.target.partitions, made.size)
    columns = min(FILL_COLUMNS, made.size // rows)
    source = scratch(ctx, f"{made.name}_fill", (rows, columns), made.dtype)
    isa.memset(source, value)
    flat = made.reshape(made.size)
    repeats, rest = divmod(made.size, rows * columns)
    start = made.size - rest
    block = source.expand_dim(1).broadcast(1, repeats)
    isa.dma_copy(flat[0:start], block)
    full_rows, last = divmod(rest, columns)
    if full_rows:
        isa.dma_copy(flat[start : made.size - last], source[0:full_rows])
    if last:
        isa.dma_copy(flat[made.size - last :], source[0:1, 0:last])
