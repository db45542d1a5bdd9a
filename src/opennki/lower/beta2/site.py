"""What a rule of the second road works with: storages by name, accesses, immediates, and `make`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any, Final

import numpy as np

from opennki import klr
from opennki.base import dtypes
from opennki.base.codes import NKI4501
from opennki.base.diag import NkiError, fail
from opennki.base.dtypes import DType, float32, int32, uint32
from opennki.base.loc import UNKNOWN, SrcLoc
from opennki.birpy import (
    AccessPattern,
    Argument,
    DynamicIndex,
    Immediate,
    Instruction,
    MemoryLocation,
    MemoryType,
    TensorKind,
)
from opennki.birpy.enums import CopyMode
from opennki.birpy.opcodes import OPCODES
from opennki.isa.enums import Engine
from opennki.target import Target

MEMORIES: Final = {
    klr.Memory.hbm: MemoryType.DRAM, klr.Memory.shared_hbm: MemoryType.DRAM,
    klr.Memory.private_hbm: MemoryType.DRAM, klr.Memory.sbuf: MemoryType.SB,
    klr.Memory.psum: MemoryType.PSUM, klr.Memory.reg: MemoryType.REG,
}  # fmt: skip

_OTHERS: Final = {
    klr.Dtype.float8e4: dtypes.float8_e4m3, klr.Dtype.float8e5: dtypes.float8_e5m2,
    klr.Dtype.float32r: dtypes.tfloat32,
}  # fmt: skip
_NONE: Final = frozenset({klr.Dtype.float8e3})


class Storages:
    """The storages of one function: made when they are first named.

    Args: kinds, what a name is to the function if it is not internal; constants, contents by name.
    Attributes: memlocs, by name; identities, by dtype: what fills one, its constant and its tile.
    """

    def __init__(self, kinds: Mapping[str, TensorKind], constants: Mapping[str, Any]) -> None:
        self.memlocs: dict[str, MemoryLocation] = {}
        self.identities: dict[DType, tuple[Instruction, list[MemoryLocation]]] = {}
        self._registers: dict[str, MemoryLocation] = {}
        self._kinds = kinds
        self._constants = constants

    def of_tensor(self, tensor: klr.TensorName) -> MemoryLocation:
        """The storage of a tensor. Raises: NKI4501 for a dtype that BIR has not."""
        made = self.memlocs.get(tensor.name)
        if made is not None:
            return made
        address = tensor.address
        made = self.memlocs[tensor.name] = MemoryLocation(
            tensor.name, MEMORIES[address.memory],
            self._kinds.get(tensor.name, TensorKind.Internal), dtype_of(tensor.dtype),
            tensor.shape.dims, address=address.freeOffset, partition=address.parOffset or 0,
            user_allocated=address.freeOffset is not None,
            shared=address.isShared or address.memory is klr.Memory.shared_hbm,
            data=self._constants.get(tensor.name), loc=tensor.loc,
        )  # fmt: skip
        return made

    def register(self, name: str) -> MemoryLocation:
        """The register of a name, which a tensor may have as well."""
        made = self._registers.get(name)
        if made is None:
            made = self._registers[name] = MemoryLocation(
                name, MemoryType.REG, TensorKind.Internal, int32, (1, 1)
            )
        return made

    def finish(self) -> None:
        """Add the registers to `memlocs`; one that is called as a tensor is gets another name."""
        free = (name for n in count() if (name := f".own.{n}") not in self.memlocs)
        for name, register in self._registers.items():
            if name in self.memlocs:
                register.name = next(free)
            self.memlocs[register.name] = register

    def identity(self, dtype: DType, size: int, rows: int) -> AccessPattern:
        """The first `size` rows and columns of the identity matrix of `dtype`, in SBUF.

        It has `rows` rows; a constant in DRAM that is copied before the body.
        """
        if dtype not in self.identities:
            stem, shape, whole = f"identity_{dtype}", (rows, rows), ((rows, rows), (1, rows))
            data = np.eye(rows, dtype=np.float32).astype(dtype.np)
            const = MemoryLocation(stem, MemoryType.DRAM, TensorKind.Const, dtype, shape, data=data)
            held = MemoryLocation(f"{stem}_sb", MemoryType.SB, TensorKind.Internal, dtype, shape)
            ins = (AccessPattern(const, 0, whole, dtype),)
            outs = (AccessPattern(held, 0, whole, dtype),)
            attrs = {"mode": CopyMode.Copy}
            copy = Instruction("DMACopy", Engine.SP, f"load_{stem}", ins, outs, attrs)
            self.identities[dtype] = copy, [const, held]
        _, (_, held) = self.identities[dtype]
        return AccessPattern(held, 0, ((rows, size), (1, size)), dtype)


class Site:
    """One statement that is being lowered.

    Attributes: storages; target; core, whose body it is of, and cores; name and loc of the
    instruction; begins, by label, the names of storages that begin anew in a block.
    """

    def __init__(self, storages: Storages, target: Target, core: int, cores: int) -> None:
        self.storages = storages
        self.target = target
        self.core = core
        self.cores = cores
        self.name = ""
        self.loc: SrcLoc = UNKNOWN
        self.begins: dict[str, tuple[str, ...]] = {}
        self._views: dict[int, AccessPattern] = {}  # of operands that the kernel keeps alive

    def make(
        self, opcode: str, engine: Engine, ins: Sequence[Argument], outs: Sequence[Argument],
        attrs: Mapping[str, object],
    ) -> Instruction:  # fmt: skip
        """The instruction; attributes that have their default are left out, as readers do."""
        kept = OPCODES[opcode].canonical(attrs)
        return Instruction(opcode, engine, self.name, tuple(ins), tuple(outs), kept, self.loc)

    def check_dtype(self, op: klr.Operator) -> None:
        """An operator that says a dtype says that of its result once more.

        Raises: NKI4501 for another one. Source: KLR lowering, front-end rules; Model: what another
        one would mean is not said.
        """
        said = getattr(op.args, "dtype", None)
        if said is not None:
            dst = self.view(op.args.dst)  # type: ignore[attr-defined]  # operators with a dtype have it
            if dtype_of(said, self.loc) != dst.dtype:
                raise self.unsupported(f"dtype of {op.kind} to {dst.dtype}", said.klr)

    # ---- operands ----------------------------------------------------------------------------

    def view(self, ref: klr.TensorRef) -> AccessPattern:
        """The access of an operand that may have a run-time index.

        Raises: NKI4501 for forms of access that are not lowered.
        """
        made = self._views.get(id(ref))
        if made is None:
            if not isinstance(ref, klr.Abstract):
                raise self.unsupported("tensorRef type", type(ref).schema.name)
            made = self._views[id(ref)] = self.access(ref.access)
        return made

    def single(self, ref: klr.TensorRef) -> AccessPattern:
        """As `view`. Raises: NKI4501 for an index for every row or element."""
        made = self.view(ref)
        if made.index is not None and (made.index.vector or made.index.snake):
            raise self.unsupported("dynamic access", made.memloc.name)
        return made

    def views(self, refs: Sequence[klr.TensorRef]) -> list[AccessPattern]:
        """The accesses of a list of operands."""
        return [self.view(ref) for ref in refs]

    def present(self, *refs: klr.TensorRef | None) -> list[AccessPattern]:
        """The accesses of those operands that are there."""
        return [self.view(ref) for ref in refs if ref is not None]

    def operand(self, value: klr.Operand) -> Argument:
        """The access of a tile, or the immediate."""
        if isinstance(value, klr.Tile):
            return self.view(value.t)
        assert isinstance(value, klr.Imm), "the only other constructor"
        return self.immediate(value.i)

    def operands(self, values: Sequence[klr.Operand | None]) -> list[Argument]:
        """Operands in order; absent ones are left out at the end, elsewhere they are 0.0.

        Absent is None, and an immediate pointer, which nothing else means here.
        """
        made: list[Argument] = []
        absent = 0
        for value in values:
            if value is None or (
                isinstance(value, klr.Imm) and isinstance(value.i, klr.PointerImm)
            ):
                absent += 1
                continue
            made += [Immediate(float32, 0.0)] * absent
            absent = 0
            made.append(self.operand(value))
        return made

    def immediate(self, value: klr.Immediate) -> Immediate:
        """A number as an operand. Raises: NKI4501 for registers and pointers."""
        if isinstance(value, klr.FloatImm):
            return Immediate(float32, value.f)
        if isinstance(value, klr.IntImm):
            return Immediate(int32, value.i)
        if isinstance(value, klr.NatImm):
            return Immediate(uint32, value.n)
        raise self.unsupported("immediate", type(value).schema.name)

    def number(self, value: klr.Immediate, what: str) -> float:
        """The number of a float immediate. Raises: NKI4501 for another one."""
        if not isinstance(value, klr.FloatImm):
            raise self.unsupported(what, type(value).schema.name)
        return value.f

    def integer(self, value: klr.Immediate, what: str) -> int:
        """The number of an integer immediate. Raises: NKI4501 for another one."""
        if not isinstance(value, klr.IntImm):
            raise self.unsupported(what, type(value).schema.name)
        return value.i

    def register(self, name: str) -> AccessPattern:
        """A register as an operand."""
        return AccessPattern(self.storages.register(name), 0, ((1, 1), (1, 1)), int32)

    # ---- accesses ----------------------------------------------------------------------------

    def access(self, access: klr.Access) -> AccessPattern:
        """The access pattern of an access in BIR's form, or of a whole tensor."""
        if isinstance(access, klr.Simple):
            tensor = access.tensor
            memloc = self.storages.of_tensor(tensor)
            free = tensor.shape.free_elements
            return AccessPattern(memloc, 0, ((free, tensor.shape.parDim), (1, free)), memloc.dtype)
        if not isinstance(access, klr.BirPattern):
            raise self.unsupported("access type", type(access).schema.name)
        pattern = access.access
        memloc = self.storages.of_tensor(pattern.tensor)
        dtype = memloc.dtype
        if pattern.dtypeOverride is not None:
            dtype = dtype_of(pattern.dtypeOverride, self.loc)
        pairs = tuple((pair.step, pair.num) for pair in pattern.pattern)
        index = self._index(pattern, dtype)
        return AccessPattern(memloc, pattern.offset, pairs, dtype, index)

    def _index(self, pattern: klr.BirAccessPattern, dtype: DType) -> DynamicIndex | None:
        """What is added to the place at run time.

        Raises: NKI4501 for two offsets, or a vector along another dimension than the first.
        """
        scalar, vector = pattern.scalarOffset, pattern.vectorOffset
        if scalar is None and vector is None:
            return None
        if scalar is not None and vector is not None:
            raise self.unsupported("access", "scalarOffset and vectorOffset")
        if isinstance(scalar, klr.RegOffset):
            source = self.register(scalar.r)
        else:
            source = self.access(vector if vector is not None else scalar.a)  # type: ignore[union-attr]  # the only other constructor
        dim = pattern.indirectDim
        along = vector is not None and not pattern.snake
        sizes = _sizes(pattern.tensor, dtype)
        if not 0 <= dim < len(sizes) or (along and dim != 0):
            raise self.unsupported("indirectDim", str(dim))
        stride, limit = pattern.indexStride, pattern.indexLimit
        if stride is None:
            stride = 1
            for size in sizes[dim + 1 :]:
                stride *= size
        return DynamicIndex(
            source, stride, sizes[dim] if limit is None else limit, along, pattern.snake
        )

    def unsupported(self, what: str, got: str) -> NkiError:
        """The error for a part of a statement that is not lowered, to be raised."""
        return fail(NKI4501, self.loc, what=what, got=got, statement=f"`{self.name}`")


def _sizes(tensor: klr.TensorName, dtype: DType) -> list[int]:
    """Sizes of a tensor when its bytes are read as `dtype`."""
    sizes = list(tensor.shape.dims)
    if len(sizes) > 1:
        sizes[-1] = sizes[-1] * dtype_of(tensor.dtype).itemsize // dtype.itemsize
    return sizes


def dtype_of(dtype: klr.Dtype, loc: SrcLoc = UNKNOWN) -> DType:
    """The dtype of a KLR dtype. Raises: NKI4501 for one that nothing here has."""
    if dtype in _NONE:
        raise fail(NKI4501, loc, what="dtype", got=str(dtype), statement="a tensor")
    return _OTHERS.get(dtype) or dtypes.dtype(dtype.klr)
