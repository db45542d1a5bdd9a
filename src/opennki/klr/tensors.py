"""Tensors, accesses to them, and operands of KLR: what operators are made of.

Source: KLR abstract syntax, "Tensors and accesses". Fields marked `extension` are ours.
"""

from __future__ import annotations

from dataclasses import field

from opennki.base.loc import UNKNOWN, SrcLoc

from .enums import Dtype, Memory
from .syntax import (
    F32,
    I32,
    Bool,
    Int,
    Nat,
    Node,
    Str,
    constructor,
    extension,
    node,
    union,
    unwired,
)


@node(112)
class Shape(Node):
    """Sizes of a tensor: the partition dimension, then the free ones."""

    parDim: Nat
    freeDims: list[Nat]

    @property
    def dims(self) -> tuple[int, ...]:
        """All sizes, the partition dimension first."""
        return (self.parDim, *self.freeDims)

    @property
    def free_elements(self) -> int:
        """Elements of one partition."""
        count = 1
        for size in self.freeDims:
            count *= size
        return count


@node(113)
class Address(Node):
    """A region of memory: `parSize` partitions of `freeSize` bytes, placed or not yet."""

    name: Str
    memory: Memory
    parSize: Nat
    freeSize: Nat
    parOffset: Nat | None = None
    freeOffset: Nat | None = None
    isShared: Bool = False


@node(114, proofs=2)
class TensorName(Node):
    """A tensor. `freeElements` is the product of the free dimensions."""

    name: Str
    dtype: Dtype
    shape: Shape
    address: Address
    freeElements: Nat
    addressRotation: Bool = False
    loc: SrcLoc = unwired(default=UNKNOWN)


@node(115, proofs=1)
class Slice(Node):
    """Elements from `l` to before `u`, or down to after it, every `step`-th."""

    l: Nat  # noqa: E741  # the published spelling
    u: Nat
    step: Int


@union(117)
class Index(Node):
    """How one dimension is indexed."""

    __slots__ = ()


@constructor("coord")
class Coord(Index):
    """One position."""

    e: Nat


@constructor("slice")
class SliceIndex(Index):
    """A range of positions."""

    slice: Slice


@node(118, proofs=1)
class AccessBasic(Node):
    """One index for every dimension."""

    tensor: TensorName
    indexes: list[Index]


@node(119)
class APPair(Node):
    """`num` elements, `step` apart; `offset` moves the access by `step * offset` elements.

    The default of `offset` is the published one, and seldom what is wanted: BIR patterns have 0.
    """

    step: Int = 1
    num: Nat = 1
    offset: Nat = 1


@node(120)
class AccessPattern(Node):
    """A pattern whose first pair walks partitions; axes in `fixedAxis` came from coordinates."""

    tensor: TensorName
    parNum: Nat
    pattern: list[APPair]
    parOffset: Nat = 0
    freeOffset: Nat = 0
    fixedAxis: list[Nat] = field(default_factory=list)


@union(123)
class ScalarOffset(Node):
    """An offset that is read when the instruction runs."""

    __slots__ = ()


@constructor("reg")
class RegOffset(ScalarOffset):
    """The register of this name."""

    r: Str


@constructor("acc")
class AccOffset(ScalarOffset):
    """One element."""

    a: Access


@node(124)
class BirAccessPattern(Node):
    """A pattern over the whole tensor in row-major order, as BIR has it.

    One run-time index is worth the row-major stride of dimension `indirectDim`, or `indexStride`
    elements; indices are below that dimension's size, or below `indexLimit`. With `snake` the
    indices are one per element of the last dimension, read by groups of partitions.
    """

    tensor: TensorName
    offset: Nat
    pattern: list[APPair]
    scalarOffset: ScalarOffset | None = None
    vectorOffset: Access | None = None
    indirectDim: Int = 0
    dtypeOverride: Dtype | None = None
    indexStride: Nat | None = extension(default=None)
    indexLimit: Nat | None = extension(default=None)
    snake: Bool = extension(default=False)


@union(125)
class Access(Node):
    """Which elements of a tensor are meant."""

    __slots__ = ()


@constructor("simple")
class Simple(Access):
    """All of them."""

    tensor: TensorName


@constructor("basic")
class Basic(Access):
    """By one index per dimension."""

    access: AccessBasic


@constructor("pattern")
class Pattern(Access):
    """By partitions and a pattern of the free dimensions."""

    access: AccessPattern


@constructor("birPattern")
class BirPattern(Access):
    """By a pattern as BIR has it."""

    access: BirAccessPattern


@node(126)
class TensorHbm(Node):
    """A window of device memory by address."""

    name: Str
    dtype: Dtype
    address: Nat
    dims: list[APPair]


@node(127)
class TensorSram(Node):
    """A window of on-chip memory by address."""

    name: Str
    dtype: Dtype
    parNum: Nat
    pattern: list[APPair]
    parOffset: Nat = 0
    freeOffset: Nat = 0


@union(128)
class TensorRef(Node):
    """A tensor operand."""

    __slots__ = ()


@constructor("abstract")
class Abstract(TensorRef):
    """An access to a named tensor."""

    access: Access


@constructor("sbuf")
class Sbuf(TensorRef):
    """A window of SBUF."""

    view: TensorSram


@constructor("psum")
class Psum(TensorRef):
    """A window of PSUM."""

    view: TensorSram


@constructor("hbm")
class Hbm(TensorRef):
    """A window of device memory."""

    view: TensorHbm


@constructor("register")
class RegisterRef(TensorRef):
    """A tensor whose description is in a shape register."""

    reg: Nat


@union(131)
class Immediate(Node):
    """A number in an instruction."""

    __slots__ = ()


@constructor("register")
class RegisterImm(Immediate):
    """The content of a register."""

    reg: Nat


@constructor("pointer")
class PointerImm(Immediate):
    """A pointer; nothing more is published."""


@constructor("int")
class IntImm(Immediate):
    """An int32."""

    i: I32


@constructor("float")
class FloatImm(Immediate):
    """A float32."""

    f: F32


@constructor("nat", extends=True)
class NatImm(Immediate):
    """An integer that no int32 holds, but a uint32 does."""

    n: Nat


@union(132)
class ActivationImm(Node):
    """A number in an activation. No operator has one."""

    __slots__ = ()


@constructor("register")
class ActivationRegister(ActivationImm):
    """The content of a register."""

    reg: Nat


@constructor("pointer")
class ActivationPointer(ActivationImm):
    """A pointer; nothing more is published."""


@constructor("float")
class ActivationFloat(ActivationImm):
    """A float32."""

    f: F32


@union(133)
class Operand(Node):
    """A number or a tensor."""

    __slots__ = ()


@constructor("imm")
class Imm(Operand):
    """A number."""

    i: Immediate


@constructor("tile")
class Tile(Operand):
    """A tensor."""

    t: TensorRef


@node(134)
class DataPattern(Node):
    """Generated integers: `offset`, plus the pattern, plus partition times `channelMultiplier`."""

    offset: Int
    pattern: list[APPair]
    channelMultiplier: Int


@union(141)
class DmaBounds(Node):
    """What a DMA does with an index outside its tensor."""

    __slots__ = ()


@constructor("skip")
class Skip(DmaBounds):
    """It writes nothing."""


@constructor("error")
class Error(DmaBounds):
    """It is an error."""


@constructor("reg")
class RegBounds(DmaBounds):
    """As a register says."""

    reg: Nat


@union(143)
class IndexMissBehavior(Node):
    """What a gather writes for an index that misses."""

    __slots__ = ()


@constructor("imm")
class MissImm(IndexMissBehavior):
    """This number."""

    value: Immediate


@constructor("skip")
class MissSkip(IndexMissBehavior):
    """Nothing."""


@union(198)
class ReplicaGroup(Node):
    """Who takes part in a collective."""

    __slots__ = ()


@constructor("unspecified")
class Unspecified(ReplicaGroup):
    """Not said."""


@constructor("named")
class Named(ReplicaGroup):
    """A group that is known by name."""

    name: Str


@constructor("literal")
class Literal(ReplicaGroup):
    """Ranks of each group."""

    groups: list[list[Int]]
