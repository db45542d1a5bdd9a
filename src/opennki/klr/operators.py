"""The operators of KLR: one table of names, structures and engines, and the node that holds one.

The first 76 are published, in the order of their constructors; the rest are our extensions.
Source: KLR abstract syntax, "Operators". The engine is what orders an operator within a no-reorder
block; an unassigned one is ordered against all.
"""

from __future__ import annotations

from typing import Final

from .compute_operators import (
    Activate,
    Activate2,
    AffineSelect,
    BatchNormAggregate,
    BatchNormStats,
    Copy,
    CopyPredicated,
    Dropout,
    Exponential,
    FindIndex8,
    Iota,
    LoadMaskRegister,
    LoadStationary,
    LocalGather,
    MatchReplace8,
    MatchValueLoad,
    MatMul,
    MatMulMX,
    Max8,
    MemSet,
    NcActivate,
    NcAffineSelect,
    NcCopy,
    NcLocalGather,
    NcMatMul,
    NcNGather,
    NcRangeSelect,
    NcScalarTensorTensor,
    NonzeroWithCount,
    QuantizeMX,
    Rand2,
    RandGetState,
    RandSetState,
    RangeSelect,
    Reciprocal,
    Rng,
    ScalarTensorTensor,
    SelectReduce,
    SequenceBounds,
    SetRngSeed,
    Shuffle,
    TensorPartitionReduce,
    TensorReduce,
    TensorScalar,
    TensorScalarCumulative,
    TensorScalarReduce,
    TensorTensor,
    TensorTensorScan,
    TopK,
    Transpose,
)
from .enums import Engine
from .movement_operators import (
    CmpBranch,
    CollectiveOp,
    CollectiveVOp,
    CoreBarrier,
    CurrentProcessingRankId,
    DevicePrint,
    DmaCompute,
    DmaCopy,
    DmaTranspose,
    ExtendedInst,
    NcDmaCopy,
    RankId,
    Recv,
    RegisterAluOp,
    RegisterMove,
    Send,
    SendRecv,
    SendRecvCompute,
    TensorLoad,
    TensorStore,
)
from .syntax import Field, Node, Schema, node

_TABLE: Final[tuple[tuple[str, type[Node], Engine | None], ...]] = (
    ("activate", Activate, Engine.act),
    ("ncActivate", NcActivate, Engine.act),
    ("activationReduce", NcActivate, Engine.act),
    ("affineSelect", AffineSelect, Engine.pool),
    ("ncAffineSelect", NcAffineSelect, Engine.pool),
    ("batchNormAggregate", BatchNormAggregate, Engine.dve),
    ("batchNormStats", BatchNormStats, Engine.dve),
    ("copy", Copy, Engine.unassigned),
    ("ncCopy", NcCopy, None),
    ("copyPredicated", CopyPredicated, Engine.dve),
    ("dmaCopy", DmaCopy, Engine.dma),
    ("ncDmaCopy", NcDmaCopy, None),
    ("dmaTranspose", DmaTranspose, Engine.dma),
    ("dropout", Dropout, Engine.dve),
    ("findIndex8", FindIndex8, Engine.dve),
    ("iota", Iota, Engine.pool),
    ("loadMaskRegister", LoadMaskRegister, Engine.dve),
    ("loadStationary", LoadStationary, Engine.pe),
    ("localGather", LocalGather, Engine.pool),
    ("ncLocalGather", NcLocalGather, Engine.pool),
    ("matMul", MatMul, Engine.pe),
    ("ncMatMul", NcMatMul, Engine.pe),
    ("matchReplace8", MatchReplace8, Engine.dve),
    ("matchValueLoad", MatchValueLoad, Engine.dve),
    ("max8", Max8, Engine.dve),
    ("memSet", MemSet, None),
    ("rangeSelect", RangeSelect, Engine.dve),
    ("ncRangeSelect", NcRangeSelect, Engine.dve),
    ("reciprocal", Reciprocal, Engine.dve),
    ("scalarTensorTensor", ScalarTensorTensor, Engine.dve),
    ("ncScalarTensorTensor", NcScalarTensorTensor, Engine.dve),
    ("shuffle", Shuffle, Engine.dve),
    ("tensorReduce", TensorReduce, Engine.unassigned),
    ("tensorScalar", TensorScalar, None),
    ("tensorTensor", TensorTensor, None),
    ("tensorTensorScan", TensorTensorScan, Engine.dve),
    ("tensorPartitionReduce", TensorPartitionReduce, Engine.pool),
    ("tensorScalarReduce", TensorScalarReduce, Engine.dve),
    ("transpose", Transpose, None),
    ("selectReduce", SelectReduce, Engine.dve),
    ("sequenceBounds", SequenceBounds, Engine.pool),
    ("sendRecv", SendRecv, Engine.unassigned),
    ("sendRecvCompute", SendRecvCompute, Engine.unassigned),
    ("tensorLoad", TensorLoad, Engine.unassigned),
    ("tensorStore", TensorStore, Engine.unassigned),
    ("registerMove", RegisterMove, Engine.unassigned),
    ("cmpBranch", CmpBranch, Engine.unassigned),
    ("registerAluOp", RegisterAluOp, Engine.unassigned),
    ("quantizeMX", QuantizeMX, Engine.dve),
    ("ncMatMulMX", MatMulMX, Engine.pe),
    ("dmaCompute", DmaCompute, Engine.dma),
    ("allReduce", CollectiveOp, Engine.unassigned),
    ("allGather", CollectiveOp, Engine.unassigned),
    ("reduceScatter", CollectiveOp, Engine.unassigned),
    ("collectivePermute", CollectiveOp, Engine.unassigned),
    ("collectivePermuteImplicit", CollectiveOp, Engine.unassigned),
    ("collectivePermuteImplicitReduce", CollectiveOp, Engine.unassigned),
    ("broadcast", CollectiveOp, Engine.unassigned),
    ("allToAll", CollectiveOp, Engine.unassigned),
    ("rankId", RankId, Engine.unassigned),
    ("currentProcessingRankId", CurrentProcessingRankId, Engine.unassigned),
    ("send", Send, Engine.unassigned),
    ("recv", Recv, Engine.unassigned),
    ("coreBarrier", CoreBarrier, None),
    ("rng", Rng, None),
    ("rand2", Rand2, Engine.unassigned),
    ("randGetState", RandGetState, None),
    ("setRngSeed", SetRngSeed, Engine.unassigned),
    ("randSetState", RandSetState, None),
    ("extendedInst", ExtendedInst, Engine.unassigned),
    ("tensorScalarCumulative", TensorScalarCumulative, Engine.dve),
    ("ncNGather", NcNGather, Engine.unassigned),
    ("nonzeroWithCount", NonzeroWithCount, Engine.unassigned),
    ("devicePrint", DevicePrint, Engine.unassigned),
    ("exponential", Exponential, Engine.dve),
    ("activate2", Activate2, Engine.act),
    # Extensions follow.
    ("allGatherV", CollectiveVOp, Engine.unassigned),
    ("allToAllV", CollectiveVOp, Engine.unassigned),
    ("topk", TopK, Engine.pool),
)
"""Name, structure, engine; None for the engine that the operator names itself."""

PUBLISHED: Final = 76
"""How many operators the published syntax has."""

OPERATORS: Final[dict[str, type[Node]]] = {name: struct for name, struct, _ in _TABLE}
"""Structure of each operator, in the order of constructors."""

_ENGINES: Final = {name: engine for name, _, engine in _TABLE}


@node(218)
class Operator(Node):
    """One operator: `kind` is its name, `args` the structure with its operands."""

    kind: str
    args: Node

    def __post_init__(self) -> None:
        assert isinstance(self.args, OPERATORS[self.kind]), (self.kind, type(self.args))

    def wire(self) -> Schema:
        """The schema of the constructor that `kind` names."""
        return _CONSTRUCTORS[self.kind]


def _constructor(index: int, kind: str, struct: type[Node]) -> Schema:
    """The schema of one operator: its only field is the structure."""

    def build(*values: object) -> Node:
        (args,) = values
        assert isinstance(args, Node)
        return Operator(kind, args)

    schema = Schema(Operator, Operator.schema.tag, kind, index)
    schema.base = Operator
    schema.variant = True
    schema.extension = index >= PUBLISHED
    schema.build = build
    schema.set_fields((Field("op", "args", struct, False, None),))
    return schema


_CONSTRUCTORS: Final = {
    kind: _constructor(i, kind, struct) for i, (kind, struct) in enumerate(OPERATORS.items())
}
Operator.schema.constructors.extend(_CONSTRUCTORS.values())


def fixed_engine(kind: str) -> Engine | None:
    """The engine that orders all operators of a kind; None if each names its own."""
    return _ENGINES[kind]


def engine_of(op: Operator) -> Engine:
    """Engine for the automatic order of statements in a no-reorder block."""
    fixed = fixed_engine(op.kind)
    if fixed is not None:
        return fixed
    named = getattr(op.args, "engine")  # noqa: B009  # which structures have it, the table says
    assert isinstance(named, Engine)
    return named
