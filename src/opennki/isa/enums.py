"""Enumerations that instructions use: engines, ALU operators, activation functions, modes.

Values are BIR ordinals where BIR has the enumeration. Member names are BIR's spelling; what kernels
write (`nl.add`, `nisa.engine.vector`) maps onto members by name in `opennki.api`.
Source: BIR data model, "Enumerations"; NKI ISA reference for the NKI enums.
"""

from __future__ import annotations

from enum import Enum


class IsaEnum(Enum):
    """Base of the enumerations here: hashes by identity, prints as its bare name."""

    __hash__ = object.__hash__  # members are singletons; Enum's own hash is a Python function

    def __str__(self) -> str:
        return self.name


class Engine(IsaEnum):
    """Execution engine, by hardware name. DMA transfers are queued by one of the others.

    ALL is every engine's sequencer, which together run loops and set registers.
    """

    UNASSIGNED = 0
    POOL = 1
    ACT = 2
    PE = 3
    DMA = 4
    DVE = 5
    SP = 6
    ALL = 7

    bir: str
    nki: str


for _member, _bir, _nki in (
    (Engine.UNASSIGNED, "Unassigned", "unknown"), (Engine.POOL, "Pool", "gpsimd"),
    (Engine.ACT, "Activation", "scalar"), (Engine.PE, "PE", "tensor"), (Engine.DMA, "DMA", "dma"),
    (Engine.DVE, "DVE", "vector"), (Engine.SP, "SP", "sync"), (Engine.ALL, "ALL", "all"),
):  # fmt: skip
    _member.bir = _bir
    _member.nki = _nki


class AluOp(IsaEnum):
    """Operators of the vector, scalar and GpSimd ALUs (`AluOpType`)."""

    bypass = 0
    bitwise_not = 1
    arith_shift_left = 2
    arith_shift_right = 3
    add = 4
    subtract = 5
    mult = 6
    divide = 7
    max = 8
    min = 9
    bitwise_and = 10
    bitwise_or = 11
    bitwise_xor = 12
    logical_and = 13
    logical_or = 14
    logical_xor = 15
    logical_shift_left = 16
    logical_shift_right = 17
    is_equal = 18
    not_equal = 19
    is_gt = 20
    is_ge = 21
    is_lt = 22
    is_le = 23
    average = 24
    elemwise_mul = 25
    pow = 26
    mod = 27
    rsqrt = 28
    abs = 29
    abs_max = 30
    abs_min = 31
    mod_int = 32
    # Model: NKI lists these unary operators; the BIR enumeration that is known ends at 32.
    square = 33
    relu = 34
    reciprocal = 35
    fmod = 36


class ActFunc(IsaEnum):
    """Functions of the scalar engine (`ActivationFunctionType`)."""

    Identity = 0
    Square = 1
    Relu = 2
    Lrelu = 3
    Prelu = 4
    Sigmoid = 5
    Tanh = 6
    Exp = 7
    Softplus = 8
    Sqrt = 9
    Rsqrt = 10
    Ln = 11
    Erf = 12
    Sin = 13
    Arctan = 14
    Sign = 15
    Gelu = 16
    Mish = 17
    Gelu_apprx_tanh = 18
    Gelu_apprx_sigmoid = 19
    Derivative_Gelu_apprx_sigmoid = 20
    Derivative_Gelu = 21
    Derivative_Erf = 22
    Copy = 23
    Abs = 24
    Reciprocal = 25
    Abs_reciprocal_sqrt = 26
    Silu = 27
    Derivative_silu = 28
    Is_finite = 29


class ReduceCmd(IsaEnum):
    """What an instruction does to its engine's accumulation registers (`EngineAccumulationType`).

    `nki` is what kernels write.
    """

    Idle = 0
    Zero = 1
    Accumulate = 2
    ZeroAccumulate = 3
    LoadAccumulate = 5

    @property
    def nki(self) -> str:
        """Name in NKI."""
        return _REDUCE_NAMES[self.name]


_REDUCE_NAMES = {
    "Idle": "idle", "Zero": "reset", "Accumulate": "reduce", "ZeroAccumulate": "reset_reduce",
    "LoadAccumulate": "load_reduce",
}  # fmt: skip


class MatmulPerfMode(IsaEnum):
    """Fast modes of the PE array (`MatmultPerfMode`). `nki` is what kernels write."""

    NONE = 0
    DOUBLE_ROW = 1

    @property
    def nki(self) -> str:
        """Name in NKI."""
        return self.name.lower()


class DgeMode(IsaEnum):
    """Who writes DMA descriptors (`DGEType`; `unknown` is BIR's Unassigned)."""

    none = 0
    swdge = 1
    hwdge = 2
    unknown = 3


class DmaEngine(IsaEnum):
    """Who moves the data of a transfer between cores."""

    dma = 1
    gpsimd_dma = 2


class OobMode(IsaEnum):
    """What a run-time index outside its tensor does."""

    error = 0
    skip = 1


class AxisList(IsaEnum):
    """Which dimensions a reduction covers (`AxisListType`).

    X is the last one, XY the last two, and so on; C is the partition dimension alone.
    """

    X = 0
    XY = 1
    XYZ = 2
    XYZW = 3
    C = 5
