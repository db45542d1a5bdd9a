"""The last step of a producer: whole-tensor, basic and pattern accesses become BIR patterns.

The steps of the pairs are the row-major strides of the tensor; a coordinate is one element at its
offset, a slice the elements from its lower end; the offset of the access is the sum of step times
offset. An access that is a BIR pattern already stays as it is. Source: KLR lowering.

The published lowering is wrong where a slice has a step other than 1, or runs backwards: the step
stays the stride, the count is rounded down. It also takes a negative offset for 0. Here these are
refused, so what is lowered is what was meant.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import TypeVar

from opennki.base.codes import NKI4205, NKI4209
from opennki.base.diag import NkiError, fail
from opennki.base.loc import UNKNOWN, SrcLoc

from .access_rules import QUADRANTS, count_of, has_shape, number, strides
from .enums import Dtype
from .kernel import Kernel, LncKernel, Stmt
from .syntax import Node
from .tensors import (
    Access,
    AccessBasic,
    AccessPattern,
    APPair,
    Basic,
    BirAccessPattern,
    BirPattern,
    Coord,
    Index,
    Pattern,
    Simple,
    SliceIndex,
    TensorName,
)
from .verify import location

K = TypeVar("K", Kernel, LncKernel)


def lower_accesses(kernel: K, unsafe_fp8fncast: bool = False) -> K:
    """A kernel all of whose accesses are BIR patterns; parts that need no change are shared.

    Args: kernel; unsafe_fp8fncast, whether tensors of float8_e4m3fn
        become float8_e4m3 (`UNSAFE_FP8FNCAST`): their bytes stay, so most values change. Model: of
        all tensors, also of inputs and of accesses that were BIR patterns, since one name has one
        dtype.
    Raises: NKI4209 for an access that a BIR pattern of this lowering cannot say, NKI4205 for one
        on chip that starts between quadrants.
    """
    change = _Change(unsafe_fp8fncast)
    made = change.of(kernel)
    assert type(made) is type(kernel)
    return made


def as_bir(access: Access, loc: SrcLoc = UNKNOWN) -> BirPattern:
    """The BIR pattern that `access` means. Raises: as `lower_accesses`."""
    if isinstance(access, BirPattern):
        return access
    if isinstance(access, Simple):
        tensor = access.tensor
        _known(tensor, loc)
        dims = zip(strides(tensor), tensor.shape.dims, strict=True)
        return _pattern(tensor, [APPair(step, size, 0) for step, size in dims], loc)
    if isinstance(access, Basic):
        return _basic(access.access, loc)
    assert isinstance(access, Pattern)
    return _checked(access.access, loc)


def _known(tensor: TensorName, loc: SrcLoc) -> None:
    if not has_shape(tensor):
        raise _refused(tensor, f"it has {len(tensor.shape.dims)} dimensions", loc)


def _pattern(tensor: TensorName, pairs: list[APPair], loc: SrcLoc) -> BirPattern:
    offset = sum(pair.step * pair.offset for pair in pairs)
    if offset < 0:
        raise _refused(tensor, f"it begins at element {number(offset)}", loc)
    return BirPattern(BirAccessPattern(tensor, offset, pairs))


def _basic(access: AccessBasic, loc: SrcLoc) -> BirPattern:
    tensor = access.tensor
    _known(tensor, loc)
    if len(access.indexes) != len(tensor.shape.dims):
        raise _refused(tensor, f"it has {len(access.indexes)} indices", loc)
    dims = zip(strides(tensor), access.indexes, strict=True)
    pairs = [_pair(tensor, step, index, loc) for step, index in dims]
    return _pattern(tensor, pairs, loc)


def _pair(tensor: TensorName, step: int, index: Index, loc: SrcLoc) -> APPair:
    """The pair of one dimension whose stride is `step`."""
    if isinstance(index, Coord):
        return APPair(step, 1, index.e)
    assert isinstance(index, SliceIndex)
    of = index.slice
    shown = f"{of.l}:{of.u}:{of.step}"
    count = count_of(of) if of.step else 0
    if count == 0:
        raise _refused(tensor, f"the slice {shown} is empty", loc)
    if of.step != 1 and count > 1:
        raise _refused(tensor, f"the step of the slice {shown} would be lost", loc)
    return APPair(step, count, of.l)


def _checked(access: AccessPattern, loc: SrcLoc) -> BirPattern:
    """A pattern, whose own offsets repeat those of its pairs."""
    tensor, pairs = access.tensor, access.pattern
    if not tensor.address.memory.is_hbm and access.parOffset not in QUADRANTS:
        raise fail(NKI4205, loc, name=tensor.name, got=access.parOffset)
    offset = sum(pair.step * pair.offset for pair in pairs)
    repeated = (0, offset, sum(pair.offset for pair in pairs))
    if access.freeOffset not in repeated:
        begin = f"its pairs begin at element {number(offset)}"
        raise _refused(tensor, f"its freeOffset is {access.freeOffset}, and {begin}", loc)
    if access.parOffset and (not pairs or access.parOffset != pairs[0].offset):
        raise _refused(tensor, f"its parOffset is {access.parOffset}, and no pair says so", loc)
    return _pattern(tensor, pairs, loc)


def _refused(tensor: TensorName, why: str, loc: SrcLoc) -> NkiError:
    return fail(NKI4209, loc, name=tensor.name, why=why)


class _Change:
    """Rebuilds what changes. Tensors that were one object stay one object."""

    def __init__(self, cast: bool) -> None:
        self._cast = cast
        self._loc = UNKNOWN
        self._tensors: dict[int, tuple[TensorName, TensorName]] = {}

    def of(self, value: Node) -> Node:
        """`value`, or what takes its place."""
        if isinstance(value, TensorName):
            return self._tensor(value)
        if isinstance(value, Stmt):
            self._loc = location(value)
        if isinstance(value, Access) and not isinstance(value, BirPattern):
            value = as_bir(value, self._loc)
            if not self._cast:
                return value
        if isinstance(value, BirPattern):
            return self._bir(value)
        return _replaced(value, self._value)

    def _value(self, value: object) -> object:
        if isinstance(value, Node):
            return self.of(value)
        if isinstance(value, list) and value and isinstance(value[0], (Node, list)):
            found = [self._value(item) for item in value]
            same = all(a is b for a, b in zip(found, value, strict=True))
            return value if same else found
        return value

    def _bir(self, value: BirPattern) -> BirPattern:
        """A BIR pattern stays, but for casts."""
        if not self._cast:
            return value
        access = _replaced(value.access, self._value)
        assert isinstance(access, BirAccessPattern)
        if access.dtypeOverride is Dtype.float8_e4m3fn:
            access = copy(access)
            access.dtypeOverride = Dtype.float8_e4m3
        return value if access is value.access else BirPattern(access)

    def _tensor(self, value: TensorName) -> TensorName:
        if not self._cast or value.dtype is not Dtype.float8_e4m3fn:
            return value
        known = self._tensors.get(id(value))
        if known is None:
            made = copy(value)
            made.dtype = Dtype.float8_e4m3
            known = self._tensors[id(value)] = value, made
        return known[1]


N = TypeVar("N", bound=Node)


def _replaced(value: N, change: Callable[[object], object]) -> N:
    """`value` with changed fields; itself if none changes. What is not in files stays with it."""
    made = value
    for f in value.wire().fields:
        old = getattr(value, f.attr)
        new = change(old)
        if new is not old:
            if made is value:
                made = copy(value)
            setattr(made, f.attr, new)
    return made
