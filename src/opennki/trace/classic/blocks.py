"""`Blocks`: a tensor whose blocks are tensors, each with a place and a time of its own.

It is what an author gets who places blocks one by one, or who makes more of them than there is room
for: blocks that are not in use at the same time share memory then. An index chooses a block first,
so that loops over blocks are traced trip by trip.
"""

from __future__ import annotations

from itertools import product
from math import prod
from typing import Any, NoReturn

from opennki.base.codes import NKI1124
from opennki.base.dtypes import DType
from opennki.ir import Space, Tensor
from opennki.trace.context import TraceContext
from opennki.trace.fault import fault
from opennki.trace.nki_ctx import nki_ctx
from opennki.trace.plain import shown
from opennki.trace.sema import creation, isa

from .index import Base, as_expr
from .tiles import ClassicTensor, Shape, Spans, covering


class Blocks(ClassicTensor):
    """A tensor whose blocks are separate tensors: an index chooses one first.

    The view itself is that of the first block; nothing uses it.
    """

    __slots__ = ("_blocks", "_fills", "par")

    def __init__(self, shape: Shape, par: int, blocks: dict[Shape, ClassicTensor]) -> None:
        """Args: par, how many dimensions of `shape` are blocks; blocks, the tensor of each."""
        first = next(iter(blocks.values()))
        strides = ((0,) * par) + first.strides
        fills: dict[Shape, Any] = {}
        parts = (first.tensor, 0, shape, strides, first.dtype, blocks, fills, par)
        fields = ("tensor", "offset", "shape", "strides", "dtype", "_blocks", "_fills", "par")
        for name, part in zip(fields, parts, strict=True):
            object.__setattr__(self, name, part)

    @property
    def tensors(self) -> list[Tensor]:
        """The tensors of all blocks."""
        blocks: dict[Shape, ClassicTensor] = self._blocks
        return [block.tensor for block in blocks.values()]

    def fill(self, value: Any) -> None:
        """Every block is filled with a number when it is used first, not before."""
        self._fills.update(dict.fromkeys(self._blocks, value))

    def __getitem__(self, key: Any) -> ClassicTensor:
        """A part of one block. Raises: NKI1124 for an index that takes in several."""
        keys = self._full_key(key if isinstance(key, tuple) else (key,))
        chosen = []
        for dim, k in enumerate(keys[: self.par]):
            place = as_expr(k)
            if place is None or place.shape:
                self._several(k)
            index = place.concrete("the index of a block")
            size = self.shape[dim]
            chosen.append(index + size if index < 0 else index)
        block = tuple(chosen)
        found: ClassicTensor | None = self._blocks.get(block)
        if found is None:
            self._several(block)
        if block in self._fills:
            _filled_once(found, self._fills.pop(block))
        rest = keys[self.par :]
        whole = covering(found.tensor)
        return whole[rest] if rest else whole

    def taken(self, offset: Base, shape: Shape, spans: Spans) -> NoReturn:
        """Refused: no instruction works on several blocks at once. Raises: NKI1124."""
        self._several("all of them")

    def settled(self) -> NoReturn:
        """Refused, as `taken`."""
        self._several("all of them")

    def _new(
        self, tensor: Tensor, offset: Base, shape: Shape, strides: Shape, dtype: DType
    ) -> NoReturn:
        self._several("all of them")

    def _several(self, got: object) -> NoReturn:
        want = "one block at a time, as each has a place of its own"
        text = got if isinstance(got, str) else shown(got)
        raise fault(NKI1124, block=self.tensor.name, got=text, want=want)


def _filled_once(block: ClassicTensor, value: Any) -> None:
    """Fill a block before the outermost loop of several trips, which has its first use in it."""
    ctx = nki_ctx("a first use")
    loops: Any = ctx.symbolic
    isa.memset(block, value)
    several = [name for name in loops.open if loops.trips(name) > 1]
    if several:
        opened = loops.open[several[0]]
        around = opened.resume[0]
        around.insert(around.index(opened.loop), ctx.builder.scope.pop())


def too_large(ctx: TraceContext, space: Space, shape: Shape, par: int, dtype: DType) -> bool:
    """Whether the blocks of a tensor together leave no room for others.

    Model: they may take all of SBUF, of which the allocator then says what does not fit, and half
    of PSUM, where products of other tiles always need some.
    """
    room = ctx.target.sbuf_bytes if space is Space.sbuf else ctx.target.psum_bytes // 2
    size = prod(shape) // shape[par] * dtype.itemsize
    return par > 0 and prod(shape[:par]) > 1 and size > room


def separate(
    ctx: TraceContext, space: Space, shape: Shape, par: int, dtype: DType, name: str
) -> Blocks:
    """A tensor with a tensor for every block, which the compiler places while it is in use."""
    stem = ctx.tensor_name(name, space.name)
    made: dict[Shape, Any] = {
        block: creation.scratch(ctx, stem, shape[par:], dtype, space)
        for block in product(*(range(n) for n in shape[:par]))
    }
    return Blocks(shape, par, made)
