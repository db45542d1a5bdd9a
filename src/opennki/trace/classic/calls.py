"""What calls of the first generation share: new tiles, operands, and instructions under a mask."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from opennki.base.dtypes import DType
from opennki.ir import ON_CHIP, Space, start_allowed
from opennki.trace.context import TraceContext
from opennki.trace.nki_ctx import nki_ctx
from opennki.trace.sema import isa
from opennki.trace.sema.creation import result
from opennki.trace.sema.operands import tile

from .annotations import check_annotation
from .masks import boxes, cut, hull, left, part
from .tiles import ClassicTensor, Spans

Shape = tuple[int, ...]


def made(
    ctx: TraceContext, fn: str, shape: Shape, dtype: DType, space: Space = Space.sbuf
) -> ClassicTensor:
    """The tile that a call returns, named after the variable it is assigned to. Raises: NKI3041."""
    check_annotation(shape)
    found = result(ctx, fn, shape, dtype, space)
    assert isinstance(found, ClassicTensor), "of a kernel of the first generation"
    return found


def operand(
    ctx: TraceContext, fn: str, name: str, value: Any, spaces: Collection[Space] = ON_CHIP
) -> ClassicTensor:
    """`value`, which must be a tensor in one of `spaces`. Raises: NKI1007, NKI2105, NKI2109."""
    found = tile(ctx, fn, name, value, spaces)
    ctx.symbolic.uses(found.tensor)
    assert isinstance(found, ClassicTensor), "of a kernel of the first generation"
    return found


class Masked:
    """The part of a tile of `shape` that a mask leaves, and what of operands belongs to it.

    Args: apart, whether what becomes of an element depends on no other one, so that a part that is
        no box may be done box by box, or with what is around it.
    Raises: NKI1085 for a part that is no box and not done so.
    Attributes: boxes, what together are the part; hull, the least box around it that an engine can
    start at, None if the mask holds nowhere; scattered, whether the part is no such box.
    """

    def __init__(self, shape: Shape, mask: Any, *, apart: bool = False) -> None:
        self.shape = shape
        one = None if apart else left(shape, mask)
        self.boxes = boxes(shape, mask) if apart else [one] if one is not None else []
        self.hull = hull(self.boxes)
        if apart and self.hull is not None:
            self.hull[0] = _startable(self.hull[0])

    @property
    def nothing(self) -> bool:
        """Whether the mask holds nowhere, so that there is nothing to do."""
        return self.hull is None

    @property
    def scattered(self) -> bool:
        """Whether the part is no box that an engine can start at."""
        return len(self.boxes) != 1 or self.boxes != [self.hull]

    def of(self, value: Any) -> Any:
        """The hull's part of a view; anything else stays."""
        return self.cut(value, self.hull or [])

    def cut(self, value: Any, box: Spans) -> Any:
        """The part `box` of a view; anything else stays."""
        return part(value, self.shape, box) if isinstance(value, ClassicTensor) else value

    def along(self, view: ClassicTensor, dims: dict[int, int]) -> ClassicTensor:
        """The part of a view, whose dimension k is dimension ``dims[k]`` of the tile, or none."""
        whole = [(0, size) for size in view.shape]
        spans = [
            (self.hull or whole)[dims[k]] if k in dims else span for k, span in enumerate(whole)
        ]
        return cut(view, spans)

    def makes(self, dst: ClassicTensor) -> None:
        """Remember that of `dst`, a new tile, only this part is computed."""
        if self.boxes != [[(0, size) for size in self.shape]]:
            nki_ctx("mask=").symbolic.masked[dst.tensor] = self


def _startable(rows: tuple[int, int]) -> tuple[int, int]:
    """`rows`, with as many before them as there must be for an engine to start there."""
    first, end = rows
    starts = (start for start in range(first, -1, -1) if start_allowed(start, end - start))
    return next(starts, first), end


APART = frozenset({
    "activation", "iota", "memset", "scalar_tensor_tensor", "select", "tensor_copy",
    "tensor_scalar", "tensor_tensor",
})  # fmt: skip
"""Instructions that compute each element by itself."""

UNARY_NAMES = frozenset({
    "abs", "copy", "erf", "erf_dx", "exp", "gelu", "gelu_apprx_tanh", "gelu_dx", "log", "mish",
    "reciprocal", "relu", "rsqrt", "sigmoid", "sign", "silu", "silu_dx", "softplus", "sqrt",
    "square", "tanh", "negative", "invert", "logical_not", "sin", "cos", "tan", "arctan", "ceil",
    "floor", "trunc", "where", "gelu_apprx_sigmoid",
})  # fmt: skip
"""Functions that compute each element by itself."""


def run(name: str, shape: Shape, mask: Any, /, **operands: Any) -> None:
    """Append the instruction of a call of `nki.isa` on the part of its operands that `mask` leaves.

    Args: name of the call; shape of the tile that the mask is over.
    """
    transfer = name == "dma_copy"
    masked = Masked(shape, mask, apart=transfer or name in APART)
    if "dst" in operands:
        masked.makes(operands["dst"])
    if transfer:
        for box in masked.boxes:
            isa.CALLS[name](**{key: masked.cut(value, box) for key, value in operands.items()})
    elif not masked.nothing:
        isa.CALLS[name](**{key: masked.of(value) for key, value in operands.items()})


def written(
    fn: Callable[..., Any], shape: Shape, kind: DType, mask: Any, /, *args: Any, **options: Any
) -> ClassicTensor:
    """A new tile of `shape` in which `fn`, of the present generation, writes where `mask` holds.

    Args: kind, its dtype; args and options of `fn`, whose tiles the mask cuts as it cuts `shape`.
    """
    name = fn.__name__
    ctx = nki_ctx(f"nl.{name}")
    dst = made(ctx, name, shape, kind)
    masked = Masked(shape, mask, apart=name in UNARY_NAMES)
    masked.makes(dst)
    if masked.nothing:
        return dst
    ctx.destination = masked.of(dst)
    try:
        fn(*map(masked.of, args), **{key: masked.of(value) for key, value in options.items()})
    finally:
        ctx.destination = None
    return dst
