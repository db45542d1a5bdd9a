"""Enumerations of KLR, members in constructor order; which BIR names they mean is not said here.

Members after the published ones are our extensions: `AluOp.square.published` is False.
Source: KLR abstract syntax, "Enumerations". A member whose name Python reserves ends in `_`.
"""

from __future__ import annotations

from enum import auto
from typing import Final

from .syntax import KlrEnum, enumeration


@enumeration(110, published=6)
class Memory(KlrEnum):
    """Where a tensor lives."""

    hbm = auto()
    sbuf = auto()
    psum = auto()
    reg = auto()
    shared_hbm = auto()
    private_hbm = auto()

    @property
    def is_hbm(self) -> bool:
        """Whether it is device memory."""
        return self in (Memory.hbm, Memory.shared_hbm, Memory.private_hbm)


@enumeration(111, published=20)
class Dtype(KlrEnum):
    """Element types. `bool` and `float8_e8m0fnu` are extensions."""

    bfloat16 = auto()
    float8e3 = auto()
    float8e4 = auto()
    float8e5 = auto()
    float16 = auto()
    float32 = auto()
    float32r = auto()
    int8 = auto()
    int16 = auto()
    int64 = auto()
    int32 = auto()
    uint8 = auto()
    uint16 = auto()
    uint32 = auto()
    uint64 = auto()
    float8_e4m3 = auto()
    float8_e4m3fn = auto()
    float8_e5m2_x4 = auto()
    float8_e4m3fn_x4 = auto()
    float4_e2m1fn_x4 = auto()
    bool = auto()
    float8_e8m0fnu = auto()

    @property
    def size(self) -> int:
        """Bytes of one element."""
        return _SIZES.get(self, 1)


_SIZES: Final = {
    Dtype.bfloat16: 2, Dtype.float16: 2, Dtype.float32: 4, Dtype.float32r: 4,
    Dtype.int16: 2, Dtype.int32: 4, Dtype.int64: 8, Dtype.uint16: 2, Dtype.uint32: 4,
    Dtype.uint64: 8, Dtype.float8_e5m2_x4: 4, Dtype.float8_e4m3fn_x4: 4, Dtype.float4_e2m1fn_x4: 2,
}  # fmt: skip


@enumeration(129, published=3)
class MatmulPerfMode(KlrEnum):
    """Fast modes of the PE array."""

    None_ = auto()
    DoubleRow = auto()
    DoubleRowSwInterleave = auto()


@enumeration(130, published=7)
class Engine(KlrEnum):
    """Execution engines."""

    unassigned = auto()
    act = auto()
    dma = auto()
    dve = auto()
    pe = auto()
    pool = auto()
    sp = auto()


@enumeration(135, published=29)
class AluOp(KlrEnum):
    """Operators of the ALUs. Extensions: those of BIR and of NKI that KLR has not."""

    abs = auto()
    add = auto()
    arith_shift_left = auto()
    arith_shift_right = auto()
    average = auto()
    bitwise_and = auto()
    bitwise_not = auto()
    bitwise_or = auto()
    bitwise_xor = auto()
    bypass = auto()
    divide = auto()
    is_equal = auto()
    is_ge = auto()
    is_gt = auto()
    is_le = auto()
    is_lt = auto()
    logical_and = auto()
    logical_or = auto()
    logical_shift_left = auto()
    logical_shift_right = auto()
    logical_xor = auto()
    max = auto()
    min = auto()
    mod = auto()
    mult = auto()
    not_equal = auto()
    pow = auto()
    rsqrt = auto()
    subtract = auto()
    elemwise_mul = auto()
    abs_max = auto()
    abs_min = auto()
    mod_int = auto()
    square = auto()
    relu = auto()
    reciprocal = auto()
    fmod = auto()


@enumeration(136, published=2)
class DropoutThresholdType(KlrEnum):
    """What the threshold of a dropout counts."""

    DropRate = auto()
    KeepRate = auto()


@enumeration(137, published=5)
class AccumCmd(KlrEnum):
    """What an instruction does to accumulation registers."""

    Idle = auto()
    Zero = auto()
    Accumulate = auto()
    ZeroAccumulate = auto()
    LoadAccumulate = auto()


@enumeration(138, published=25)
class ActivationFunc(KlrEnum):
    """Functions of the scalar engine. Extensions: those of BIR that KLR has not."""

    abs = auto()
    arctan = auto()
    copy = auto()
    erf = auto()
    erf_dx = auto()
    exp = auto()
    gelu = auto()
    gelu_apprx_tanh = auto()
    gelu_dx = auto()
    log = auto()
    mish = auto()
    reciprocal = auto()
    relu = auto()
    rsqrt = auto()
    sigmoid = auto()
    sign = auto()
    silu = auto()
    silu_dx = auto()
    sin = auto()
    softplus = auto()
    sqrt = auto()
    square = auto()
    tanh = auto()
    gelu_apprx_sigmoid = auto()
    gelu_apprx_sigmoid_dx = auto()
    identity = auto()
    lrelu = auto()
    prelu = auto()
    abs_reciprocal_sqrt = auto()
    is_finite = auto()


@enumeration(139, published=4)
class AffineSelectCmp(KlrEnum):
    """Comparators of `affineSelect`."""

    GreaterThan = auto()
    GreaterThanEq = auto()
    Eq = auto()
    NotEq = auto()


@enumeration(140, published=2)
class DgeComputeOp(KlrEnum):
    """What a DMA does to the values that are in its destination."""

    none = auto()
    add = auto()


@enumeration(144, published=4)
class TensorScalarReverseOps(KlrEnum):
    """Which of two operators get their operands the other way round."""

    none = auto()
    first = auto()
    second = auto()
    both = auto()


@enumeration(145, published=4)
class TensorSubDim(KlrEnum):
    """Which free dimensions an operator covers: the last one, the last two, and so on."""

    X = auto()
    XY = auto()
    XYZ = auto()
    XYZW = auto()


@enumeration(146, published=14)
class TransposeOps(KlrEnum):
    """Permutations of four axes."""

    None_ = auto()
    WZXY = auto()
    WXZY = auto()
    WYXZ = auto()
    ZWYX = auto()
    ZYWX = auto()
    ZYXW = auto()
    YXWZ = auto()
    YXZW = auto()
    YWZX = auto()
    XWZY = auto()
    XZYW = auto()
    XYZW = auto()
    XYWZ = auto()


@enumeration(189, published=13)
class BrCmpOp(KlrEnum):
    """Conditions of a branch, on a register and an immediate or another register."""

    always = auto()
    lt_imm = auto()
    le_imm = auto()
    eq_imm = auto()
    ne_imm = auto()
    ge_imm = auto()
    gt_imm = auto()
    lt_reg = auto()
    le_reg = auto()
    eq_reg = auto()
    ne_reg = auto()
    ge_reg = auto()
    gt_reg = auto()


@enumeration(214, published=2)
class PrintOutputBuffer(KlrEnum):
    """Where a device print goes."""

    stdout = auto()
    stderr = auto()


@enumeration(222, published=0)
class Accumulation(KlrEnum):
    """What a matrix product does to what is in PSUM. All of it is an extension.

    derived: the lowering decides, by what was written before; perElement: each element is added to
    if it was written.
    """

    derived = auto()
    overwrite = auto()
    accumulate = auto()
    perElement = auto()
