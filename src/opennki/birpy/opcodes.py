"""Opcodes of BIR: their numbers, and the attributes of those that instructions lower to.

Source: BIR data model, "InstructionType". Confirmed engine sets only: an opcode without one may
run anywhere as far as the verifier knows (the op table in `opennki.isa` has the engines of each
instruction). The attributes of an opcode are those that its owner class in the op table declares;
a row of `_FIELDS` is needed only where the wire has more, or other, attributes than the class.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from opennki.ir import Attribute
from opennki.isa.enums import (
    ActFunc,
    AluOp,
    AxisList,
    DgeMode,
    Engine,
    IsaEnum,
    MatmulPerfMode,
    ReduceCmd,
)  # fmt: skip
from opennki.isa.registry import OWNER

from .enums import (
    AddressRotationScope,
    BranchCompareOp,
    CollectiveDimension,
    CollectiveHint,
    CopyMode,
    DeviceBuffer,
    KernelSource,
    MemsetMode,
    QosClass,
    TransposeOp,
    TSCMode,
)  # fmt: skip
from .fields import (
    BOOL,
    CHANNEL,
    FLOAT,
    FLOATS,
    GROUPS,
    INT,
    INTS,
    OPTIONAL,
    PAIR,
    PATTERN,
    REQUIRED,
    STR,
    STRS,
    TRIPLE,
    U8,
    U16,
    U32,
    U32S,
    Field,
    Kind,
    enumeration,
)  # fmt: skip
from .instruction import Instruction

_IN_ORDER: Final = """
Generic GenericCopy GenericRelu AbstractCopy Activation ReadActivationAccumulator LoadActFuncSet
MatmultBase Matmult MatmultSparse
Memset GetGlobalRankId NoOp EventSemaphore GroupResetSemaphores AllEngineBarrier Drain Halt DMA Load
Pool Reciprocal Save TensorCopy TensorCopyDynamicSrc TensorCopyDynamicDst IndirectCopy TensorReduce
TensorScalar TensorScalarPtr
TensorScalarCache TensorTensor DMACopy GPSIMDSB2SB BNStats BNStatsAggregate BNGradients BNBackprop
BNBackprop2 StreamShuffle
StreamTranspose ReadVarAddr GenericIndirectLoad IndirectLoad GenericIndirectSave IndirectSave
IndirectSaveAccumulate Collective CollectiveCompute CollectiveSend
CollectiveRecv Select CopyPredicated CustomOp BIRKernel NKIKernel NKIKLIRKernel DevicePrint
GetRandState SetRandState
Rand Iota TensorScalarAffineSelect RangeSelect GetSequenceBounds Dropout GetCurProcessingRankID
DMATrigger DMADescriptor DMADescriptorCopy
DMADescriptorCCE DMADescriptorTranspose DMADescriptorReplicate RegisterAlu RegisterMove TensorLoad
TensorSave Terminator CompareAndBranch UnconditionalBranch
BranchHint Return Exit Break Call SwitchQueueInstance ResetQueueInstance CoreBarrier Max MaxIndex
MatchReplace MaxIndexAndMatchReplace Gather InlineASMBytes TensorCompletion MatmultMx QuantizeMx
Rand2 RandSetState RandGetState
Rng ActivationReadAccumulator DveReadAccumulator Exponential NonzeroWithCount Loop DynamicForLoop
DMABlock DoWhile TongaReduceMacroSymbolic
"""

NAMES: Final[tuple[str, ...]] = tuple(_IN_ORDER.split())
"""Every opcode; its position is its number."""

_ALU: Final = enumeration(AluOp)
_ACC: Final = enumeration(ReduceCmd)
_IDLE: Final = ReduceCmd.Idle
_NO_ROTATION: Final = AddressRotationScope.NONE
_BYPASS: Final = AluOp.bypass


def _flag(key: str) -> Field:
    return Field(key, BOOL, False)


_DMA: Final = (
    Field("queue", STR, ""),
    Field("dge_type", enumeration(DgeMode), DgeMode.unknown),
    _flag("duplicate"),
)

_MATMULT: Final[tuple[Field, ...]] = (
    *(
        Field(key, kind, default, written=True)
        for key, kind, default in (
            ("accumulation_flag", U8, 0), ("psum_zero_region", U8, 0),
            ("replication_resolution", U32, 0), ("replication_shift_amnt", U32, 0),
            ("replication_num_rows", U32, 0), ("is_transpose", BOOL, False),
            ("is_fmap_onezero", BOOL, False), ("is_weight_onezero", BOOL, False),
            ("tile_size", PAIR, (-1, -1)), ("tile_position", PAIR, (-1, -1)),
            ("perf_mode", enumeration(MatmulPerfMode), MatmulPerfMode.NONE),
            ("ifmap_quant_offset", U8, 0), ("weights_quant_offset", U8, 0),
        )
    ),
    # Model: the author's choice to add to PSUM (true), to overwrite (false) or to leave it to
    # the back end (absent); the wire has only the flags that a later pass derives from it.
    Field("opennki_accumulate", BOOL, OPTIONAL),
)  # fmt: skip

_CALL: Final = (
    # Model: names of the kernel's storages that the operands take the places of, in their order.
    Field("func_args", STRS),
    Field("func_outs", STRS),
    # Model: partitions and bytes in each; banks, partitions and bytes in each. What a kernel's
    # storages must fit into, one by one; the allocator places them with the caller's.
    Field("sb_buf_shape", PAIR, OPTIONAL),
    Field("psum_buf_shape", TRIPLE, OPTIONAL),
    # Only None is modelled: every call has storages of its own (`opennki.backend.inline`).
    Field("address_rotation_scope_val", enumeration(AddressRotationScope), _NO_ROTATION),
)

_FIELDS: Final[Mapping[str, tuple[Field, ...]]] = {
    "DMACopy": (
        Field("mode", enumeration(CopyMode)),
        Field("oob_is_err", BOOL, True),
        Field("transpose_op", enumeration(TransposeOp), TransposeOp.NONE),
        Field("constants", FLOATS, ()),
        Field("cce_op", _ALU, _BYPASS),
        Field("replica_groups", GROUPS, ()),
        Field("remote_notification", U32S, ()),
        _flag("can_read_uninit"),
        Field("dma_qos", enumeration(QosClass), QosClass.Unassigned),
        _flag("use_gpsimd_dma"),
        *_DMA,
    ),
    "Memset": (Field("mode", enumeration(MemsetMode)), Field("constant", U32)),
    "GetGlobalRankId": (Field("world_size", INT),),
    "GetCurProcessingRankID": (
        Field("iter_id", INT),
        Field("channel_id", INT),
        Field("replica_groups", GROUPS),
        # Model: stream of every ring that a kernel makes.
        Field("stream_id", INT, 0),
    ),
    "Iota": (Field("base", INT, 0), Field("pattern", PATTERN), Field("channel_multiplier", INT, 0)),
    "TensorCopy": (_flag("can_read_uninit"),),
    "TensorTensor": (Field("op", _ALU), Field("acc", _ACC, _IDLE)),
    "TensorScalarPtr": (
        Field("op0", _ALU),
        Field("op1", _ALU),
        Field("reverse0", BOOL),
        Field("reverse1", BOOL),
        _flag("apply_transpose"),
        _flag("is_tensor_scalar_addr"),
        _flag("is_scalar_tensor_tensor"),
        _flag("is_tensor_tensor_scan"),
        _flag("negate_second_output"),
        Field("acc", _ACC, _IDLE),
    ),
    "TensorReduce": (
        Field("op", _ALU),
        Field("axis", enumeration(AxisList), AxisList.X, written=True),
        _flag("apply_transpose"),
        _flag("negate"),
    ),
    "TensorScalarCache": (
        Field("op0", _ALU),
        Field("op1", _ALU),
        _flag("reverse0"),
        _flag("reverse1"),
        Field("mode", enumeration(TSCMode), TSCMode.Reduce),
        Field("acc", _ACC, _IDLE),
        # Model: known for TensorScalarPtr; NKI can negate what this opcode reduces as well.
        _flag("negate_second_output"),
    ),
    "Activation": (
        Field("func", enumeration(ActFunc), ActFunc.Identity, written=True),
        Field("acc", _ACC, _IDLE, written=True),
        Field("scale", FLOAT),
        Field("alpha", FLOAT),
        _flag("can_read_uninit"),
        _flag("is_activate2"),
        Field("op0", _ALU, _BYPASS, written=True),
        Field("op1", _ALU, _BYPASS, written=True),
        _flag("reverse0"),
        _flag("reverse1"),
        Field("reduce_op", _ALU, _BYPASS, written=True),
    ),
    "Matmult": _MATMULT,
    "MatmultMx": _MATMULT,
    "BNStats": (_flag("apply_transpose"),),
    "TensorScalarAffineSelect": (
        Field("base", INT, 0),
        Field("pattern", PATTERN),
        Field("channel_multiplier", INT, 0),
        Field("compare_op", _ALU),
        Field("fill_value", FLOAT, 0.0),
    ),
    # `num_active_channels`, whose meaning is not known, is refused when it is read.
    "RangeSelect": (
        Field("base", INT, 0),
        Field("compare_op0", _ALU),
        Field("compare_op1", _ALU),
        Field("reduce_op", _ALU, AluOp.max),
        Field("reduce_cmd", _ACC, ReduceCmd.ZeroAccumulate),
        Field("fill_value", FLOAT),
    ),
    "CoreBarrier": (
        Field("runtime_semaphore", INT, 0), Field("id", INT, 0), Field("cores", INTS),
    ),
    "CollectiveCompute": (
        Field("cc_channel", CHANNEL),
        Field("cc_dim", enumeration(CollectiveDimension), CollectiveDimension.Free),
        Field("cc_type_hint", enumeration(CollectiveHint), CollectiveHint.NONE),
        Field("stream_id", INT, 0),
        Field("src_target_pairs", PATTERN, ()),
        # Model: GetCurProcessingRankID has it, and the other route passes it on; where the wire
        # has it is not known.
        Field("channel_id", INT, 0),
        # Model: ours, for collectives of variable length; what the wire has is not known.
        _flag("opennki_recv_counts_known"),
        _flag("opennki_has_rdispls"),
        _flag("can_read_uninit"),
        _flag("is_local"),
        Field("pipe_id", INT, 0),
        Field("recv_from_rank", INTS, ()),
        Field("send_to_rank", INT, OPTIONAL),
        Field("initial_corebarrier", BOOL, True),
        Field("permute_chain", INTS, ()),
        Field("src1_bitmap", INTS, ()),
        _flag("unique_tensors"),
        _flag("use_gpsimd_dma"),
        Field("dma_qos", enumeration(QosClass), QosClass.Unassigned),
        Field("queue", STR, ""),
    ),
    "NKIKernel": (
        Field("func", STR),
        *_CALL,
        Field("kernel_source_val", enumeration(KernelSource), OPTIONAL),
    ),
    "NKIKLIRKernel": (
        # Model: base64 of the bytes of the form that `kernel_format` names.
        Field("klir_binary", STR),
        Field("kernel_format", STR),
        Field("nki_binary_version_identifier", STR, OPTIONAL),
        _flag("enable_device_dump"),
        *_CALL,
    ),
    "StreamShuffle": (Field("mask", INTS),),
    "CopyPredicated": (
        _flag("can_read_uninit"),
        _flag("reverse_pred"),
        # Model: the defaults of these two are not known; those of the other accumulating opcodes.
        Field("reduce_op", _ALU, _BYPASS),
        Field("accumulator_cmd", _ACC, _IDLE),
    ),
    "Exponential": (Field("reduce_cmd", _ACC),),
    # Model: whose generator is seeded; absent, that of the engine that runs the instruction.
    "SetRandState": (Field("rng_engine", enumeration(Engine), Engine.UNASSIGNED),),
    "IndirectCopy": (Field("num_valid_indices", U16),),
    # Files, versions and shapes are of operations that are not built in: refused when read.
    "CustomOp": (Field("opFunctionName", STR), _flag("is_builtin")),
    "RegisterAlu": (Field("op", _ALU), _flag("is_64bit")),
    "CompareAndBranch": (
        Field("comp_op", enumeration(BranchCompareOp)),
        Field("on_true", STR),
        Field("on_false", STR),
        # Model: ours, storages in PSUM that begin anew where `on_false` leads; see `DynamicLoop`.
        Field("opennki_begins", STRS, ()),
    ),
    "UnconditionalBranch": (Field("target", STR),),
    "DevicePrint": (
        Field("prefix", STR),
        # Model: the default is not known.
        Field("output_buffer", enumeration(DeviceBuffer), DeviceBuffer.stdout),
    ),
}  # fmt: skip

_ENGINES: Final[Mapping[str, frozenset[Engine]]] = {
    "Memset": frozenset({Engine.DVE, Engine.POOL}),
    "Pool": frozenset({Engine.DVE}),
    "QuantizeMx": frozenset({Engine.DVE}),
    "NonzeroWithCount": frozenset({Engine.POOL}),
    "CustomOp": frozenset({Engine.POOL}),
    "GPSIMDSB2SB": frozenset({Engine.POOL}),
    # The only engine with a systolic array. Source: trn1 architecture guide, "Tensor Engine".
    "Matmult": frozenset({Engine.PE}),
    "MatmultMx": frozenset({Engine.PE}),
}


@dataclass(frozen=True)
class Opcode:
    """One opcode.

    Attributes: name; number; fields, its attributes by key, None when they are not modelled;
    engines it may run on, None when that is not known.
    """

    name: str
    number: int
    fields: Mapping[str, Field] | None
    engines: frozenset[Engine] | None

    def canonical(self, attrs: Mapping[str, object]) -> dict[str, object]:
        """`attrs` without those that equal their default: what every reader returns."""
        fields = self.fields or {}
        return {
            key: value
            for key, value in attrs.items()
            if key not in fields or not _same(value, fields[key].default)
        }


def _same(value: object, default: object) -> bool:
    """Equality that tells 0.0 from -0.0 and from 0."""
    return value == default and repr(value) == repr(default)


_KINDS: Final[Mapping[type, Kind]] = {bool: BOOL, int: INT, float: FLOAT, str: STR}


def derived(attrs: Iterable[Attribute]) -> tuple[Field, ...]:
    """The wire attributes that follow from an instruction's declared ones, in their order.

    Raises: TypeError for a declared type that has more than one form on the wire.
    """
    return tuple(_field(a) for a in attrs if a.bir != "")


def _field(declared: Attribute) -> Field:
    if issubclass(declared.type, IsaEnum):
        kind: Kind | None = enumeration(declared.type)
    else:
        kind = _KINDS.get(declared.type)
    if kind is None:
        form = f"`{declared.name}`, a {declared.type.__name__}"
        raise TypeError(f"{form}: give its opcode a row in birpy/opcodes.py that says its form")
    default = declared.default
    if declared.required:
        default = REQUIRED
    elif default is None:
        default = OPTIONAL
    return Field(declared.bir or declared.name, kind, default)


def _fields(opcode: str) -> tuple[Field, ...] | None:
    if opcode in _FIELDS or opcode not in OWNER:
        return _FIELDS.get(opcode)
    return derived(OWNER[opcode].spec.attrs)


def _opcode(number: int, name: str) -> Opcode:
    fields = _fields(name)
    known = None if fields is None else {f.key: f for f in fields}
    return Opcode(name, number, known, _ENGINES.get(name))


OPCODES: Final[Mapping[str, Opcode]] = {
    name: _opcode(number, name) for number, name in enumerate(NAMES)
}
"""Every opcode by name."""

MODELLED: Final[tuple[str, ...]] = (*_FIELDS, *(name for name in OWNER if name not in _FIELDS))
"""The opcodes whose attributes are known here; a `Loop` is an object of its own."""


def attribute(inst: Instruction, key: str) -> object:
    """The value of an attribute, or its default, or None if it is optional and absent.

    Raises: KeyError when the opcode has no such attribute, or a required one is absent.
    """
    if key in inst.attrs:
        return inst.attrs[key]
    field = (OPCODES[inst.opcode].fields or {})[key]
    if field.required:
        raise KeyError(key)
    return field.default if field.has_default else None
