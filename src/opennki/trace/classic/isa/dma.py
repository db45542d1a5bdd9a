"""Transfers, as calls of the first generation."""

from __future__ import annotations

from typing import Any

from opennki.ir import Inst
from opennki.isa.dma import PERMUTATIONS
from opennki.trace.classic.indirect import by_rows, has_vector
from opennki.trace.classic.tiles import ClassicTensor
from opennki.trace.sema.creation import scratch

from .call import Call, Part, published
from .matmul import cast
from .operators import alu_op


@published(
    "*, dst, src, mask=None, dst_rmw_op=None, oob_mode=oob_mode.error, "
    "dge_mode=dge_mode.unknown, name=None"
)
def dma_copy(call: Call) -> Inst | None:
    """Copy `src` to `dst`, or add it to what is there (``dst_rmw_op=np.add``).

    Source: NKI 0.1 ISA reference, dma_copy. Model: a target that does not take a vector of indices
    gets one transfer per row.
    """
    dst, src = call.tile("dst"), call.near("src")
    where = call.part(dst)
    target, source = where.of(dst), where.copied(src)
    if where.nothing or not has_vector(target, source) or call.ctx.target.has("gather"):
        return _moved(call, where, target, source)
    for one, other in by_rows(target, source):
        _moved(call, where, one, other)
    return None


def _moved(call: Call, where: Part, target: ClassicTensor, source: Any) -> Inst | None:
    """One transfer. To add to what an index of one element selects takes a copy of it."""
    op = call["dst_rmw_op"]
    if op is None:
        return call.emit(where, dst=target, src=source)
    if target.index is None or target.index.vector:
        return call.emit(where, dst=target, src=source, dst_rmw_op=alu_op(op))
    sums: Any = scratch(call.ctx, f"{target.tensor.name}_sums", target.shape, target.dtype)
    call.emit(where, dst=sums, src=target)
    call.emit(where, dst=sums, src=source, dst_rmw_op=alu_op(op))
    return call.emit(where, dst=target, src=sums)


@published("src, *, axes=None, mask=None, dtype=None, dge_mode=dge_mode.unknown, name=None")
def dma_transpose(call: Call) -> ClassicTensor:
    """A new tile in SBUF: `src` with its first dimension and its last exchanged.

    Another `dtype` takes a copy more, because the transfer moves bits.
    Source: NKI 0.1 ISA reference, dma_transpose.
    """
    src = call.near("src")
    dims = list(PERMUTATIONS.get(len(src.shape), range(len(src.shape))))
    shape = tuple(src.shape[dim] for dim in dims)
    kind = call.kind(src.dtype)
    dst, where = call.result(shape, kind), call.part(src)
    if kind == src.dtype:
        call.emit(where, dst=where.along(dst, dims), src=where.copied(src))
        return dst
    turned: Any = scratch(call.ctx, f"{dst.tensor.name}_turned", shape, src.dtype)
    call.emit(where, dst=where.along(turned, dims), src=where.copied(src))
    cast(where, [*dims], dst, turned)
    return dst
