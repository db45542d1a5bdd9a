"""Operands of BIR instructions: access patterns onto memory locations, and immediates."""

from __future__ import annotations

from dataclasses import dataclass

from opennki.base.dtypes import DType

from .affine import BirAffineExpr
from .memloc import MemoryLocation


@dataclass(frozen=True)
class DynamicIndex:
    """The part of an access's place that is read at run time (``dynamic_ap_info``).

    Attributes: source, where the index is: a register, one element in SB, or a tile in SB with one
    index for every element of a pair; stride, elements that one index is worth;
    limit, indices are below it; vector, whether there is one index per element of the first pair,
    whose own step then means nothing; snake, whether there is one per element of the last pair,
    read by groups of partitions (see `opennki.ir.Index`).
    """

    source: AccessPattern
    stride: int
    limit: int
    vector: bool = False
    snake: bool = False


class AccessPattern:
    """A strided walk over a memory location (wire kind ``physical_ap``, ``register_access``).

    Attributes: memloc; offset, elements of `dtype` from the start of the storage laid out
    row-major; ap, ``((step, num), ...)`` outermost first (on chip, pair 0 walks the partitions,
    its step is the storage's elements per partition); dtype, how the bytes are read; index, what
    is added to the place at run time, or None.
    Source: BIR data model, "Operands"; up to 5 pairs, as the NKI language guide allows.
    """

    __slots__ = ("ap", "dtype", "index", "memloc", "offset")

    def __init__(
        self,
        memloc: MemoryLocation,
        offset: int | BirAffineExpr,
        ap: tuple[tuple[int, int], ...],
        dtype: DType,
        index: DynamicIndex | None = None,
    ) -> None:
        self.memloc = memloc
        self.offset = offset
        self.ap = ap
        self.dtype = dtype
        self.index = index

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, AccessPattern)
            and self.memloc.name == other.memloc.name
            and self.offset == other.offset
            and self.ap == other.ap
            and self.dtype == other.dtype
            and self.index == other.index
        )

    def __hash__(self) -> int:
        return hash((self.memloc.name, self.ap))


class Immediate:
    """A constant operand (wire kind ``imm_value``); value is an int or a float."""

    __slots__ = ("dtype", "value")

    def __init__(self, dtype: DType, value: int | float) -> None:
        self.dtype = dtype
        self.value = value

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Immediate)
            and self.dtype == other.dtype
            and (
                self.value == other.value
                or (self.value != self.value and other.value != other.value)
            )
        )

    def __hash__(self) -> int:
        return hash((self.dtype, self.value))


Argument = AccessPattern | Immediate
