"""Operators of KLR that move, communicate, branch or handle registers: their structures.

Source: KLR abstract syntax, "Operators". Field names are the published ones.
"""

from __future__ import annotations

from dataclasses import field

from .enums import AluOp, BrCmpOp, DgeComputeOp, Dtype, Engine, PrintOutputBuffer, TransposeOps
from .syntax import I32, Bool, Int, Nat, Node, Str, extension, node
from .tensors import DmaBounds, Error, Immediate, ReplicaGroup, TensorRef, Unspecified


@node(152)
class DmaCopy(Node):
    """A transfer, with bounds of either side."""

    dst: TensorRef
    src: TensorRef
    compute_op: DgeComputeOp
    dstBoundsCheck: DmaBounds
    srcBoundsCheck: DmaBounds


@node(153, later={"priority": None})
class NcDmaCopy(Node):
    """A transfer as kernels write it. `dgeMode` says who writes its descriptors."""

    dst: TensorRef
    src: TensorRef
    compute_op: DgeComputeOp
    oobMode: DmaBounds
    dgeMode: Nat
    uniqueIndices: Bool
    priority: Nat | None
    engine: Engine


@node(154, later={"priority": None})
class DmaTranspose(Node):
    """A transfer that permutes four axes."""

    dst: TensorRef
    src: TensorRef
    axes: TransposeOps
    dtype: Dtype | None
    dgeMode: Nat
    oobMode: DmaBounds
    priority: Nat | None


@node(187)
class SendRecv(Node):
    """Exchanges a tensor with other cores."""

    dst: TensorRef
    src: TensorRef
    sendToRank: Immediate
    recvFromRank: Immediate
    pipeId: Immediate
    useGpsimdDma: Bool


@node(188)
class SendRecvCompute(Node):
    """Exchanges tensors with other cores and combines what arrives."""

    dsts: list[TensorRef]
    srcs: list[TensorRef]
    sendToRanks: list[Immediate]
    recvFromRanks: list[Immediate]
    pipeId: Immediate
    op: AluOp


@node(190)
class TensorLoad(Node):
    """Loads a register from one element."""

    dst: Str
    src: TensorRef


@node(191)
class TensorStore(Node):
    """Stores a register to one element."""

    dst: TensorRef
    src: Str


@node(192)
class RegisterMove(Node):
    """Sets a register to a number."""

    dst: Str
    imm: I32


@node(193)
class CmpBranch(Node):
    """Goes to one of two blocks."""

    reg1: Str
    reg2: Str
    imm: I32
    op: BrCmpOp
    trueLabel: Str
    falseLabel: Str


@node(194)
class RegisterAluOp(Node):
    """``dst = src op imm``, on registers."""

    dst: Str
    src: Str
    imm: I32
    op: AluOp


@node(197)
class DmaCompute(Node):
    """A scaled sum of tensors, formed by DMA.

    Without an `engine`, GpSimd starts it if an index is a vector, else the sync engine.
    """

    dst: TensorRef
    srcs: list[TensorRef]
    scales: list[Immediate]
    reduceOp: AluOp
    oobMode: DmaBounds = extension(default_factory=Error)
    engine: Engine | None = extension(default=None)


@node(199, later={"priority": None})
class CollectiveOp(Node):
    """What several ranks do together; the operator's name says what."""

    dsts: list[TensorRef]
    srcs: list[TensorRef]
    op: AluOp | None = None
    replicaGroup: ReplicaGroup = field(default_factory=Unspecified)
    concatDim: Int | None = None
    sourceTargetPairs: list[list[Int]] | None = None
    channel_id: Int | None = None
    num_channels: Int | None = None
    priority: Nat | None = None


@node(200)
class RankId(Node):
    """Reads the own rank, of `worldSize`; 0 is as many as the launch has."""

    dst: Str
    worldSize: Nat = extension(default=0)


@node(201)
class CurrentProcessingRankId(Node):
    """Reads the rank whose part an iteration of a collective works on."""

    dst: Str
    iterationId: Int
    channelId: Int
    numChannels: Int
    replicaGroup: list[list[Int]]


@node(202)
class Send(Node):
    """Sends to a rank."""

    op: AluOp
    srcs: list[TensorRef]
    peerId: Int


@node(203)
class Recv(Node):
    """Receives from a rank."""

    op: AluOp
    dsts: list[TensorRef]
    replicaGroups: list[Int]
    peerId: Int


@node(204)
class CoreBarrier(Node):
    """Cores wait for each other. `id` is that of a pipe."""

    data: TensorRef
    cores: list[Int]
    engine: Engine
    id: Nat = extension(default=0)


@node(215)
class DevicePrint(Node):
    """Prints a tensor."""

    src: TensorRef
    printPrefix: Str
    buffer: PrintOutputBuffer


@node(210)
class ExtendedInst(Node):
    """An instruction by its number."""

    opcode: Nat
    hasRead: Bool
    hasWrite: Bool
    ports: Nat
    data0: list[Nat]
    data1: list[Nat]


@node(220)
class CollectiveVOp(Node):
    """Extension: a collective of variable length. `metadata` is its table of counts and places."""

    dst: TensorRef
    src: TensorRef
    metadata: TensorRef
    replicaGroup: ReplicaGroup
    recvCountsKnown: Bool
    hasRdispls: Bool
    priority: Nat | None
