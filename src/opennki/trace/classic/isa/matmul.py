"""Products and transposes on the PE array, as calls of the first generation."""

from __future__ import annotations

from math import prod
from typing import Any

from opennki.base.dtypes import float32
from opennki.ir import Space
from opennki.isa.enums import Engine
from opennki.trace.classic.tiles import ClassicTensor
from opennki.trace.sema import isa
from opennki.trace.sema.creation import scratch

from .call import Call, Part, meant, published

PERF_MODES = {"double_row_gen3": "double_row"}
"""What the first generation calls a mode that has another name now."""


@published(
    "stationary, moving, *, is_stationary_onezero=False, is_moving_onezero=False, "
    "is_transpose=False, tile_position=(), tile_size=(), perf_mode=None, mask=None, name=None"
)
def nc_matmul(call: Call) -> ClassicTensor:
    """A new tile in PSUM: ``stationary[K, M].T @ moving[K, N]``.

    ``acc += nc_matmul(...)`` adds it to `acc` in PSUM instead. The result is float32; that of a
    transpose has the dtype of `stationary` where the target transposes bit by bit. It has the free
    dimensions of `moving`, without the one that double_row contracts. Of an operand in PSUM a copy
    is used.

    Source: NKI 0.1 ISA reference, nc_matmul. Model: a mask is over the result, so it cuts columns
    of the operands and never what is contracted.
    """
    left, right = call.near("stationary"), call.near("moving")
    mode = call["perf_mode"]
    if isinstance(mode, str):
        mode = PERF_MODES.get(mode, mode)
    call.given["perf_mode"] = mode
    pairs = 2 if str(getattr(mode, "name", mode)) == "double_row" else 1
    columns, free = left.shape[pairs:], right.shape[pairs:]
    exact = call["is_transpose"] and call.ctx.target.has("bit_accurate_transpose")
    kind = left.dtype if exact else float32
    shape = (prod(columns), *(free or (1,)))
    dst = call.result(shape, kind, Space.psum)
    where = call.part(dst)
    if len(columns) > 1:
        call.whole(where, [0], "`stationary` has several free dimensions")
    inst = call.emit(
        where,
        dst=where.of(dst),
        stationary=where.copied(left, [None] * pairs + [0] * (len(columns) == 1)),
        moving=where.copied(right, [None] * pairs + [k + 1 for k in range(len(free))]),
    )
    if inst is not None:
        call.ctx.symbolic.products[dst.tensor] = inst
    return dst


@published("data, *, mask=None, dtype=None, engine=engine.unknown, name=None")
def nc_transpose(call: Call) -> ClassicTensor:
    """The transpose of a tile whose free dimensions count as one.

    The tensor engine leaves it in PSUM. The vector engine, which is also chosen for what it can
    hold (32 x 32) unless ``engine=`` says otherwise, leaves it in SBUF. Another `dtype` takes a
    copy more, and so does `data` in PSUM that the tensor engine transposes.

    Source: NKI 0.1 ISA reference, nc_transpose. Model: more than 32 x 32 on the vector engine is
    done by blocks of that size, because published kernels ask for it, and got it.
    """
    data = call.near("data")
    shape = (data.free_size, data.shape[0])
    small = max(shape) <= call.ctx.target.transpose_block
    asked = meant(call["engine"])
    on_vector = asked is Engine.DVE or (asked in (None, Engine.UNASSIGNED) and small)
    space = Space.sbuf if on_vector else Space.psum
    where = call.part(data)
    dims: list[int | None] = [1, 0]
    if len(data.shape) > 2:
        call.whole(where, range(1, len(data.shape)), "`data` has several free dimensions")
        dims = [None, 0]
    kind = call.kind(data.dtype)
    dst = call.result(shape, kind, space)
    turned: Any = dst
    if kind != data.dtype:
        name = f"{dst.tensor.name}_turned"
        turned = scratch(call.ctx, name, shape, data.dtype, space)
    if on_vector and not small and len(data.shape) == 2 and where.whole([0, 1]):
        _by_blocks(call, turned, where.of(data))
    else:
        read = where.of(data) if on_vector else where.copied(data)
        call.emit(where, dst=where.along(turned, dims), data=read)
    if turned is not dst:
        cast(where, dims, dst, turned)
    return dst


def _by_blocks(call: Call, dst: ClassicTensor, data: ClassicTensor) -> None:
    """Transpose `data`, (P, F), into `dst`, (F, P), by blocks that the vector engine can hold."""
    size = call.ctx.target.transpose_block
    rows, columns = data.shape
    for row in range(0, rows, size):
        for column in range(0, columns, size):
            block = data[row : min(row + size, rows), column : min(column + size, columns)]
            column_end, row_end = column + block.shape[1], row + block.shape[0]
            isa.CALLS["nc_transpose"](dst[column:column_end, row:row_end], block, call["engine"])


def cast(where: Part, dims: list[int | None], dst: ClassicTensor, source: ClassicTensor) -> None:
    """Copy what the mask leaves of `source`, whose dimensions are `dims` of the tile, to `dst`."""
    if not where.nothing:
        isa.CALLS["tensor_copy"](where.along(dst, dims), where.along(source, dims))
