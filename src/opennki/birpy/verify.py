"""Structural rules of BIR: what every module must keep between passes, whoever made it.

Rules about values, capacity and timing are elsewhere (`opennki.isa`, `opennki.backend`). Here:

- names of functions, instructions and loop variables are unique; what is named exists
- an operand is a storage of its function; an access has 1 to 5 pairs of positive counts, no
  negative step in the first, and stays inside its storage; on chip its first pair walks
  neighbouring partitions and the others stay inside a partition
- the engine is legal for the opcode; required attributes are there; all have their types
- dependencies lead to earlier instructions; results are accesses; loops have a step
- calls of kernels fit the kernels of the module (`calls`)

Verdicts on attributes and on the geometry of accesses are remembered, so that an instruction that
looks like an earlier one costs a few dictionary lookups.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import prod
from typing import Final

from opennki.base.affine import AffineExpr, LoopVar
from opennki.base.codes import (
    NKI2113,
    NKI3028,
    NKI3029,
    NKI3033,
    NKI4003,
    NKI4004,
    NKI4005,
    NKI4007,
    NKI4009,
    NKI4010,
    NKI4011,
    NKI4015,
    NKI9003,
)
from opennki.base.diag import Diagnostic, Problem, Problems, diagnostic, problem
from opennki.base.dtypes import int32
from opennki.base.loc import UNKNOWN, SrcLoc
from opennki.base.text import nearest
from opennki.ir import INDICES
from opennki.isa.enums import Engine

from .access import AccessPattern, DynamicIndex
from .calls import call_diagnostics
from .instruction import Instruction
from .memloc import MemoryLocation, MemoryType, TensorKind
from .module import BasicBlock, DynamicLoop, Function, Loop, Module, While
from .opcodes import MODELLED, OPCODES
from .wire import ARCHES, IMMEDIATE_DTYPES, MAX_NESTING, VERSION, describe

MAX_PAIRS: Final = 5
MAX_RESIDUES: Final = 100_000
"""Places of a symbolic offset in its partition that are looked at one by one."""


def verify(module: Module) -> list[Diagnostic]:
    """Every violation of a structural rule, in text order.

    Each diagnostic has the location of its instruction and a note that names it.
    """
    found: list[Diagnostic] = []
    if module.version != VERSION:
        fault = problem(NKI4007, form="BIR", got=module.version, want=VERSION)
        found.append(diagnostic(fault, UNKNOWN))
    if module.arch not in ARCHES:
        close = nearest(module.arch, ARCHES)
        fault = problem(NKI4003, kind="architecture", name=module.arch, close=close)
        found.append(diagnostic(fault, UNKNOWN))
    names: set[str] = set()
    for function in (*module.nki_functions, *module.functions):
        if function.name in names:
            fault = problem(NKI4004, kind="function", name=function.name)
            found.append(diagnostic(fault, UNKNOWN))
        names.add(function.name)
        found += _FunctionVerifier(function).run()
    return [*found, *call_diagnostics(module)]


Geometry = tuple[str, int, int, int]
"""What an access covers, counted from its offset: what is wrong with it (empty: nothing); first
and last element, on chip in its partition; how many partitions it goes down."""


def _geometry(ap: tuple[tuple[int, int], ...], row: int, on_chip: bool) -> Geometry:
    """The geometry of an access pattern onto storage with `row` elements per partition."""
    if not 1 <= len(ap) <= MAX_PAIRS:
        return f"it has {len(ap)} pairs, not 1 to {MAX_PAIRS}", 0, 0, 0
    low = high = 0
    for step, num in ap:
        if num < 1:
            return f"a count is {num}", 0, 0, 0
        if step < 0:
            low += step * (num - 1)
        else:
            high += step * (num - 1)
    step, num = ap[0]
    if step < 0:
        return "the step of the first pair is negative", 0, 0, 0
    if not on_chip or num == 1:
        return "", low, high, 0
    if step != row:
        return f"it steps by {step} from partition to partition, which have {row} elements", 0, 0, 0
    return "", low, high - step * (num - 1), num - 1


def _symbolic_places(offset: AffineExpr, row: int) -> set[int]:
    """Where in a partition a symbolic offset can lie; its ends only, if these are too many."""
    places = {offset.const % row}
    for var, coeff in offset.terms:
        if coeff % row:
            values = var.values()
            if len(places) * len(values) > MAX_RESIDUES:
                values = values[:: max(1, len(values) - 1)]
            places = {(place + coeff * value) % row for place in places for value in values}
    return places


def _header_problems(inst: Instruction) -> Problems:
    """Rules about opcode, engine and attributes."""
    opcode = OPCODES.get(inst.opcode)
    if opcode is None:
        close = nearest(inst.opcode, OPCODES)
        yield problem(NKI4003, kind="opcode", name=inst.opcode, close=close)
        return
    allowed = opcode.engines
    if allowed is not None and inst.engine is not Engine.UNASSIGNED and inst.engine not in allowed:
        names = ", ".join(sorted(engine.nki for engine in allowed))
        yield problem(
            NKI2113, inst=inst.opcode, got=inst.engine.nki, allowed=names,
            why=f"a {inst.opcode} runs nowhere else",
        )  # fmt: skip
    if opcode.fields is None:
        instead = f"use {', '.join(MODELLED)}"
        yield problem(NKI9003, what=f"opcode {inst.opcode}", instead=instead)
        return
    where = f"a {inst.opcode}"
    for key, value in inst.attrs.items():
        field = opcode.fields.get(key)
        if field is None:
            yield problem(NKI4011, where=where, field=key, close=nearest(key, opcode.fields))
        elif not field.kind.accepts(value):
            expected = field.kind.expected
            yield problem(NKI4010, where=where, field=key, expected=expected, got=describe(value))
    for key, field in opcode.fields.items():
        if field.required and key not in inst.attrs:
            yield problem(NKI4009, where=where, field=key)


def _is_register(loc: MemoryLocation) -> bool:
    return loc.type is MemoryType.REG


def _plain_register(loc: MemoryLocation) -> bool:
    """Whether a register has nothing but its name, which is all that the wire has for it."""
    plain = MemoryLocation(loc.name, loc.type, TensorKind.Internal, int32, (1, 1))
    return loc == plain and loc.data is None


def _row(arg: AccessPattern) -> int:
    """Elements of the access's dtype in every partition, at least 1."""
    return max(1, arg.memloc.row_bytes // arg.dtype.itemsize)


class _FunctionVerifier:
    """Checks one function; remembers verdicts and what has been defined so far."""

    def __init__(self, function: Function) -> None:
        self._function = function
        self._memlocs = function.memlocs
        self._found: list[Diagnostic] = []
        self._names: set[str] = set()
        self._axes: set[str] = set()
        self._scope: dict[str, LoopVar] = {}
        self._nesting = 0
        self._headers: dict[tuple[str, Engine, int], tuple[Problem, ...]] = {}
        self._geometries: dict[tuple[tuple[tuple[int, int], ...], int, bool], Geometry] = {}

    def run(self) -> list[Diagnostic]:
        """All violations."""
        function = self._function
        for kind, ends in (("input", function.inputs), ("output", function.outputs)):
            for name in ends:
                if name not in self._memlocs:
                    self._undefined(f"storage of the {kind}", name, self._memlocs, UNKNOWN)
            for name in sorted({n for n in ends if ends.count(n) > 1}):
                self._report(problem(NKI4004, kind=kind, name=name), UNKNOWN, function.name)
        for name, loc in self._memlocs.items():
            self._memloc(name, loc)
        self._blocks(function.blocks)
        return self._found

    def _report(self, fault: Problem, loc: SrcLoc, where: str) -> None:
        note = f"in `{where}` of function `{self._function.name}`"
        self._found.append(diagnostic(fault, loc, notes=[note]))

    def _undefined(
        self, kind: str, name: str, known: Iterable[str], loc: SrcLoc, where: str = ""
    ) -> None:
        fault = problem(NKI4005, kind=kind, name=name, close=nearest(name, known))
        self._report(fault, loc, where or self._function.name)

    def _memloc(self, name: str, loc: MemoryLocation) -> None:
        if loc.name != name:
            self._undefined("storage", loc.name, [name], loc.loc, name)
        if any(size < 1 for size in loc.shape):
            fault = problem(NKI4015, field="shape", got=list(loc.shape), allowed="1 or more")
            self._report(fault, loc.loc, name)
        if loc.type is MemoryType.REG and not _plain_register(loc):
            allowed = "an internal int32 of shape [1, 1], not placed and without contents"
            fault = problem(NKI4015, field="register", got=repr(loc), allowed=allowed)
            self._report(fault, loc.loc, name)

    def _blocks(self, blocks: list[BasicBlock]) -> None:
        """Check the blocks of a function or of a loop."""
        names = self._names
        for block in blocks:
            for item in block.instructions:
                if item.name in names:
                    fault = problem(NKI4004, kind="instruction", name=item.name)
                    self._report(fault, item.loc, item.name)
                names.add(item.name)
                if isinstance(item, Instruction):
                    self._instruction(item)
                elif isinstance(item, Loop):
                    self._loop(item)
                else:
                    self._dynamic(item)

    def _dynamic(self, loop: DynamicLoop | While) -> None:
        for register in loop.registers():
            if self._memlocs.get(register.name) is not register or not _is_register(register):
                known = [n for n, m in self._memlocs.items() if _is_register(m)]
                self._undefined("register", register.name, known, loop.loc, loop.name)
        for loc in loop.new:
            if self._memlocs.get(loc.name) is not loc or loc.type is not MemoryType.PSUM:
                known = [n for n, m in self._memlocs.items() if m.type is MemoryType.PSUM]
                self._undefined("storage in PSUM", loc.name, known, loop.loc, loop.name)
        if isinstance(loop, DynamicLoop) and loop.step < 1:
            fault = problem(NKI4015, field="step", got=loop.step, allowed="1 or more")
            self._report(fault, loop.loc, loop.name)
        if self._within(loop):
            self._nesting += 1
            self._blocks(loop.blocks)
            self._nesting -= 1

    def _within(self, loop: Loop | DynamicLoop | While) -> bool:
        """Report a loop inside of too many others; whether it is not."""
        if self._nesting < MAX_NESTING:
            return True
        limit = f"at most {MAX_NESTING}"
        fault = problem(NKI4015, field="nesting of loops", got=MAX_NESTING + 1, allowed=limit)
        self._report(fault, loop.loc, loop.name)
        return False

    def _loop(self, loop: Loop) -> None:
        axis = loop.axis
        if axis.name in self._axes:
            fault = problem(NKI4004, kind="loop variable", name=axis.name)
            self._report(fault, loop.loc, loop.name)
        if axis.step == 0:
            fault = problem(NKI4015, field="step", got=0, allowed="any other integer")
            self._report(fault, loop.loc, loop.name)
            return
        if not self._within(loop):
            return
        self._axes.add(axis.name)
        outer = self._scope.get(axis.name)
        self._scope[axis.name] = axis
        self._nesting += 1
        self._blocks(loop.blocks)
        self._nesting -= 1
        del self._scope[axis.name]
        if outer is not None:
            self._scope[axis.name] = outer

    def _instruction(self, inst: Instruction) -> None:
        """Check one instruction (hot)."""
        header = (inst.opcode, inst.engine, id(inst.attrs))
        faults = self._headers.get(header)
        if faults is None:
            faults = self._headers[header] = tuple(_header_problems(inst))
        for fault in faults:
            self._report(fault, inst.loc, inst.name)
        for arg in inst.outs:
            if isinstance(arg, AccessPattern):
                self._access(inst, arg)
            else:
                fault = problem(
                    NKI4010, where=f"a {inst.opcode}", field="outs", expected="an access",
                    got="an immediate",
                )  # fmt: skip
                self._report(fault, inst.loc, inst.name)
        for arg in inst.ins:
            if isinstance(arg, AccessPattern):
                self._access(inst, arg)
            elif arg.dtype not in IMMEDIATE_DTYPES:
                fault = problem(
                    NKI4010, where=f"an immediate of a {inst.opcode}", field="dtype",
                    expected="a dtype that immediates can have", got=arg.dtype,
                )  # fmt: skip
                self._report(fault, inst.loc, inst.name)
        for name, _ in inst.dependencies:
            if name not in self._names or name == inst.name:
                self._undefined("earlier instruction", name, self._names, inst.loc, inst.name)

    def _access(self, inst: Instruction, arg: AccessPattern) -> None:
        """Check one access (hot): nothing more is called when all is well and offset a number."""
        loc = arg.memloc
        if self._memlocs.get(loc.name) is not loc:
            self._undefined("storage", loc.name, self._memlocs, inst.loc, inst.name)
            return
        own, size = loc.dtype.itemsize, arg.dtype.itemsize
        row = loc.row if own == size else loc.row * own // size
        on_chip = loc.on_chip
        if arg.index is not None and not self._index(inst, arg, arg.index):
            return
        key = (arg.ap, row, on_chip)
        known = self._geometries.get(key)
        if known is None:
            known = self._geometries[key] = _geometry(*key)
        if arg.index is not None and arg.index.vector:  # its indices say where each row is
            known = _geometry(((0, 1), *arg.ap[1:]), row, on_chip)
        elif arg.index is not None and arg.index.snake:
            known = _geometry((*arg.ap[:-1], (0, 1)), row, on_chip)
        wrong, low, high, down = known
        offset = arg.offset
        rows = loc.shape[0] if loc.shape else 1
        if (
            not wrong
            and offset.__class__ is int
            and row
            and (own == size or loc.row * own % size == 0)
        ):
            if not on_chip:
                if (
                    loc.type is not MemoryType.REG
                    and offset + low >= 0
                    and offset + high < rows * row
                ):
                    return
            elif (
                offset >= 0
                and offset % row + low >= 0
                and offset % row + high < row
                and offset // row + down < rows
            ):
                return
        for fault in self._access_problems(arg, row, known):
            self._report(fault, inst.loc, inst.name)

    def _index(self, inst: Instruction, arg: AccessPattern, index: DynamicIndex) -> bool:
        """Report what is wrong with a run-time index; whether nothing is."""
        source, before = index.source, len(self._found)
        count = prod(num for _, num in source.ap)
        why = ""
        if source.index is not None or source.memloc.type not in (MemoryType.REG, MemoryType.SB):
            why = "its index is neither in a register nor in SB"
        elif index.vector and source.memloc.type is MemoryType.REG:
            why = "its indices are in a register"
        elif source.dtype not in INDICES:
            why = f"its index is {source.dtype}"
        elif index.vector and (arg.memloc.on_chip or count < arg.ap[0][1]):
            why = f"it has {count} indices for {arg.ap[0][1]} rows of {arg.memloc.type.name}"
        elif index.snake and (not arg.memloc.on_chip or source.ap[0][1] != arg.ap[0][1]):
            why = f"its indices are on {source.ap[0][1]} partitions, it is on {arg.ap[0][1]}"
        elif not index.vector and not index.snake and count != 1:
            why = f"its index has {count} elements"
        elif index.stride and arg.memloc.on_chip and index.stride % _row(arg) == 0:
            why = "it cannot choose the partition of a storage on chip"
        elif index.limit < 1:
            why = f"its index is below {index.limit}"
        if why:
            self._report(problem(NKI3033, why=why), inst.loc, inst.name)
        else:
            self._access(inst, source)
        return len(self._found) == before

    def _access_problems(self, arg: AccessPattern, row: int, geometry: Geometry) -> Problems:
        """What is wrong with an access, if anything is."""
        loc, offset = arg.memloc, arg.offset
        wrong, low, high, down = geometry
        whole = (offset, arg.ap, arg.dtype) == (0, ((1, 1), (1, 1)), int32)
        if _is_register(loc) and not whole:
            wrong = "a register is read as a whole, as int32"
        elif loc.row_bytes % arg.dtype.itemsize:
            wrong = f"{loc.row_bytes} bytes cannot be read as {arg.dtype}"
        if wrong:
            yield problem(NKI3028, why=wrong)
            return
        if not row:
            return  # storage without elements is a problem of its own
        if isinstance(offset, AffineExpr):
            for var, _ in offset.terms:
                if self._scope.get(var.name) != var:
                    close = nearest(var.name, self._scope)
                    yield problem(NKI4005, kind="loop variable", name=var.name, close=close)
                    return
            if any(not var.trips for var, _ in offset.terms):
                return  # never executed
            first, last = offset.bounds()
            places = _symbolic_places(offset, row) if loc.on_chip else {0}
        else:
            first = last = offset
            places = {offset % row}
        size = (loc.shape[0] if loc.shape else 1) * row
        if loc.on_chip:
            if min(places) + low < 0 or max(places) + high >= row:
                span = f"elements {min(places) + low} to {max(places) + high}"
                yield problem(NKI3028, why=f"it touches {span} of partitions that have {row}")
            low, high = 0, down * row
        if first + low < 0 or last + high >= size:
            far = first + low if first + low < 0 else last + high
            yield problem(NKI3029, last=far, end=size - 1, row=row if loc.on_chip else None)
