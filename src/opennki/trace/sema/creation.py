"""Creating tensors: `nl.ndarray` and the functions that also fill what they create."""

from __future__ import annotations

from typing import Any

from opennki.base.codes import NKI1008, NKI3001, NKI3002, NKI3003, NKI3004, NKI3005, NKI3009
from opennki.base.dtypes import DType
from opennki.base.dtypes import dtype as to_dtype
from opennki.ir import Space, Tensor
from opennki.trace.context import TraceContext
from opennki.trace.nki_ctx import nki_ctx
from opennki.trace.values import NkiTensor

from .isa import memset
from .marks import nki_function

Shape = tuple[int, ...]


@nki_function()
def ndarray(
    shape: Any, dtype: Any, buffer: Any = Space.sbuf, name: str = "", address: Any = None
) -> NkiTensor:
    """A new tensor whose contents are undefined until something writes them.

    Args: shape, on chip with the partition dimension first and at least one more; dtype; buffer,
        the memory; name, unique in the kernel, by default the variable it is assigned to; address,
        ``(partition, byte offset in the partition)`` of an on-chip tensor that the author places.
    Raises: NKI3001 to NKI3006 for shapes, dtypes, buffers, names that do not work.
    """
    ctx = nki_ctx("nl.ndarray")
    space = _space(ctx, buffer)
    sizes = _sizes(ctx, shape)
    kind = _dtype(ctx, dtype)
    partition, offset = _address(ctx, address, space)
    tensor = Tensor(
        ctx.tensor_name(name, "hbm" if space.is_hbm else space.name), sizes, kind, space,
        address=offset, start_partition=partition, loc=ctx.loc(),
    )  # fmt: skip
    if space.on_chip:
        _fits(ctx, tensor)
    return ctx.new_tensor(tensor)


def _space(ctx: TraceContext, buffer: Any) -> Space:
    if isinstance(buffer, Space):
        return buffer
    if isinstance(buffer, str):
        facts = {"expected": "a memory such as nl.sbuf", "got": repr(buffer)}
        raise ctx.refusal(NKI1008, name="buffer", fn="nl.ndarray", **facts)
    raise ctx.refusal(NKI3005, got=repr(buffer))


def _sizes(ctx: TraceContext, shape: Any) -> Shape:
    if not isinstance(shape, tuple | list):
        shape = (shape,)
    for n in shape:
        if isinstance(n, bool | float) or not hasattr(n, "__index__") or isinstance(n, NkiTensor):
            raise ctx.refusal(NKI3001, shape=list(shape), why=f"{n!r} is not an integer")
        if n < 1:
            raise ctx.refusal(NKI3001, shape=list(shape), why=f"{n} is not positive")
    if not shape:
        raise ctx.refusal(NKI3001, shape=[], why="it has no dimension")
    return tuple(int(n) for n in shape)


def _dtype(ctx: TraceContext, dtype: Any) -> DType:
    try:
        return to_dtype(dtype)
    except KeyError:
        raise ctx.refusal(NKI3004, got=str(dtype)) from None


def _address(ctx: TraceContext, address: Any, space: Space) -> tuple[int, int | None]:
    if address is None:
        return 0, None
    fits = isinstance(address, tuple | list) and len(address) == 2
    if not fits or not space.on_chip or not all(hasattr(n, "__index__") for n in address):
        raise ctx.refusal(NKI3009, got=repr(address), space=space)
    partition, offset = (int(n) for n in address)
    if partition < 0 or offset < 0 or partition >= ctx.target.partitions:
        raise ctx.refusal(NKI3009, got=repr(address), space=space)
    return partition, offset


def _fits(ctx: TraceContext, tensor: Tensor) -> None:
    """On-chip limits of one tensor: two dimensions, the partitions, the bytes of a partition."""
    t = ctx.target
    if len(tensor.shape) < 2:
        why = "on-chip tensors have a partition dimension and at least one more"
        raise ctx.refusal(NKI3001, shape=list(tensor.shape), why=why)
    if tensor.start_partition + tensor.shape[0] > t.partitions:
        raise ctx.refusal(NKI3002, got=tensor.shape[0], limit=t.partitions, target=t.name)
    limit = t.sbuf_bytes if tensor.space is Space.sbuf else t.psum_bytes
    if tensor.row_bytes > limit:
        facts = {"got": tensor.row_bytes, "limit": limit, "target": t.name}
        raise ctx.refusal(NKI3003, space=tensor.space, **facts)


@nki_function()
def full(
    shape: Any, fill_value: Any, dtype: Any, buffer: Any = Space.sbuf, name: str = ""
) -> NkiTensor:
    """A new tensor filled with `fill_value`."""
    made = ndarray(shape, dtype, buffer, name)
    memset(made, fill_value)
    return made
