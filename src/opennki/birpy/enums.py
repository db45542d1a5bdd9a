"""Enumerations that only BIR has. Those that kernels can name too are in `opennki.isa.enums`.

Members have BIR's spelling and ordinals, except that ``NONE`` stands for the wire's ``None``.
Source: BIR data model, "Enumerations".
"""

from __future__ import annotations

from opennki.isa.enums import IsaEnum


class CopyMode(IsaEnum):
    """What a DMA does on the way: CCE computes, Replicate writes one source many times."""

    Copy = 0
    Transpose = 1
    CCE = 2
    Replicate = 3


class MemsetMode(IsaEnum):
    """What a memset writes."""

    Const = 0
    Random = 1


class TSCMode(IsaEnum):
    """What TensorScalarCache computes along the free dimension."""

    Reduce = 0
    Cumulative = 1
    TensorScan = 2


class DeviceBuffer(IsaEnum):
    """Where a device print goes (`DebugDeviceBuffer`)."""

    stdout = 0
    stderr = 1


class QosClass(IsaEnum):
    """Priority of a DMA (`DMAQoSClass`)."""

    Unassigned = 0
    Default = 1
    P0 = 2
    P1 = 3
    P2 = 4
    P3 = 5
    P4 = 6
    P5 = 7
    P6 = 8
    P7 = 9
    P8 = 10
    P9 = 11
    P10 = 12
    P11 = 13
    P12 = 14
    P13 = 15
    P14 = 16


class TransposeOp(IsaEnum):
    """Order of the four dimensions after a DMA transpose (`TransposeOps`)."""

    NONE = 0
    WZXY = 1
    WXZY = 2
    WYXZ = 3
    ZWYX = 4
    ZYWX = 5
    ZYXW = 6
    YXWZ = 7
    YXZW = 8
    YWZX = 9
    XWZY = 10
    XZYW = 11
    XYZW = 12
    XYWZ = 13


class CollectiveKind(IsaEnum):
    """What a collective does (`CollectiveKind`).

    Model: AllGatherV is newer than the enumeration that is known, and its number is a guess.
    """

    SendRecv = 0
    SendRecvCCE = 1
    AllReduce = 2
    ReduceScatter = 3
    AllGather = 4
    AllToAll = 5
    AllToAllV = 6
    Permute = 7
    PermuteReduce = 8
    PermuteImplicit = 9
    PermuteReduceImplicit = 10
    AllGatherV = 11


class CollectiveDimension(IsaEnum):
    """Along which dimension a collective splits or joins (`CollectiveDimension`)."""

    Partition = 0
    Free = 1


class CollectiveHint(IsaEnum):
    """Which parallelism a collective serves (`CollectiveComputeTypeHint`)."""

    TP = 0
    FSDP = 1
    NONE = 2


class BranchCompareOp(IsaEnum):
    """How a branch compares a register, with a number or with another register."""

    IS_LTIMM = 0
    IS_LEIMM = 1
    IS_EQIMM = 2
    IS_NEIMM = 3
    IS_GEIMM = 4
    IS_GTIMM = 5
    IS_LTREG = 6
    IS_LEREG = 7
    IS_EQREG = 8
    IS_NEREG = 9
    IS_GEREG = 10
    IS_GTREG = 11


class AddressRotationScope(IsaEnum):
    """Among which calls of kernels the places of their storages rotate."""

    NONE = 0
    Kernel = 1
    Global = 2


class KernelSource(IsaEnum):
    """Which front end a kernel came from: the second through KLR, the third through Penguin."""

    Beta1 = 0
    Beta2 = 1
    Beta3 = 2
