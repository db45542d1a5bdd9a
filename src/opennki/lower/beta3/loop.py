"""`BirCodeGenLoop`: Penguin to BIR, one instruction after the other, building BIR directly."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count, pairwise
from typing import Final

import numpy as np

from opennki.base.codes import NKI2805
from opennki.base.diag import fail
from opennki.base.dtypes import DType, float8_e8m0fnu, uint8
from opennki.birpy import (
    AccessPattern,
    BasicBlock,
    DynamicLoop,
    EdgeKind,
    Function,
    Instruction,
    Loop,
    MemoryLocation,
    MemoryType,
    Module,
    TensorKind,
    While,
)
from opennki.birpy.enums import CopyMode
from opennki.birpy.module import Item
from opennki.ir import Inst, Tensor, renewed, row_major
from opennki.isa.enums import Engine
from opennki.isa.registry import INSTRUCTIONS
from opennki.isa.transpose import TransposeOp
from opennki.lower.internal import CallLowering, InternalKernels
from opennki.lower.memlocs import Locations
from opennki.lower.rules import RULES
from opennki.lower.table import Lowering, Rule
from opennki.penguin import DynamicLoop as PenguinDynamicLoop
from opennki.penguin import Function as PenguinFunction
from opennki.penguin import GraphOp, LoopKind, Region, Statement
from opennki.penguin import Loop as PenguinLoop
from opennki.penguin import While as PenguinWhile

_IDENTITY: Final = "identity_{}"


class BirCodeGenLoop:
    """Lowers the functions of a launch (one per core) to a BIR module.

    Attributes: kernels, what graph ops become calls of; None where there are no graph ops.
    """

    def __init__(self, kernels: InternalKernels | None = None) -> None:
        self.kernels = kernels

    def run_on_module(self, functions: Sequence[PenguinFunction]) -> Module:
        """The module of `functions`, which share one target.

        Raises: NkiError for a graph op that has no kernel, or one that does not fit it.
        """
        calls = None
        if self.kernels is not None:
            calls = CallLowering(self.kernels, set(map(_name_of, functions)))
        made = [FunctionLowering(fn, calls).run() for fn in functions]
        called = [] if calls is None else calls.functions
        return Module(made, functions[0].target.arch, nki_functions=called)


def _name_of(fn: PenguinFunction) -> str:
    """What the function of BIR is called."""
    return fn.name if fn.cores == 1 else f"{fn.name}_core{fn.core}"


class FunctionLowering:
    """State of lowering one function."""

    def __init__(self, source: PenguinFunction, calls: CallLowering | None = None) -> None:
        self.source = source
        self.calls = calls
        self.locations = Locations(source.tensors)
        self.identities: dict[DType, tuple[Instruction, list[MemoryLocation]]] = {}
        self.dynamic: list[DynamicLoop | While] = []
        self._numbers = {"I": count(), "Loop": count()}
        self._names: dict[Inst, tuple[int, str]] = {}  # with its number
        self._taken: set[str] = set()
        self._edges = any(inst.after for inst in source.instructions())

    def run(self) -> Function:
        """The BIR function: identity matrices first, then the body."""
        source = self.source
        self._taken = {i.name for i in source.instructions() if i.name is not None}
        body = self._body(source.body)
        block = BasicBlock("Block1", [*(fill for fill, _ in self.identities.values()), *body])
        memlocs = self.locations.memlocs
        ends = list(source.args), list(source.results)
        made = Function(_name_of(source), memlocs, [block], *ends)
        for fill, storages in self.identities.values():
            made.adopt(storages, fill)
        if any(loop.new for loop in self.dynamic):
            used = made.used()
            for loop in self.dynamic:
                loop.new = [memloc for memloc in loop.new if memloc.name in used]
        return made

    def _body(self, body: list[Statement]) -> list[Item]:
        made: list[Item] = []
        append = made.append
        for item in body:
            if isinstance(item, Inst):
                append(self._instruction(item))
            elif isinstance(item, PenguinLoop):
                append(self._loop(item))
            elif isinstance(item, Region):
                made.extend(self._ordered(item))
            else:
                append(self._dynamic(item))
        return made

    def _instruction(self, inst: Inst) -> Instruction:
        cls = inst.__class__
        name = inst.name
        if isinstance(inst, GraphOp):
            return self._call(inst)
        if name is None:
            name = self._fresh("I")
        if cls is TransposeOp and inst.engine is Engine.PE:
            made = self._transpose(inst, name)  # type: ignore[arg-type]  # just tested
        else:
            made = _LOWERINGS[cls](inst, name, self.locations.of_view)
        if self._edges:
            self._order(inst, made)
        return made

    def _fresh(self, stem: str) -> str:
        """A name for an instruction or loop, which its author gave to no other one."""
        return next(n for k in self._numbers[stem] if (n := f"{stem}-{k}") not in self._taken)

    def _order(self, inst: Inst, made: Instruction) -> None:
        """Add the explicit edges of an instruction, in the order of what must come before."""
        self._names[inst] = len(self._names), made.name
        before = sorted({self._names[producer] for producer in inst.after})
        made.dependencies = tuple((name, EdgeKind.Ordered) for _, name in before)

    def _call(self, op: GraphOp) -> Instruction:
        """The call of a kernel that computes a graph op."""
        if self.calls is None:
            raise fail(NKI2805, op.loc, name=op.spec.label, known="none")
        made = self.calls.call(op, self.source, self._taken, self.locations.of_view)
        self._order(op, made)
        return made

    def _loop(self, loop: PenguinLoop) -> Loop:
        name = self._fresh("Loop")
        block = BasicBlock("block0", self._body(loop.body))
        return Loop(name, loop.var, [block], loop.kind is LoopKind.affine, loop.loc)

    def _dynamic(self, loop: PenguinDynamicLoop | PenguinWhile) -> DynamicLoop | While:
        name = self._fresh("Loop")
        blocks = [BasicBlock("block0", self._body(loop.body))]
        memlocs = self.locations.memlocs
        new = [memlocs[tensor.name] for tensor in renewed(loop)]
        made: DynamicLoop | While
        if isinstance(loop, PenguinWhile):
            made = While(name, memlocs[loop.condition.name], blocks, loop.loc, new)
        else:
            ends = self._end(loop.start), self._end(loop.stop)
            register = memlocs[loop.register.name]
            made = DynamicLoop(name, register, *ends, loop.step, blocks, loop.loc, new)
        self.dynamic.append(made)
        return made

    def _end(self, value: int | Tensor) -> int | MemoryLocation:
        return self.locations.memlocs[value.name] if isinstance(value, Tensor) else value

    def _ordered(self, region: Region) -> list[Item]:
        """The body of a no_reorder region: each instruction depends on the one before."""
        made = self._body(region.body)
        for before, after in pairwise(made):
            if isinstance(before, Instruction) and isinstance(after, Instruction):
                edge = (before.name, EdgeKind.Ordered)
                if edge not in after.dependencies:
                    after.dependencies = (*after.dependencies, edge)
        return made

    def _transpose(self, inst: TransposeOp, name: str) -> Instruction:
        """A transpose on the PE array: a product with the identity matrix.

        transpose.PE dst, data   =>   Matmult{is_transpose} outs(dst) ins(identity, data)
        """
        data, dst = self.locations.of_view(inst.data), self.locations.of_view(inst.dst)
        dtype = inst.data.dtype
        exact = dtype.is_float and dtype != float8_e8m0fnu
        identity = self._identity(dtype if exact else uint8, inst.data.shape[0])
        return Instruction(
            "Matmult", Engine.PE, name, (identity, data), (dst,), _TRANSPOSE_ATTRS, inst.loc
        )

    def _identity(self, dtype: DType, size: int) -> AccessPattern:
        """The first `size` rows and columns of the identity matrix of `dtype`, in SBUF."""
        rows = self.source.target.partitions
        if dtype not in self.identities:
            shape, stem = (rows, rows), _IDENTITY.format(dtype)
            data = np.eye(rows, dtype=np.float32).astype(dtype.np)
            constant = MemoryLocation(
                stem, MemoryType.DRAM, TensorKind.Const, dtype, shape, data=data
            )
            held = MemoryLocation(f"{stem}_sb", MemoryType.SB, TensorKind.Internal, dtype, shape)
            whole = tuple(zip(row_major(shape), shape, strict=True))
            ins = (AccessPattern(constant, 0, whole, dtype),)
            outs = (AccessPattern(held, 0, whole, dtype),)
            attrs: dict[str, object] = {"mode": CopyMode.Copy}
            fill = Instruction("DMACopy", Engine.SP, f"load_{stem}", ins, outs, attrs)
            self.identities[dtype] = fill, [constant, held]
        _, (_, held) = self.identities[dtype]
        return AccessPattern(held, 0, ((rows, size), (1, size)), dtype)


_TRANSPOSE_ATTRS: Final[dict[str, object]] = {"is_transpose": True, "opennki_accumulate": False}
_LOWERINGS: Final = {cls: Lowering(cls.spec, RULES.get(cls, Rule())) for cls in INSTRUCTIONS}
