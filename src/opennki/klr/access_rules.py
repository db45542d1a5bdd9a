"""Rules of accesses: which elements of a tensor they reach, and that it has them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from opennki.base.codes import NKI4203, NKI4205, NKI4206
from opennki.base.diag import Problem, Problems, problem

from .enums import Memory
from .syntax import Node
from .tensors import (
    AccessBasic,
    AccessPattern,
    APPair,
    BirAccessPattern,
    Coord,
    Slice,
    SliceIndex,
    TensorName,
    TensorSram,
)

QUADRANTS: Final = (0, 32, 64, 96)
"""Partitions that an access on chip may start at. Source: KLR lowering."""


MAX_DIMS: Final = 32
"""Dimensions of a tensor. Model: NumPy's bound of old; tensors of kernels have up to 5."""


def strides(tensor: TensorName) -> list[int]:
    """Elements from one position to the next of every dimension, in row-major order."""
    found = [1]
    for size in reversed(tensor.shape.freeDims):
        found.insert(0, found[0] * size)
    return found


def count_of(of: Slice) -> int:
    """How many positions a slice has whose step is not 0."""
    return max(0, -((of.l - of.u) // of.step))


def has_shape(of: TensorName) -> bool:
    """Whether the shape is one to compute with."""
    return len(of.shape.freeDims) < MAX_DIMS


def number(value: int) -> str:
    """A number in a message, where it may be absurdly large."""
    return str(value) if abs(value) < 1 << 128 else f"about 2**{value.bit_length()}"


def tensor_problems(of: TensorName) -> Problems:
    """A tensor fits within its address, and says its size correctly."""
    shape, address = of.shape, of.address
    if not has_shape(of):
        why = f"it has {len(shape.freeDims) + 1} dimensions; at most {MAX_DIMS} are possible"
        yield problem(NKI4203, name=of.name, address=address.name, why=why)
        return
    needed = shape.free_elements * of.dtype.size
    why = ""
    if shape.parDim > address.parSize:
        why = f"it has {shape.parDim} partitions, the location {address.parSize}"
    elif needed > address.freeSize:
        why = f"it needs {number(needed)} bytes per partition, the location has {address.freeSize}"
    elif of.freeElements != shape.free_elements:
        right = number(shape.free_elements)
        why = f"it says it has {of.freeElements} elements per partition, and has {right}"
    if why:
        yield problem(NKI4203, name=of.name, address=address.name, why=why)


def access_problems(parts: Iterable[Node]) -> Problems:
    """Everything that is wrong with accesses among `parts`, the nodes of an operator."""
    for at in parts:
        if isinstance(at, (AccessBasic, AccessPattern, BirAccessPattern)):
            if has_shape(at.tensor):
                yield from _told(at.tensor, _reasons(at))
            if isinstance(at, AccessPattern):
                yield from _start(at.tensor.name, at.tensor.address.memory, at.parOffset)
        elif isinstance(at, TensorSram):
            yield from _start(at.name, Memory.sbuf, at.parOffset)


def _reasons(at: AccessBasic | AccessPattern | BirAccessPattern) -> Iterator[str]:
    if isinstance(at, AccessBasic):
        return _basic(at)
    return _pattern(at) if isinstance(at, AccessPattern) else _bir(at)


def _told(tensor: TensorName, reasons: Iterator[str]) -> Iterator[Problem]:
    for why in reasons:
        yield problem(NKI4206, name=tensor.name, shape=tensor.shape.dims, why=why)


def _start(name: str, memory: Memory, start: int) -> Problems:
    if not memory.is_hbm and start not in QUADRANTS:
        yield problem(NKI4205, name=name, got=start)


def _basic(access: AccessBasic) -> Iterator[str]:
    dims = access.tensor.shape.dims
    if len(access.indexes) != len(dims):
        yield f"has {len(access.indexes)} indices"
        return
    for dim, (index, size) in enumerate(zip(access.indexes, dims, strict=True)):
        if isinstance(index, Coord):
            if index.e >= size:
                yield f"has index {index.e} in dimension {dim}"
        elif isinstance(index, SliceIndex):
            yield from _slice(index.slice, dim, size)


def _slice(of: Slice, dim: int, size: int) -> Iterator[str]:
    shown = f"{of.l}:{of.u}:{of.step}"
    if of.step == 0:
        yield f"has the slice {shown} with step 0 in dimension {dim}"
        return
    count = count_of(of)
    if not count:
        yield f"has the empty slice {shown} in dimension {dim}"
    elif max(of.l, of.l + of.step * (count - 1)) >= size:
        yield f"has the slice {shown} in dimension {dim}"


def _pattern(access: AccessPattern) -> Iterator[str]:
    offset = sum(pair.step * pair.offset for pair in access.pattern)
    yield from _reach(access.tensor, access.pattern, offset, access.tensor.dtype.size)
    if access.pattern and access.parNum != access.pattern[0].num:
        yield f"says {access.parNum} partitions, and its first pair {access.pattern[0].num}"
    for axis in access.fixedAxis:
        if axis >= len(access.pattern) or access.pattern[axis].num != 1:
            yield f"fixes axis {axis}, which has no pair of one element"


def _bir(access: BirAccessPattern) -> Iterator[str]:
    if access.scalarOffset is not None and access.vectorOffset is not None:
        yield "has both a scalar and a vector offset; one of them can be"
    pairs = access.pattern
    if access.vectorOffset is not None and pairs:
        # The step of the pair that indices replace means nothing: the last of a snake's, else the
        # first.
        pairs = pairs[:-1] if access.snake else pairs[1:]
        pairs = [APPair(0, 1, 0), *pairs]
    if not 0 <= access.indirectDim < len(access.tensor.shape.dims):
        yield f"has the index of a run-time offset in dimension {access.indirectDim}"
    dtype = access.dtypeOverride or access.tensor.dtype
    yield from _reach(access.tensor, pairs, access.offset, dtype.size)


def _reach(tensor: TensorName, pairs: list[APPair], offset: int, size: int) -> Iterator[str]:
    """The smallest and the largest element that a pattern reaches are in the tensor."""
    if not pairs:
        yield "has no pairs"
        return
    if any(pair.num < 1 for pair in pairs):
        yield "has a pair of no elements"
        return
    ends = [pair.step * (pair.num - 1) for pair in pairs]
    low = offset + sum(end for end in ends if end < 0)
    high = offset + sum(end for end in ends if end > 0)
    shape = tensor.shape
    have = shape.parDim * shape.free_elements * tensor.dtype.size // size
    if low < 0 or high >= have:
        yield f"goes from element {number(low)} to {number(high)} of {number(have)}"
