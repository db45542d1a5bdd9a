"""Storage of BIR: logical tensors (`MemoryLocationSet`) and their placement (`MemoryLocation`).

Source: BIR data model, sections "Storages" and "Enumerations".
"""

from __future__ import annotations

from enum import Enum
from math import prod

from opennki.base.dtypes import DType
from opennki.base.loc import UNKNOWN, SrcLoc


class MemoryType(Enum):
    """Where a location is placed; values are the wire's bit flags."""

    Unallocated = 1
    Input = 2
    Output = 4
    DRAM = 8
    SB = 16
    PSUM = 32
    REG = 128

    __hash__ = object.__hash__  # members are singletons; Enum's own hash is a Python function


class TensorKind(Enum):
    """What a storage is to its function (wire ordinals)."""

    ExternalInput = 0
    ExternalOutput = 3
    Const = 6
    Internal = 7

    __hash__ = object.__hash__  # members are singletons; Enum's own hash is a Python function


class MemoryLocation:
    """One storage and its placement.

    A register (REG) holds one int32 and has no address.

    Attributes: name; type (DRAM, SB, PSUM, REG); kind; dtype; shape, partition dim first on chip;
    address, byte address inside every partition (SB, PSUM) or inside DRAM, None before allocation;
    partition, first partition; bank, PSUM bank, None before allocation; user_allocated, placed by
    the author; shared, visible to every core of the launch; data, contents of a constant;
    origin, name of the author's tensor, loc, where it was made; row, elements per partition.
    """

    __slots__ = (
        "address", "bank", "data", "dtype", "kind", "loc", "name", "partition", "row", "shape",
        "shared", "type", "user_allocated",
    )  # fmt: skip

    def __init__(
        self,
        name: str,
        type: MemoryType,
        kind: TensorKind,
        dtype: DType,
        shape: tuple[int, ...],
        *,
        address: int | None = None,
        partition: int = 0,
        user_allocated: bool = False,
        shared: bool = False,
        data: object = None,
        loc: SrcLoc = UNKNOWN,
    ) -> None:
        self.name = name
        self.type = type
        self.kind = kind
        self.dtype = dtype
        self.shape = shape
        self.address = address
        self.partition = partition
        self.bank: int | None = None
        self.user_allocated = user_allocated
        self.shared = shared
        self.data = data
        self.loc = loc
        self.row = prod(shape[1:])

    @property
    def on_chip(self) -> bool:
        """Whether it lives in SB or PSUM."""
        return self.type is MemoryType.SB or self.type is MemoryType.PSUM

    @property
    def row_bytes(self) -> int:
        """Bytes in every partition (SB, PSUM), or per leading index (DRAM)."""
        return self.row * self.dtype.itemsize

    @property
    def size_bytes(self) -> int:
        """Bytes in all."""
        return prod(self.shape) * self.dtype.itemsize

    def fields(self) -> tuple[object, ...]:
        """Everything that equality compares; source locations and constant data do not count."""
        return (
            self.name, self.type, self.kind, self.dtype, self.shape, self.address, self.partition,
            self.bank, self.user_allocated, self.shared,
        )  # fmt: skip

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MemoryLocation) and self.fields() == other.fields()

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"{self.name}: {self.dtype}{list(self.shape)} {self.type.name}"
