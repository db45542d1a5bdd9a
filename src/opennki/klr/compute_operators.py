"""Operators of KLR that compute: a pure table of the structures that hold their operands.

A structure may serve several operators; `opennki.klr.operators` has the table of those.
Source: KLR abstract syntax, "Operators". Field names are the published ones.
"""

from __future__ import annotations

from .enums import (
    AccumCmd,
    Accumulation,
    ActivationFunc,
    AffineSelectCmp,
    AluOp,
    DropoutThresholdType,
    Dtype,
    Engine,
    MatmulPerfMode,
    TensorScalarReverseOps,
    TensorSubDim,
)
from .syntax import F32, Bool, Nat, Node, extension, node
from .tensors import DataPattern, Immediate, IndexMissBehavior, Operand, TensorRef


@node(147)
class Dropout(Node):
    """Sets elements to zero at random."""

    dst: TensorRef
    src: TensorRef
    thresholdType: DropoutThresholdType
    threshold: Operand
    dtype: Dtype | None


@node(148)
class Activate(Node):
    """A function of one tensor, by immediates only."""

    dst: TensorRef
    src: TensorRef
    accumulatorCmd: AccumCmd
    activationFunc: ActivationFunc
    scale: Immediate
    bias: Immediate
    imm: Immediate


@node(149)
class NcActivate(Node):
    """A function of `src * scale + bias`, perhaps reduced into `reduceRes`.

    A number that is added is `biasImm`; `alpha` is the slope of prelu.
    """

    dst: TensorRef
    src: TensorRef
    accumulatorCmd: AccumCmd
    activationFunc: ActivationFunc
    scale: Operand
    bias: TensorRef | None
    reduceOp: AluOp | None
    reduceRes: TensorRef | None
    dtype: Dtype | None
    biasImm: Immediate | None = extension(default=None)
    alpha: F32 = extension(default=0.0)


@node(150)
class AffineSelect(Node):
    """Keeps elements where a generated pattern compares with zero, else a register's value."""

    dst: TensorRef
    src: TensorRef
    fillMode: AffineSelectCmp
    fillReg: Nat
    maskPattern: DataPattern


@node(151)
class NcAffineSelect(Node):
    """Keeps elements where a generated pattern compares with zero, else `onFalseValue`."""

    dst: TensorRef
    pred: DataPattern
    onTrueTile: TensorRef
    onFalseValue: Immediate
    dtype: Dtype | None
    cmpOp: AluOp


@node(155)
class Transpose(Node):
    """Exchanges partitions and elements."""

    dst: TensorRef
    src: TensorRef
    dtype: Dtype | None
    engine: Engine


@node(156)
class LoadMaskRegister(Node):
    """Sets the mask register of the vector engine."""

    regNum: Nat


@node(157)
class Shuffle(Node):
    """Moves partitions within each 32 as `shuffleMask` says."""

    dst: TensorRef
    src: TensorRef
    shuffleMask: list[Immediate]
    dtype: Dtype | None


@node(158)
class MemSet(Node):
    """Sets all elements to one value."""

    dst: TensorRef
    value: Immediate
    dtype: Dtype
    engine: Engine


@node(159)
class Iota(Node):
    """Writes generated integers."""

    dst: TensorRef
    pattern: DataPattern
    dtype: Dtype | None


@node(160)
class LoadStationary(Node):
    """Loads a matrix into the PE array."""

    src: TensorRef
    isTranspose: Bool


@node(161)
class MatMul(Node):
    """Multiplies by the matrix that is loaded."""

    dst: TensorRef
    moving: TensorRef


@node(162)
class LocalGather(Node):
    """Gathers along partitions with the pool buffer."""

    dst: TensorRef
    src: TensorRef
    indexMissBehavior: IndexMissBehavior
    freePoolBuffer: Bool


@node(163)
class NcLocalGather(Node):
    """Gathers elements of each 16 partitions by shared indices."""

    dst: TensorRef
    src: TensorRef
    index: TensorRef
    numElemPerIdx: Immediate
    numValidIndicies: Immediate | None


@node(164)
class RangeSelect(Node):
    """Keeps elements between two immediate bounds."""

    dst: TensorRef
    src: TensorRef
    reduceCommand: AccumCmd
    reduceOp: AluOp
    base: F32
    fillValue: F32
    compOp0: AluOp
    compOp1: AluOp
    bound0: Immediate
    bound1: Immediate


@node(165)
class NcRangeSelect(Node):
    """Keeps elements whose position is between two bounds per partition."""

    dst: TensorRef
    reduceCommand: AccumCmd
    reduceRes: TensorRef | None
    reduceOp: AluOp | None
    compOp0: AluOp
    compOp1: AluOp
    bound0: TensorRef
    bound1: TensorRef
    rangeStart: Immediate
    onTrueTile: TensorRef
    onFalseValue: Immediate
    dtype: Dtype | None


@node(166)
class ScalarTensorTensor(Node):
    """Two operators, the first with an immediate."""

    dst: TensorRef
    src0: TensorRef
    src1: TensorRef
    op0: AluOp
    op1: AluOp
    reverseOperands: TensorScalarReverseOps
    imm0: Immediate
    accumulatorCmd: AccumCmd


@node(167)
class NcScalarTensorTensor(Node):
    """``(data op0 src0) op1 src1``, either source a scalar per partition."""

    dst: TensorRef
    data: TensorRef
    src0: Operand
    src1: Operand
    op0: AluOp
    op1: AluOp
    reverseOperands: TensorScalarReverseOps
    dtype: Dtype | None


@node(168)
class CopyPredicated(Node):
    """Copies elements whose predicate is not zero, or is, with `reversePred`.

    With `srcImm` that number is copied, and `src` repeats `dst`.
    """

    dst: TensorRef
    src: TensorRef
    predicate: TensorRef
    dtype: Dtype | None
    reversePred: Bool
    srcImm: Immediate | None = extension(default=None)


@node(169)
class TensorTensorScan(Node):
    """``state = (src0 op0 state) op1 src1``, along the free dimensions."""

    dst: TensorRef
    src0: TensorRef
    src1: TensorRef
    op0: AluOp
    op1: AluOp
    reverseOperands: TensorScalarReverseOps
    imm0: Operand
    accumulatorCmd: AccumCmd
    dtype: Dtype | None


@node(170)
class MatchValueLoad(Node):
    """Loads the match registers."""

    src: TensorRef


@node(171)
class FindIndex8(Node):
    """Where each of eight values stands first."""

    dst: TensorRef
    src: TensorRef
    vals: TensorRef
    dtype: Dtype | None


@node(172)
class MatchReplace8(Node):
    """Replaces the first match of each of eight values; `dstIdx` is told where."""

    dst: TensorRef
    src: TensorRef
    vals: TensorRef
    replaceValue: Immediate
    dstIdx: TensorRef | None
    dtype: Dtype | None


@node(173)
class Max8(Node):
    """The eight largest elements of each partition."""

    dst: TensorRef
    src: TensorRef
    dtype: Dtype | None


@node(174)
class BatchNormAggregate(Node):
    """Mean and variance of several statistics."""

    dst: TensorRef
    src: TensorRef
    dtype: Dtype | None


@node(175)
class BatchNormStats(Node):
    """Count, mean and variance, of even and of odd elements."""

    dst: TensorRef
    src: TensorRef
    dtype: Dtype | None


@node(176)
class Reciprocal(Node):
    """One over each element."""

    dst: TensorRef
    src: TensorRef
    dtype: Dtype | None


@node(177)
class Copy(Node):
    """A copy; what `opDim` means is not published."""

    dst: TensorRef
    src: TensorRef
    opDim: TensorSubDim | None


@node(178)
class NcCopy(Node):
    """A copy as kernels write it."""

    dst: TensorRef
    src: TensorRef
    dtype: Dtype | None
    engine: Engine


@node(179)
class TensorReduce(Node):
    """Reduces free dimensions."""

    dst: TensorRef
    src: TensorRef
    op: AluOp
    opDim: TensorSubDim
    negated: Bool
    dtype: Dtype | None
    keepdims: Bool


@node(180)
class TensorScalar(Node):
    """``(src op0 imm0) op1 imm1``, the operands numbers or scalars per partition."""

    dst: TensorRef
    src: TensorRef
    imm0: Operand
    op0: AluOp
    imm1: Operand | None
    op1: AluOp | None
    reverse: TensorScalarReverseOps
    engine: Engine
    dtype: Dtype | None


@node(181, later={"reduceCmd": AccumCmd.ZeroAccumulate, "reduceInit": None})
class TensorScalarReduce(Node):
    """``src op0 operand0``, and its reduction in `reduceRes`.

    Where the reduction only stays in the accumulators, `hasReduceRes` is false and `reduceRes`
    repeats `dst`. What LoadAccumulate starts with may be a tile; the result may be negated.
    """

    dst: TensorRef
    src: TensorRef
    operand0: Operand
    op0: AluOp
    reverse0: Bool
    dtype: Dtype | None
    reduceOp: AluOp | None
    reduceRes: TensorRef
    reduceCmd: AccumCmd
    reduceInit: Immediate | None
    hasReduceRes: Bool = extension(default=True)
    reduceInitTile: TensorRef | None = extension(default=None)
    negateReduceRes: Bool = extension(default=False)


@node(182)
class TensorTensor(Node):
    """``src0 op src1``."""

    dst: TensorRef
    src0: TensorRef
    src1: TensorRef
    op: AluOp
    dtype: Dtype | None
    engine: Engine


@node(183)
class NcMatMul(Node):
    """``stationary.T @ moving`` into PSUM."""

    dst: TensorRef
    stationary: TensorRef
    moving: TensorRef
    isStationaryOneZero: Bool
    isMovingZero: Bool
    isTranspose: Bool
    tilePosition: list[Nat]
    tileSize: list[Nat]
    perfMode: MatmulPerfMode
    accumulate: Accumulation = extension(default=Accumulation.derived)


@node(184)
class TensorPartitionReduce(Node):
    """Reduces over partitions."""

    dst: TensorRef
    op: AluOp
    data: TensorRef
    dtype: Dtype | None


@node(185)
class SelectReduce(Node):
    """Selects between a tensor and an operand, perhaps with a maximum of the result.

    With `onTrueImm` that number stands for the tensor, and `onTrue` repeats `dst`. An `onFalse`
    that is a pointer stands for nothing: those elements of `dst` stay.
    """

    dst: TensorRef
    predicate: TensorRef
    onTrue: TensorRef
    onFalse: Operand
    reduceRes: TensorRef | None
    reduceCmd: AccumCmd
    reduceOp: AluOp
    reversePred: Bool
    dtype: Dtype | None
    onTrueImm: Immediate | None = extension(default=None)


@node(186)
class SequenceBounds(Node):
    """Begin and end of each element's segment."""

    dst: TensorRef
    segmentIds: TensorRef
    dtype: Dtype | None


@node(195)
class QuantizeMX(Node):
    """Quantizes to a microscaling format."""

    dst: TensorRef
    src: TensorRef
    dstScale: TensorRef


@node(196)
class MatMulMX(Node):
    """`NcMatMul` of operands in a microscaling format."""

    dst: TensorRef
    stationary: TensorRef
    moving: TensorRef
    stationaryScale: TensorRef
    movingScale: TensorRef
    tilePosition: list[Nat] | None
    tileSize: list[Nat] | None
    accumulate: Accumulation = extension(default=Accumulation.derived)


@node(205)
class Rng(Node):
    """Random bits."""

    dst: TensorRef
    engine: Engine


@node(206)
class Rand2(Node):
    """Uniform random numbers from `min` to `max`."""

    dst: TensorRef
    min: Operand
    max: Operand


@node(207)
class RandGetState(Node):
    """Reads the state of an engine's generator."""

    dst: TensorRef
    engine: Engine


@node(208)
class SetRngSeed(Node):
    """Sets the seed of the generators."""

    src: TensorRef


@node(209)
class RandSetState(Node):
    """Sets the state of an engine's generator."""

    src: TensorRef
    engine: Engine


@node(211)
class TensorScalarCumulative(Node):
    """Cumulative form of `TensorScalar`."""

    dst: TensorRef
    src: TensorRef
    op0: AluOp
    op1: AluOp
    imm0: Operand
    imm1: Operand | None
    reduceCmd: AccumCmd
    reverse: TensorScalarReverseOps
    dtype: Dtype | None


@node(212)
class NcNGather(Node):
    """Gathers elements along the free dimension by indices."""

    dst: TensorRef
    data: TensorRef
    indices: TensorRef
    dtype: Dtype | None


@node(213)
class NonzeroWithCount(Node):
    """Where elements are not zero, and how many are not."""

    dst: TensorRef
    src: TensorRef
    indexOffset: Immediate
    paddingVal: Immediate


@node(216)
class Exponential(Node):
    """``exp(src - maxValue)``, and its sum in `reduceRes`."""

    dst: TensorRef
    src: TensorRef
    maxValue: Operand
    reduceRes: TensorRef | None
    reducecmd: AccumCmd
    reduceInit: Operand


@node(217)
class Activate2(Node):
    """A function of ``(src op0 imm0) op1 imm1``, perhaps reduced."""

    dst: TensorRef
    src: TensorRef
    op0: AluOp
    op1: AluOp
    imm0: Operand
    imm1: Operand
    activationFunc: ActivationFunc
    reluParam: Operand
    reduceOp: AluOp
    reduceRes: TensorRef | None
    reduceCmd: AccumCmd
    reverse0: Bool
    reverse1: Bool
    dtype: Dtype | None


@node(221)
class TopK(Node):
    """Extension: the largest of the n elements of each 16 partitions, and where they are."""

    valDst: TensorRef
    idxDst: TensorRef
    src: TensorRef
    n: Nat
