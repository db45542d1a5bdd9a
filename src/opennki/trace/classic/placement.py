"""Tensors that the author places: `nki.compiler.sbuf.mod_alloc` and the like as ``buffer=``.

An allocator gives the place of every block of a tensor. When the blocks have places of their own,
evenly apart, they are one tensor, and indexing it keeps loops rolled. Otherwise there is a tensor
for every block, some perhaps in the same place, and loops over blocks are traced trip by trip:
each block begins without contents, also where another was before.
Source: NKI 0.1 programming guide, direct allocation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

from opennki.base.codes import NKI1007, NKI1124
from opennki.base.dtypes import DType
from opennki.ir import Space, row_major
from opennki.trace.context import TraceContext
from opennki.trace.fault import fault
from opennki.trace.plain import plain_int, shown
from opennki.trace.sema import creation

from .blocks import Blocks
from .tiles import ClassicTensor, Window

Shape = tuple[int, ...]
Place = tuple[int, int]
"""Start partition, and byte offset in the partitions."""


@dataclass(frozen=True)
class Allocator:
    """What places a tensor's blocks.

    Attributes: space; place, (indices of the block, partitions, bytes of a partition) -> where it
    goes: (partition, byte) in SBUF, (bank, partition, byte in the bank) in PSUM.
    """

    space: Space
    place: Callable[[Shape, int, int], tuple[int, ...]]

    def at(self, ctx: TraceContext, block: Shape, partitions: int, size: int) -> Place:
        """Where a block goes. Raises: NKI1124 for something that is no place."""
        given: Any = self.place(block, partitions, size)
        numbers = [plain_int(n) for n in given] if isinstance(given, tuple | list) else []
        want = 3 if self.space is Space.psum else 2
        if len(numbers) != want or any(n is None or n < 0 for n in numbers):
            parts = "(bank, partition, byte)" if want == 3 else "(partition, byte)"
            raise fault(NKI1124, block=block, got=shown(given), want=parts)
        *bank, partition, byte = (n for n in numbers if n is not None)
        return partition, byte + sum(bank) * ctx.target.psum_bank_bytes


class Memory:
    """``nki.compiler.sbuf`` or ``psum``: allocators for one memory.

    They work as the memory itself, too: ``buffer=nki.compiler.sbuf.auto_alloc()``.
    """

    def __init__(self, space: Space) -> None:
        self._space = space

    def alloc(self, func: Any) -> Allocator:
        """Place blocks by a function of block indices, partitions and bytes of a partition.

        Raises: NKI1007 for something that is no function.
        """
        if not callable(func):
            facts = {"fn": f"nki.compiler.{self._space}.alloc", "expected": "a function"}
            raise fault(NKI1007, name="func", got=shown(func), **facts)
        return Allocator(self._space, func)

    def auto_alloc(self) -> Space:
        """Leave the place to the compiler: the memory itself."""
        return self._space


class Sbuf(Memory):
    """``nki.compiler.sbuf``."""

    def __init__(self) -> None:
        super().__init__(Space.sbuf)

    def mod_alloc(
        self, *, base_addr: int, base_partition: int = 0, num_par_tiles: Any = (),
        num_free_tiles: Any = (),
    ) -> Allocator:  # fmt: skip
        """Physical tiles that blocks take in turns.

        Args: base_addr, bytes; base_partition; num_par_tiles and num_free_tiles, how many physical
            tiles there are along partitions and bytes, for every block dimension (empty: one).
        """
        along_par = _Tiles("num_par_tiles", num_par_tiles, base_partition)
        along_free = _Tiles("num_free_tiles", num_free_tiles, base_addr)
        return Allocator(
            Space.sbuf,
            lambda block, par, size: (along_par.of(block, par), along_free.of(block, size)),
        )


class Psum(Memory):
    """``nki.compiler.psum``."""

    def __init__(self) -> None:
        super().__init__(Space.psum)

    def mod_alloc(
        self, *, base_bank: int, base_addr: int = 0, base_partition: int = 0,
        num_bank_tiles: Any = (), num_par_tiles: Any = (), num_free_tiles: Any = (),
    ) -> Allocator:  # fmt: skip
        """As `Sbuf.mod_alloc`, with banks. A block is in one bank.

        Args: base_bank; base_addr, bytes in the bank; num_bank_tiles, how many banks blocks take
            in turns, for every block dimension.
        """
        banks = _Tiles("num_bank_tiles", num_bank_tiles, base_bank)
        along_par = _Tiles("num_par_tiles", num_par_tiles, base_partition)
        along_free = _Tiles("num_free_tiles", num_free_tiles, base_addr)
        return Allocator(
            Space.psum,
            lambda block, par, size: (
                banks.of(block, 1), along_par.of(block, par), along_free.of(block, size),
            ),
        )  # fmt: skip


class _Tiles:
    """Physical tiles along one direction: how many for a block dimension, and where they start."""

    def __init__(self, name: str, counts: Any, base: Any) -> None:
        given = counts if isinstance(counts, tuple | list) else (counts,)
        numbers = [plain_int(n) for n in given]
        first = plain_int(base)
        if first is None or any(n is None or n < 1 for n in numbers):
            what = f"{shown(counts)} from {shown(base)} on"
            raise fault(NKI1007, name=name, fn="mod_alloc", expected="positive integers", got=what)
        self._name = name
        self._counts = tuple(n for n in numbers if n is not None)
        self._base = first

    def of(self, block: Shape, size: int) -> int:
        """Where the tile of a block starts, tiles being `size` apart.

        ``base + size * row_major(block[k] % counts[k])``. Raises: NKI1124 unless there is a count
        for every block dimension.
        """
        counts = self._counts or (1,) * len(block)
        if not block:  # one tile, which has no other to take turns with
            return self._base
        if len(counts) != len(block):
            want = f"{len(block)} numbers in {self._name}, one per block dimension"
            raise fault(NKI1124, block=block, got=f"{len(counts)}", want=want)
        turn = 0
        for index, count in zip(block, counts, strict=True):
            turn = turn * count + index % count
        return self._base + turn * size


sbuf = Sbuf()
psum = Psum()


def placed(
    ctx: TraceContext, allocator: Allocator, shape: Shape, par: int, dtype: DType, name: str
) -> ClassicTensor:
    """A tensor whose blocks `allocator` places; `par` is the dimension of the partitions.

    Raises: NKI1124 for places that are none; NKI3009 for those that are not in the memory.
    """
    blocks, tile = shape[:par], shape[par:]
    size = prod(tile[1:]) * dtype.itemsize
    places = {
        block: allocator.at(ctx, block, tile[0], size)
        for block in product(*(range(n) for n in blocks))
    }
    stem = ctx.tensor_name(name, allocator.space.name)
    even = _even(places, blocks, tile, dtype)
    if even is not None:
        return _one(ctx, allocator.space, stem, shape, even, dtype)
    made = {
        block: _tensor(ctx, allocator.space, ctx.unique(stem) if k else stem, tile, dtype, at)
        for k, (block, at) in enumerate(places.items())
    }
    return Blocks(shape, par, made)


def _tensor(
    ctx: TraceContext, space: Space, name: str, shape: Shape, dtype: DType, at: Place
) -> ClassicTensor:
    found: Any = creation.placed(ctx, name, shape, dtype, space, at)
    return found  # type: ignore[no-any-return]  # a ClassicTensor, in a kernel of this kind


@dataclass(frozen=True)
class _Even:
    """Places that follow from indices by counting: from `at` on, `steps` elements apart.

    `extent` is how many elements of a partition they are in.
    """

    at: Place
    steps: Shape
    extent: int


def _even(places: dict[Shape, Place], blocks: Shape, tile: Shape, dtype: DType) -> _Even | None:
    """How places follow from indices by counting along each block dimension, if they do."""
    origin = (0,) * len(blocks)
    partition, byte = places[origin]
    steps = []
    for dim, count in enumerate(blocks):
        if count == 1:
            steps.append(0)
            continue
        second = places[tuple(int(k == dim) for k in range(len(blocks)))]
        steps.append(second[1] - byte)
    if len(set(places.values())) < len(places):
        return None
    for block, at in places.items():
        expected = byte + sum(i * step for i, step in zip(block, steps, strict=True))
        if at != (partition, expected) or expected < byte:
            return None
    if any(step % dtype.itemsize for step in steps):
        return None
    elements = tuple(step // dtype.itemsize for step in steps)
    reach = sum((n - 1) * step for n, step in zip(blocks, elements, strict=True))
    return _Even((partition, byte), elements, reach + prod(tile[1:]))


def _one(
    ctx: TraceContext, space: Space, name: str, shape: Shape, even: _Even, dtype: DType
) -> ClassicTensor:
    """All blocks as one tensor."""
    par = len(even.steps)
    tile = shape[par:]
    if par == 0:
        return _tensor(ctx, space, name, tile, dtype, even.at)
    whole = _tensor(ctx, space, name, (tile[0], even.extent), dtype, even.at)
    inner = row_major(tile[1:])
    strides = (*even.steps, even.extent, *inner)
    return Window(whole.tensor, 0, shape, strides, dtype, par=par)
