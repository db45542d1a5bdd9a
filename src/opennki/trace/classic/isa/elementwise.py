"""Element-wise arithmetic, copies and fills, as calls of the first generation."""

from __future__ import annotations

from opennki.ir import Inst
from opennki.isa.enums import ActFunc, Engine
from opennki.trace.classic.promotion import promoted
from opennki.trace.classic.tiles import ClassicTensor, Window

from .activation import activated
from .call import Call, Part, meant, published


@published("data1, data2, op, *, dtype=None, mask=None, engine=engine.unknown, name=None")
def tensor_tensor(call: Call) -> ClassicTensor:
    """A new tile: ``op(data1, data2)`` in the promoted dtype.

    Source: NKI 0.1 ISA reference, tensor_tensor. Model: free dimensions of size 1 are repeated, as
    published kernels have it, which add a vector to a tile.
    """
    x, y = call.tile("data1"), call.tile("data2")
    larger = y if y.free_size > x.free_size else x
    dst = call.result(larger.shape, call.kind(promoted(x.dtype, y.dtype)))
    where = call.part(larger)
    written = where.of(dst)
    first, second = (_repeated(where.of(one), written.shape) for one in (x, y))
    call.emit(where, dst=written, data1=first, data2=second)
    return dst


def _repeated(view: ClassicTensor, shape: tuple[int, ...]) -> ClassicTensor:
    """`view` with free dimensions of size 1 repeated to `shape`; as it is if that is not all."""
    sizes = view.shape
    if sizes == shape or view.index is not None:
        return view
    if view.free_size == 1:
        sizes = (sizes[0], *(1 for _ in shape[1:]))
    fits = len(sizes) == len(shape) and sizes[0] == shape[0]
    if not fits or any(n not in (1, want) for n, want in zip(sizes, shape, strict=True)):
        return view
    ahead = view.strides if len(view.strides) == len(shape) else (view.strides[0],) * len(shape)
    steps = tuple(s if n == w else 0 for s, n, w in zip(ahead, sizes, shape, strict=True))
    return Window(view.tensor, view.offset, shape, steps, view.dtype)


@published(
    "data, op0, operand0, reverse0=False, op1=None, operand1=None, reverse1=False, *, "
    "dtype=None, mask=None, engine=engine.unknown, name=None"
)
def tensor_scalar(call: Call) -> ClassicTensor:
    """A new tile: ``op1(op0(data, operand0), operand1)``.

    Source: NKI 0.1 ISA reference, tensor_scalar.
    """
    x = call.tile("data")
    first, second = call.scalar("operand0"), call.scalar("operand1")
    dst, where = call.like(x), call.part(x)
    call.emit(
        where, dst=where.of(dst), data=where.of(x), operand0=where.rows(first),
        operand1=where.rows(second),
    )  # fmt: skip
    return dst


@published(
    "*, data, op0, operand0, op1, operand1, reverse0=False, reverse1=False, dtype=None, "
    "mask=None, name=None"
)
def scalar_tensor_tensor(call: Call) -> ClassicTensor:
    """A new tile: ``op1(op0(data, operand0), operand1)``, where `operand1` is a tile like `data`.

    Source: NKI 0.1 ISA reference, scalar_tensor_tensor.
    """
    x, other, first = call.tile("data"), call.tile("operand1"), call.scalar("operand0")
    dst, where = call.like(x), call.part(x)
    call.emit(
        where, dst=where.of(dst), data=where.of(x), operand0=where.rows(first),
        operand1=where.of(other),
    )  # fmt: skip
    return dst


@published("data, *, dtype=None, mask=None, name=None")
def reciprocal(call: Call) -> ClassicTensor:
    """A new tile: ``1 / data``. Source: NKI 0.1 ISA reference, reciprocal."""
    x = call.tile("data")
    dst, where = call.like(x), call.part(x)
    call.emit(where, dst=where.of(dst), data=where.of(x))
    return dst


@published("data, prob, *, mask=None, dtype=None, name=None")
def dropout(call: Call) -> ClassicTensor:
    """A new tile: `data`, with elements replaced by 0 with probability `prob`.

    Source: NKI 0.1 ISA reference, dropout.
    """
    x, chance = call.tile("data"), call.vector("prob")
    dst, where = call.like(x), call.part(x)
    call.emit(where, dst=where.of(dst), data=where.of(x), prob=where.rows(chance))
    return dst


@published("src, *, mask=None, dtype=None, engine=engine.unknown, name=None")
def tensor_copy(call: Call) -> ClassicTensor:
    """A copy of `src` in SBUF.

    On gen2 the scalar engine copies by an activation, through float32.
    Source: NKI 0.1 ISA reference, tensor_copy.
    """
    x = call.tile("src")
    if meant(call["engine"]) is Engine.ACT and not call.ctx.target.has("act_copy"):
        given = {"op": ActFunc.Copy, "data": x, "bias": None, "scale": 1.0}
        given |= {"reduce_res": None, "buffer": None}
        given |= {name: call[name] for name in ("mask", "dtype", "name")}
        return activated(Call("tensor_copy", "activation", given))
    dst, where = call.like(x), call.part(x)
    call.emit(where, dst=where.of(dst), src=where.of(x))
    return dst


@published("src, *, mask=None, dtype=None, engine=engine.unknown, name=None", of="tensor_copy")
def tensor_copy_dynamic_src(call: Call) -> ClassicTensor:
    """A copy of `src`, whose place a run-time index gives, in SBUF.

    Source: NKI 0.1 ISA reference, tensor_copy_dynamic_src.
    """
    x = call.tile("src")
    dst, where = call.like(x), call.part(x)
    call.emit(where, dst=where.of(dst), src=where.of(x))
    return dst


@published("*, dst, src, mask=None, dtype=None, engine=engine.unknown, name=None", of="tensor_copy")
def tensor_copy_dynamic_dst(call: Call) -> Inst | None:
    """Copy `src` to `dst`, whose place a run-time index gives.

    Source: NKI 0.1 ISA reference, tensor_copy_dynamic_dst.
    """
    dst, x = call.tile("dst"), call.tile("src")
    where = call.part(dst)
    return call.emit(where, dst=where.of(dst), src=where.of(x))


@published("shape, value, dtype, *, mask=None, engine=engine.unknown, name=None")
def memset(call: Call) -> ClassicTensor:
    """A new tile in SBUF, all elements `value`; the first dimension is that of partitions.

    Source: NKI 0.1 ISA reference, memset.
    """
    dst = call.allocated(call["shape"])
    where = Part(dst.shape, call["mask"])
    call.emit(where, dst=where.of(dst))
    return dst
