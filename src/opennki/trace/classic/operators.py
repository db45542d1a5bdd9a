"""Operators and item assignment of tiles: ``a + b``, ``acc += product``, ``t[...] = x``."""

from __future__ import annotations

from math import prod
from typing import Any

from opennki.base.codes import NKI1093
from opennki.base.dtypes import DType, bool_, float32
from opennki.ir import HBM, ON_CHIP, Inst, Space, Tensor
from opennki.isa import alu
from opennki.trace.context import TraceContext
from opennki.trace.nki_ctx import nki_ctx
from opennki.trace.plain import plain_number
from opennki.trace.sema import math
from opennki.trace.sema.operands import dtype_or

from .assignment import as_shape, fill, move
from .calls import Masked, made, operand, written
from .loop_sums import LoopSum
from .pieces import pieces
from .promotion import promoted
from .shapes import ranked, shape_of, spread_to
from .tiles import ClassicTensor

ANYWHERE = HBM | ON_CHIP


BITS = frozenset({"bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift"})
"""Functions that never convert."""
TRUTHS = frozenset({
    "equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "logical_and",
    "logical_or", "logical_xor",
})  # fmt: skip
"""Functions whose results are true or false."""


def binary(name: str, x: Any, y: Any, *, dtype: Any = None, mask: Any = None) -> ClassicTensor:
    """A new tile: ``x op y`` for tiles and numbers, where `mask` holds.

    Its shape is what those of the tiles have together. Its dtype, unless given, is bool for truths,
    that of x for bits, else what `promotion.promoted` says.
    """
    ctx = nki_ctx(f"nl.{name}")
    tiles = {
        which: operand(ctx, name, which, value)
        for which, value in (("x", x), ("y", y))
        if plain_number(value) is None
    }
    if not tiles:
        return math.binary(alu.by_nki_name(name), x, y, dtype)  # type: ignore[return-value]  # it refuses
    shape = shape_of(name, ctx, tiles)
    dst = made(ctx, name, shape, dtype_or(ctx, dtype, _kind(name, x, y)))
    _combine(ctx, name, x, y, dst, mask)
    return dst


def _kind(name: str, x: Any, y: Any) -> DType:
    """Dtype of ``x op y``, at least one of which is a tile."""
    kinds = [value.dtype for value in (x, y) if isinstance(value, ClassicTensor)]
    if name in TRUTHS:
        return bool_
    if name in BITS:
        return kinds[0]
    if len(kinds) == 2:
        return promoted(*kinds)
    number = plain_number(y if isinstance(x, ClassicTensor) else x)
    assert number is not None
    fraction = isinstance(number, float) and not kinds[0].is_float
    return float32 if fraction else kinds[0]


def _combine(
    ctx: TraceContext, name: str, x: Any, y: Any, dst: ClassicTensor, mask: Any = None
) -> None:
    """``dst = x op y`` where `mask` holds; of a new `dst` also around it."""
    masked = Masked(dst.shape, mask, apart=mask is not None)
    masked.makes(dst)
    if masked.nothing:
        return
    first, second = (
        masked.of(_fitted(ctx, value, dst.shape)) if isinstance(value, ClassicTensor) else value
        for value in (x, y)
    )
    operands = [view for view in (first, second) if isinstance(view, ClassicTensor)]
    for part, *parts in pieces(ctx, [masked.of(dst), *operands]):
        cut = iter(parts)
        left, right = (
            next(cut) if isinstance(view, ClassicTensor) else view for view in (first, second)
        )
        math.binary(alu.by_nki_name(name), left, right, None, part)


def _fitted(ctx: TraceContext, view: ClassicTensor, shape: tuple[int, ...]) -> ClassicTensor:
    """An operand as one of `shape`, or with one element per partition, which engines take, too."""
    if view.free_size == 1 and view.shape[0] == shape[0]:
        return ranked(view, len(shape))
    return spread_to(ctx, view, shape)


def add_to(dst: ClassicTensor, value: Any) -> ClassicTensor:
    """``dst += value``: in PSUM a product accumulates there; elsewhere the sum is written back.

    So it is for a product that was made before, and where something else than products wrote,
    which the PE array does not add to reliably.
    """
    ctx = nki_ctx("+=")
    target = Masked(dst.shape, None).of(dst)
    in_psum = dst.tensor.space is Space.psum
    if in_psum and isinstance(value, ClassicTensor) and _accumulated(ctx, target, value):
        return dst
    _combine(ctx, "add", dst, value, dst)
    if in_psum:
        ctx.symbolic.sums.note(target)
    return dst


def _accumulated(ctx: TraceContext, target: ClassicTensor, value: ClassicTensor) -> bool:
    """Let the product that made `value` add to `target` instead, if nothing came in between."""
    loops, tensor = ctx.symbolic, value.tensor
    if target.tensor in loops.filled:  # the PE array need not add to what others wrote
        return False
    inst: Any = loops.products.get(tensor)
    if inst is None or not value.shape == inst.dst.shape == target.shape:
        return False
    scope = ctx.builder.scope
    for statement in reversed(scope):
        if statement is inst:
            break
        if not isinstance(statement, Inst) or _touches(statement, (tensor, target.tensor)):
            return False
    else:
        return False
    del loops.products[tensor]
    ctx.builder.redirect(inst, target, loops.sums.accumulates(target))
    loops.sums.note(target)
    del ctx.function.tensors[tensor.name]
    tensor.retire()
    loops.added[tensor] = inst, scope
    return True


def _touches(inst: Inst, tensors: tuple[Tensor, ...]) -> bool:
    return any(view.tensor in tensors for _, view in inst.views())


def assign(dst: ClassicTensor, value: Any) -> None:
    """``t[...] = value``: a copy on chip, a transfer where HBM is involved, or a fill.

    Of a result that was computed under a mask, only what the mask leaves is written.
    Raises: NKI1093 for a value that has more elements, NKI2107 for another shape.
    """
    if isinstance(value, LoopSum):
        value.into(dst, assign, _combine)
        return
    if isinstance(value, ClassicTensor):
        same = (value.tensor, value.offset, value.shape, value.strides)
        if same == (dst.tensor, dst.offset, dst.shape, dst.strides):
            return  # what an operator such as += has written already
    ctx = nki_ctx("item assignment")
    if plain_number(value) is not None:
        fill(ctx, Masked(dst.shape, None).of(dst), value)
        if value and dst.tensor.space is Space.psum:
            ctx.symbolic.filled.add(dst.tensor)
        return
    source = operand(ctx, "item assignment", "value", value, ANYWHERE)
    if prod(source.shape) > prod(dst.shape):
        facts = {"got": list(source.shape), "want": list(dst.shape), "name": dst.tensor.name}
        raise ctx.refusal(NKI1093, **facts)
    kept = ctx.symbolic.masked.get(source.tensor)
    whole = source.shape == source.tensor.shape == dst.shape
    masked = kept if kept is not None and whole else Masked(dst.shape, None)
    if not whole:
        source = as_shape(ctx, Masked(source.shape, None).of(source), dst.shape)
    for box in masked.boxes:
        move(ctx, masked.cut(dst, box), masked.cut(source, box))
    if dst.tensor.space is Space.psum:
        ctx.symbolic.filled.add(dst.tensor)


ClassicTensor.binary = staticmethod(binary)
ClassicTensor.add_to = staticmethod(add_to)
ClassicTensor.assign = staticmethod(assign)


def _operator(name: str, swapped: bool) -> Any:
    def method(self: ClassicTensor, other: Any) -> Any:
        if not isinstance(other, ClassicTensor) and plain_number(other) is None:
            return NotImplemented
        return binary(name, other, self) if swapped else binary(name, self, other)

    return method


def _in_place(name: str) -> Any:
    def method(self: ClassicTensor, other: Any) -> ClassicTensor:
        _combine(nki_ctx(f"nl.{name}"), name, self, other, self)
        return self

    return method


def _unary(name: str) -> Any:
    def method(self: ClassicTensor) -> ClassicTensor:
        chosen = "logical_not" if name == "invert" and self.dtype == bool_ else name
        return written(getattr(math, chosen), self.shape, self.dtype, None, self)

    return method


for _sign, _name in (
    ("add", "add"), ("sub", "subtract"), ("mul", "multiply"), ("truediv", "divide"),
    ("pow", "power"), ("mod", "mod"), ("and", "bitwise_and"), ("or", "bitwise_or"),
    ("xor", "bitwise_xor"), ("lshift", "left_shift"), ("rshift", "right_shift"),
):  # fmt: skip
    setattr(ClassicTensor, f"__{_sign}__", _operator(_name, False))
    setattr(ClassicTensor, f"__r{_sign}__", _operator(_name, True))
    if _sign != "add":
        setattr(ClassicTensor, f"__i{_sign}__", _in_place(_name))
for _sign, _name in (
    ("lt", "less"), ("le", "less_equal"), ("gt", "greater"), ("ge", "greater_equal"),
    ("eq", "equal"), ("ne", "not_equal"),
):  # fmt: skip
    setattr(ClassicTensor, f"__{_sign}__", _operator(_name, False))
for _sign, _name in (("neg", "negative"), ("invert", "invert"), ("abs", "abs")):
    setattr(ClassicTensor, f"__{_sign}__", _unary(_name))
