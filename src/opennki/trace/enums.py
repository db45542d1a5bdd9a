"""The enumerations that kernels write (`nisa.engine`, `nisa.reduce_cmd`, ...) and what they mean.

Names and values are those of the NKI ISA reference; `MEANING` maps members onto the op table's.
"""

from __future__ import annotations

from enum import Enum as PythonEnum
from typing import Final

from opennki.isa.enums import (
    DgeMode,
    DmaEngine,
    Engine,
    IsaEnum,
    MatmulPerfMode,
    OobMode,
    ReduceCmd,
)  # fmt: skip


class Enum(PythonEnum):
    """An enumeration whose members hash by identity, in C."""

    __hash__ = object.__hash__


class engine(Enum):  # published name
    """Engines of a NeuronCore; `unknown` lets the compiler choose."""

    unknown = 0
    tensor = 1
    scalar = 2
    gpsimd = 3
    dma = 4
    vector = 5
    sync = 6


class reduce_cmd(Enum):  # published name
    """What an instruction does to its engine's accumulation registers."""

    idle = 0
    reset = 1
    reduce = 2
    reset_reduce = 3
    load_reduce = 4


class dge_mode(Enum):  # published name
    """Who generates DMA descriptors."""

    unknown = 0
    swdge = 1
    hwdge = 2
    none = 3


class oob_mode(Enum):  # published name
    """What a run-time index outside its tensor does."""

    error = 0
    skip = 1


class matmul_perf_mode(Enum):  # published name
    """Performance mode of nc_matmul."""

    none = "none"
    double_row = "double_row"


class nc_version(Enum):  # published name
    """NeuronCore generation; members compare by age."""

    gen2 = 2
    gen3 = 3
    gen4 = 4

    def __lt__(self, other: nc_version) -> bool:
        return bool(self.value < other.value)

    def __le__(self, other: nc_version) -> bool:
        return bool(self.value <= other.value)

    def __gt__(self, other: nc_version) -> bool:
        return bool(self.value > other.value)

    def __ge__(self, other: nc_version) -> bool:
        return bool(self.value >= other.value)


class dma_engine(Enum):  # published name
    """Which DMA moves the data of a core-to-core transfer."""

    dma = 1
    gpsimd_dma = 2


ENUMS: Final = (
    engine, reduce_cmd, dge_mode, oob_mode, matmul_perf_mode, nc_version, dma_engine,
)  # fmt: skip

MEANING: Final[dict[Enum, IsaEnum]] = {
    **{m: next(e for e in Engine if e.nki == m.name) for m in engine},
    **dict(
        zip(
            reduce_cmd,
            (ReduceCmd.Idle, ReduceCmd.Zero, ReduceCmd.Accumulate, ReduceCmd.ZeroAccumulate,
             ReduceCmd.LoadAccumulate),
            strict=True,
        )
    ),
    **{m: DgeMode[m.name] for m in dge_mode},
    **{m: OobMode[m.name] for m in oob_mode},
    **{m: DmaEngine[m.name] for m in dma_engine},
    matmul_perf_mode.none: MatmulPerfMode.NONE,
    matmul_perf_mode.double_row: MatmulPerfMode.DOUBLE_ROW,
}  # fmt: skip

SPELLING: Final[dict[IsaEnum, Enum]] = {meant: written for written, meant in MEANING.items()}
"""Member of the op table -> what kernels write for it."""
