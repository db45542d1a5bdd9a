"""Tensors: named storage in one of the memories. Windows onto them are in `view`."""

from __future__ import annotations

from enum import Enum
from math import prod

import numpy as np

from opennki.base import dtypes
from opennki.base.loc import UNKNOWN, SrcLoc


class Space(Enum):
    """Memory that a tensor lives in. The names are NKI's (`nl.sbuf`, `nl.psum`, ...).

    A register of the engines' sequencers is a tensor of one int32 in `register`.
    """

    sbuf = "sbuf"
    psum = "psum"
    private_hbm = "private_hbm"
    shared_hbm = "shared_hbm"
    register = "register"

    on_chip: bool
    is_hbm: bool

    __hash__ = object.__hash__  # members are singletons; Enum's own hash is a Python function

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"nl.{self.name}"


for _space in Space:
    _space.on_chip = _space in (Space.sbuf, Space.psum)
    _space.is_hbm = _space in (Space.private_hbm, Space.shared_hbm)

SBUF = frozenset({Space.sbuf})
PSUM = frozenset({Space.psum})
ON_CHIP = frozenset({Space.sbuf, Space.psum})
HBM = frozenset({Space.private_hbm, Space.shared_hbm})
ANYWHERE = ON_CHIP | HBM
REGISTER = frozenset({Space.register})


class Role(Enum):
    """What a tensor is to its function."""

    internal = "internal"
    input = "input"
    output = "output"
    const = "const"

    __hash__ = object.__hash__  # members are singletons; Enum's own hash is a Python function


_NO_PARTITIONS = 1 << 62
_kinds: dict[tuple[object, ...], int] = {}


class Tensor:
    """Storage: a row-major array of `shape` in one memory.

    On chip, dimension 0 is the partition dimension; the other dimensions lie in each partition.

    Attributes: name (unique in its function); shape; dtype; space; address, bytes from the start
    of every partition when the author placed it, else None; start_partition, first partition when
    placed; role; data, initial contents of a constant; loc, where it was made; row, elements per
    partition (per leading index for HBM); written, whether any instruction wrote it; kind, a
    number for what rules may depend on, negative once it is retired, so that no remembered call
    fits it.
    """

    __slots__ = (
        "address", "data", "dtype", "kind", "loc", "name", "pitch", "role", "row", "shape",
        "space", "start_partition", "written",
    )  # fmt: skip

    def __init__(
        self,
        name: str,
        shape: tuple[int, ...],
        dtype: dtypes.DType,
        space: Space,
        *,
        address: int | None = None,
        start_partition: int = 0,
        role: Role = Role.internal,
        data: object = None,
        loc: SrcLoc = UNKNOWN,
    ) -> None:
        self.name = name
        self.shape = shape
        self.dtype = dtype
        self.space = space
        self.address = address
        self.start_partition = start_partition
        self.role = role
        self.data = data
        self.loc = loc
        self.row = prod(shape[1:])
        self.written = False
        self.pitch = self.row if space.on_chip else _NO_PARTITIONS
        kind = (space, dtype, self.row if space.on_chip else 0, start_partition)
        self.kind = _kinds.setdefault(kind, len(_kinds))

    def retire(self) -> None:
        """Mark it as a tensor of no trace that is going on: see `retired`."""
        if not self.retired:
            self.kind = ~self.kind

    def revive(self) -> None:
        """Undo `retire`."""
        if self.retired:
            self.kind = ~self.kind

    @property
    def retired(self) -> bool:
        """Whether the trace that it belongs to is over, or it never belonged to one."""
        return self.kind < 0

    @property
    def size(self) -> int:
        """Number of elements."""
        return prod(self.shape)

    @property
    def row_bytes(self) -> int:
        """Bytes per partition on chip; bytes per leading index in HBM."""
        return self.row * self.dtype.itemsize

    def same_as(self, other: Tensor) -> bool:
        """Whether both describe the same storage; source locations do not count.

        Contents of constants are the same when their bytes are, in the tensor's dtype.
        """
        return (
            all(
                getattr(self, f) == getattr(other, f)
                for f in ("name", "shape", "dtype", "space", "address", "start_partition", "role")
            )
            and self._contents() == other._contents()
        )

    def _contents(self) -> bytes | None:
        return None if self.data is None else np.asarray(self.data).astype(self.dtype.np).tobytes()

    def __repr__(self) -> str:
        dims = ", ".join(map(str, self.shape))
        return f"{self.name}: {self.dtype}[{dims}] in {self.space}"


def register(name: str, loc: SrcLoc = UNKNOWN) -> Tensor:
    """A register: 32 bits that every engine's sequencer can read.

    Source: NKI ISA reference, register_alloc; they hold int32 unless an instruction that reads
    them says otherwise (Model).
    """
    return Tensor(name, (1, 1), dtypes.int32, Space.register, loc=loc)
