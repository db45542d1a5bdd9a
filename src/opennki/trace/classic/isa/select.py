"""Selection by conditions, and streams of integers, as calls of the first generation."""

from __future__ import annotations

from opennki.base.codes import NKI1007, NKI1100
from opennki.ir import Inst
from opennki.isa.enums import AluOp
from opennki.trace.classic.index import IndexExpr, Mask, concrete_base
from opennki.trace.classic.tiles import ClassicTensor
from opennki.trace.enums import reduce_cmd
from opennki.trace.plain import shown

from .call import Call, Part, published

Numbers = dict[str, object]


def stream(expr: IndexExpr, where: Part) -> Numbers:
    """The arguments by which an instruction counts `expr` over what the mask leaves of a tile.

    Loop indices are those of the present trip, which is traced alone.
    """
    rank = len(where.shape)
    steps = (0,) * (rank - expr.ndim) + expr.steps
    starts = [start for start, _ in where.spans]
    offset = concrete_base(expr.base) + sum(a * b for a, b in zip(steps, starts, strict=True))
    pairs = [
        [step, stop - start] for step, (start, stop) in zip(steps[1:], where.spans[1:], strict=True)
    ]
    walked = [pair for pair in pairs if pair[1] > 1] or [[0, 1]]
    return {"pattern": walked, "offset": offset, "channel_multiplier": steps[0]}


@published("expr, dtype, *, mask=None, name=None")
def iota(call: Call) -> ClassicTensor:
    """A new tile with the values of the index expression `expr`.

    Source: NKI 0.1 ISA reference, iota.
    """
    expr = call["expr"]
    if not isinstance(expr, IndexExpr) or expr.ndim < 2:
        expected = "an index expression such as nl.arange(128)[:, None] + nl.arange(512)[None, :]"
        got = "one of one dimension" if isinstance(expr, IndexExpr) else shown(expr)
        facts = {"fn": call.spec.call, "expected": expected, "got": got}
        raise call.ctx.refusal(NKI1007, name="expr", operand="expr", **facts)
    dst = call.allocated(expr.shape)
    where = Part(expr.shape, call["mask"])
    if not where.nothing:
        call.emit(where, dst=where.of(dst), **stream(expr, where))
    return dst


@published("pred, on_true_tile, on_false_value, *, mask=None, dtype=None, name=None")
def affine_select(call: Call) -> ClassicTensor:
    """A new tile: `on_true_tile` where the comparison `pred` holds, `on_false_value` elsewhere.

    Source: NKI 0.1 ISA reference, affine_select.
    """
    x = call.near("on_true_tile")
    condition, op = _comparison(call, call["pred"], x)
    dst, where = call.like(x), call.part(x)
    if not where.nothing:
        call.emit(
            where, dst=where.of(dst), on_true_tile=where.copied(x), cmp_op=op,
            **stream(condition, where),
        )  # fmt: skip
    return dst


def _comparison(call: Call, pred: object, x: ClassicTensor) -> tuple[IndexExpr, AluOp]:
    """What a predicate compares with 0, and how. Raises: NKI1100."""
    why = ""
    if not isinstance(pred, Mask):
        why = f"{shown(pred)} is no comparison of index expressions"
    else:
        first, *others = pred.conditions
        equal = len(others) == 1 and _negative(first, others[0])
        ahead = len(x.shape) - first.ndim
        sizes = zip(first.shape, x.shape[max(ahead, 0) :], strict=False)
        if others and not equal:
            why = "it joins several comparisons"
        elif ahead < 0 or any(n not in (1, size) for n, size in sizes):
            why = f"it is over {list(first.shape)}, and the tile is {list(x.shape)}"
        else:
            return first, AluOp.is_equal if equal else AluOp.is_ge
    raise call.ctx.refusal(NKI1100, why=why)


def _negative(a: IndexExpr, b: IndexExpr) -> bool:
    """Whether ``b == -a``, as in the two conditions of ``==``."""
    total = a + b
    return total.constant == 0


@published(
    "*, on_true_tile, comp_op0, comp_op1, bound0, bound1, reduce_cmd=None, reduce_res=None, "
    "reduce_op=AluOp.max, range_start=0, on_false_value=FP32_MIN, mask=None, dtype=None, name=None"
)
def range_select(call: Call) -> ClassicTensor:
    """A new tile: `on_true_tile` where the index meets both bounds, `on_false_value` elsewhere.

    Source: NKI 0.1 ISA reference, range_select. Model: `reduce_res` without `reduce_cmd` asks for
    the maximum of this call, as it did before there was a `reduce_cmd`.
    """
    x, bounds = call.tile("on_true_tile"), [call.tile("bound0"), call.tile("bound1")]
    total = call.vector("reduce_res")
    if call["reduce_cmd"] is None:
        call.given["reduce_cmd"] = reduce_cmd.idle if total is None else reduce_cmd.reset_reduce
    dst, where = call.like(x), call.part(x)
    call.whole(where, range(1, len(x.shape)), "indices count from the start of a partition")
    low, high = map(where.rows, bounds)
    call.emit(
        where, dst=where.of(dst), on_true_tile=where.of(x), bound0=low, bound1=high,
        reduce_res=where.rows(total),
    )  # fmt: skip
    return dst


@published(
    "*, dst, predicate, on_true, on_false, reduce_res=None, reduce_cmd=reduce_cmd.idle, "
    "reduce_op=AluOp.max, reverse_pred=False, mask=None, dtype=None, name=None"
)
def select_reduce(call: Call) -> Inst | None:
    """Write `on_true` where `predicate` holds and `on_false` elsewhere to `dst`.

    Source: NKI 0.1 ISA reference, select_reduce.
    """
    dst, predicate, x = call.tile("dst"), call.tile("predicate"), call.tile("on_true")
    other, total = call.vector("on_false"), call.vector("reduce_res")
    where = call.part(dst)
    return call.emit(
        where, dst=where.of(dst), predicate=where.bytes_of(predicate), on_true=where.of(x),
        on_false=where.rows(other), reduce_res=where.rows(total),
    )  # fmt: skip


@published("*, src, dst, predicate, reverse_pred=False, mask=None, dtype=None, name=None")
def tensor_copy_predicated(call: Call) -> Inst | None:
    """Copy `src`, a tile or a number, to `dst` where `predicate` holds.

    Source: NKI 0.1 ISA reference, tensor_copy_predicated.
    """
    dst, predicate, x = call.tile("dst"), call.tile("predicate"), call.vector("src")
    where = call.part(dst)
    return call.emit(where, dst=where.of(dst), predicate=where.bytes_of(predicate), src=where.of(x))


@published("*, segment_ids, dtype=None, name=None")
def sequence_bounds(call: Call) -> ClassicTensor:
    """A new tile (1, 2, n): first element and end of the segment of each of n ids.

    Source: NKI 0.1 ISA reference, sequence_bounds.
    """
    x = call.tile("segment_ids")
    dst, where = call.result((1, 2, x.free_size), call.kind(x.dtype)), call.part(x)
    call.emit(where, dst=where.rows(dst), segment_ids=where.of(x))
    return dst
