"""Expands calls of kernels, so that everything after it sees one function for each core.

    kernel @f inputs=[x] outputs=[out] {
      memloc %t: float32[128, 8] SB Internal
      I-0 = DMACopy SP outs(%t) ins(%x)
    }
    c = NKIKernel outs(%y) ins(%a[1024; ...]) {func="f", func_args=["x"], func_outs=["out"]}

becomes

    memloc %"c/t": float32[128, 8] SB Internal
    "c/I-0" = DMACopy SP outs(%"c/t") ins(%a[1024; ...])

Names of a kernel come after the call's. An operand in HBM that is dense takes the place of the
kernel's storage; another one is copied by DMA before or after, as is an operand that is read from a
storage that the call writes. Edges to a call lead to its last instruction on each track, and those
from it come to the first ones. Loops stay loops.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from opennki.backend.accumulate import MATMULS
from opennki.backend.load_kernels import load_kernels
from opennki.backend.schedule.engines import track_of
from opennki.base.affine import AffineExpr, LoopVar
from opennki.base.codes import NKI9003
from opennki.base.diag import NkiError, Severity, fail
from opennki.base.loc import UNKNOWN, SrcLoc
from opennki.birpy import (
    AccessPattern,
    Argument,
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
from opennki.birpy.calls import CALL, call_diagnostics, called, is_dense, operands_of
from opennki.birpy.enums import CopyMode
from opennki.birpy.module import Item
from opennki.birpy.printer import row_major_ap
from opennki.isa.enums import Engine

Edges = tuple[tuple[str, EdgeKind], ...]
Around = tuple[Loop | DynamicLoop | While, ...]
"""The loops around an item, outermost first."""


def inline_kernels(module: Module) -> Module:
    """`module` without calls of kernels; itself if it has none.

    Prebuilt kernels are loaded first. The kernels are not changed, and nothing is shared with them
    that a later pass changes.
    Raises: NkiError for calls that do not fit their kernels, and as `load_kernels` does; NKI9003
        for what cannot be expanded.
    """
    module = load_kernels(module)
    if not any(map(called, module.functions)):
        return module
    found = [d for d in call_diagnostics(module) if d.severity is Severity.error]
    if found:
        raise NkiError(found)
    plain: dict[str, Function] = {}
    kernels = {kernel.name: kernel for kernel in module.nki_functions}

    def expanded(function: Function) -> Function:
        for call in called(function):
            name = str(call.attrs["func"])
            if name not in plain:
                plain[name] = expanded(kernels[name])
        return _Caller(function, plain).run() if called(function) else function

    functions = [expanded(function) for function in module.functions]
    return replace(module, functions=functions, nki_functions=[])


class _Caller:
    """Expands the calls of one function."""

    def __init__(self, function: Function, kernels: dict[str, Function]) -> None:
        self._kernels = kernels
        self._function = replace(function, memlocs=dict(function.memlocs))
        self._names = _names(function.blocks)
        self._ends: dict[str, tuple[str, ...]] = {}

    def run(self) -> Function:
        """The function without calls."""
        function = self._function
        function.blocks = [self._block(block, ()) for block in function.blocks]
        return function

    def _block(self, block: BasicBlock, around: Around) -> BasicBlock:
        made: list[Item] = []
        for item in block.instructions:
            if not isinstance(item, Instruction):
                item = replace(item)
                if isinstance(item, DynamicLoop | While):
                    item.new = list(item.new)
                item.blocks = [self._block(b, (*around, item)) for b in item.blocks]
                made.append(item)
                continue
            edges = self._edges(item.dependencies)
            if item.opcode == CALL:
                made += self._call(item, edges, around)
            else:
                made.append(item if edges == item.dependencies else _with_edges(item, edges))
        return BasicBlock(block.name, made)

    def _edges(self, edges: Edges) -> Edges:
        """Edges to calls become edges to what the calls became."""
        return tuple([(end, kind) for name, kind in edges for end in self._ends.get(name, (name,))])

    def _call(self, call: Instruction, edges: Edges, around: Around) -> list[Item]:
        kernel = self._kernels[str(call.attrs["func"])]
        _check_accumulation(call, kernel, around)
        copy = _Copy(call, kernel, self._function.memlocs, self._names)
        items = copy.run()
        self._renew(copy, kernel, around)
        self._ends[call.name] = tuple(dict.fromkeys(i.name for i in _ends(items, last=True)))
        return _after(items, edges) if edges else items

    def _renew(self, copy: _Copy, kernel: Function, around: Around) -> None:
        """Every trip of a run-time loop around a call begins with a new PSUM."""
        loops = [loop for loop in around if not isinstance(loop, Loop)]
        if loops:
            inside = {loc.name for loop in _loops(kernel.blocks) for loc in loop.new}
            loops[-1].new += [copy.place(m).memloc for m in copy.psum if m.name not in inside]


def _names(blocks: Iterable[BasicBlock]) -> set[str]:
    """Names of instructions, loops and loop variables."""
    found = set()
    for block in blocks:
        for item in block.instructions:
            found.add(item.name)
            if not isinstance(item, Instruction):
                found |= _names(item.blocks)
                if isinstance(item, Loop):
                    found.add(item.axis.name)
    return found


def _loops(blocks: Iterable[BasicBlock]) -> list[DynamicLoop | While]:
    """Every run-time loop."""
    found: list[DynamicLoop | While] = []
    for block in blocks:
        for item in block.instructions:
            if not isinstance(item, Instruction):
                found += _loops(item.blocks)
                if not isinstance(item, Loop):
                    found.append(item)
    return found


def _check_accumulation(call: Instruction, kernel: Function, around: Around) -> None:
    """Raises NKI9003 for sums in PSUM that would go on from trip to trip of a rolled loop."""
    if not any(isinstance(loop, Loop) for loop in around):
        return
    for inst in kernel.instructions():
        if inst.opcode in MATMULS and inst.attrs.get("opennki_accumulate") is None:
            what = f"a rolled loop around a call of `{kernel.name}`, whose `{inst.name}` does not "
            what += "say whether it accumulates,"
            instead = "give nc_matmul `accumulate=`, or unroll the loop"
            raise fail(NKI9003, call.loc, what=what, instead=instead)


def _with_edges(inst: Instruction, edges: Edges) -> Instruction:
    return Instruction(
        inst.opcode, inst.engine, inst.name, inst.ins, inst.outs, inst.attrs, inst.loc, edges
    )


def _ends(items: Sequence[Item], *, last: bool = False) -> list[Instruction]:
    """The first, or the last, instruction of `items` on each track.

    A track completes instructions in order, so what waits for the last of each waits for all. What
    is in a run-time loop is waited for, and waits, without edges.
    """
    found: dict[int, Instruction] = {}

    def look(items: Sequence[Item]) -> None:
        for item in reversed(items) if last else items:
            if isinstance(item, Instruction):
                found.setdefault(track_of(item), item)
            elif isinstance(item, Loop):
                for block in reversed(item.blocks) if last else item.blocks:
                    look(block.instructions)

    look(items)
    return list(found.values())


def _after(items: list[Item], edges: Edges) -> list[Item]:
    """`items` whose first instruction on each engine has these edges besides its own."""
    first = {id(inst) for inst in _ends(items)}

    def added(item: Item) -> Item:
        if isinstance(item, Instruction):
            more = (*item.dependencies, *edges)
            return _with_edges(item, more) if id(item) in first else item
        if isinstance(item, Loop):
            blocks = [BasicBlock(b.name, [added(i) for i in b.instructions]) for b in item.blocks]
            return replace(item, blocks=blocks)
        return item

    return [added(item) for item in items]


@dataclass(frozen=True)
class _Place:
    """Where a storage of a kernel is: elements of its dtype from the start of another storage."""

    memloc: MemoryLocation
    offset: int | AffineExpr = 0


class _Copy:
    """The instructions of a kernel as one call runs them."""

    def __init__(
        self, call: Instruction, kernel: Function, memlocs: dict[str, MemoryLocation],
        names: set[str],
    ) -> None:  # fmt: skip
        """Args: memlocs and names, of the caller; what is made is added to them."""
        self._call = call
        self._kernel = kernel
        self._memlocs = memlocs
        self._taken = names
        self._renamed: dict[str, str] = {}
        self._vars: dict[LoopVar, LoopVar] = {}
        self._places: dict[str, _Place] = {}
        self._locs: dict[int, SrcLoc] = {id(UNKNOWN): call.loc}
        self._copied: list[tuple[str, AccessPattern]] = []

    def run(self) -> list[Item]:
        """Copies of operands, the kernel's items, and copies of results."""
        self._bind()
        for memloc in self._kernel.memlocs.values():
            if memloc.name not in self._places:
                self._places[memloc.name] = _Place(self._new(memloc))
        reads = [self._moved(name, arg) for name, arg in self._copied if name not in self._outs]
        body = [item for block in self._kernel.blocks for item in self._items(block)]
        writes = [self._moved(name, arg) for name, arg in self._copied if name in self._outs]
        return [*reads, *body, *writes]

    @property
    def psum(self) -> list[MemoryLocation]:
        """Storages in PSUM that the kernel uses and that are no operands."""
        used = {arg.memloc.name for inst in self._kernel.instructions() for arg in _accesses(inst)}
        used -= {name for name, _ in operands_of(self._call)}
        memlocs = self._kernel.memlocs.values()
        return [m for m in memlocs if m.type is MemoryType.PSUM and m.name in used]

    def place(self, memloc: MemoryLocation) -> _Place:
        """Where a storage of the kernel is."""
        return self._places[memloc.name]

    # ---- storages ----------------------------------------------------------------------------

    def _bind(self) -> None:
        """Let operands take the places of storages, or note that they are to be copied."""
        call = self._call
        pairs = [(name, arg) for name, arg in operands_of(call) if isinstance(arg, AccessPattern)]
        self._outs = {name for name, _ in pairs[len(call.ins) :]}
        written = {id(arg.memloc) for _, arg in pairs[len(call.ins) :]}
        odd = {
            arg.memloc.name
            for inst in self._kernel.instructions()
            for arg in _accesses(inst)
            if arg.dtype != arg.memloc.dtype
        }
        for name, arg in pairs:
            storage = self._kernel.memlocs[name]
            plain = arg.index is None and is_dense(arg.ap)
            shifted = arg.offset != 0 and name in odd
            clash = name not in self._outs and id(arg.memloc) in written
            if plain and not shifted and not clash:
                self._places[name] = _Place(arg.memloc, arg.offset)
            elif storage.shared or storage.on_chip:
                what = f"a copy of the operand for `{name}`, which cores share or is on chip,"
                instead = "give the call a dense operand that it does not write as well"
                raise fail(NKI9003, call.loc, what=what, instead=instead)
            else:
                self._copied.append((name, arg))

    def _new(self, old: MemoryLocation) -> MemoryLocation:
        """A storage of the caller like one of the kernel's."""
        kind = old.kind if old.kind is TensorKind.Const else TensorKind.Internal
        name = self._unused(old.name, self._memlocs)
        made = MemoryLocation(
            name, old.type, kind, old.dtype, old.shape, address=old.address,
            partition=old.partition, user_allocated=old.user_allocated, shared=old.shared,
            data=old.data, loc=self._loc(old.loc),
        )  # fmt: skip
        made.bank = old.bank
        self._memlocs[name] = made
        return made

    def _moved(self, name: str, operand: AccessPattern) -> Instruction:
        """The transfer between an operand and the storage that stands for it."""
        memloc = self._places[name].memloc
        whole = AccessPattern(memloc, 0, row_major_ap(memloc.shape), memloc.dtype)
        ins, outs = (whole,), (operand,)
        if name not in self._outs:
            ins, outs = outs, ins
        label = self._unused(f"copy_{name}", self._taken)
        self._taken.add(label)
        attrs = {"mode": CopyMode.Copy}
        return Instruction("DMACopy", Engine.SP, label, ins, outs, attrs, self._call.loc)

    # ---- names -------------------------------------------------------------------------------

    def _unused(self, name: str, taken: Iterable[str]) -> str:
        made = f"{self._call.name}/{name}"
        while made in taken:
            made += "_"
        return made

    def _name(self, name: str) -> str:
        """The caller's name for an instruction, loop or loop variable of the kernel."""
        made = self._renamed.get(name)
        if made is None:
            made = self._renamed[name] = self._unused(name, self._taken)
            self._taken.add(made)
        return made

    def _var(self, var: LoopVar) -> LoopVar:
        made = self._vars.get(var)
        if made is None:
            name = self._unused(var.name, self._taken)
            self._taken.add(name)
            made = self._vars[var] = LoopVar(name, var.start, var.stop, var.step)
        return made

    def _loc(self, loc: SrcLoc) -> SrcLoc:
        """A location in the kernel, called from that of the call."""
        made = self._locs.get(id(loc))
        if made is None:
            outer = self._call.loc if self._call.loc is not UNKNOWN else None
            caller = self._loc(loc.caller) if loc.caller is not None else outer
            made = SrcLoc(
                loc.file, loc.line, loc.col, loc.end_col, loc.function, caller, loc.end_line
            )
            self._locs[id(loc)] = made
        return made

    # ---- instructions ------------------------------------------------------------------------

    def _items(self, block: BasicBlock) -> list[Item]:
        return [self._item(item) for item in block.instructions]

    def _item(self, item: Item) -> Item:
        name, loc = self._name(item.name), self._loc(item.loc)
        if isinstance(item, Instruction):
            edges = tuple([(self._name(n), kind) for n, kind in item.dependencies])
            ins, outs = map(self._arg, item.ins), map(self._arg, item.outs)
            attrs = item.attrs
            if any(_varies(value) for value in attrs.values()):
                attrs = {key: self._value(value) for key, value in attrs.items()}
            return Instruction(
                item.opcode, item.engine, name, tuple(ins), tuple(outs), attrs, loc, edges
            )
        if isinstance(item, Loop):
            axis = self._var(item.axis)
            return Loop(name, axis, self._blocks(item), item.parallel, loc)
        new = [self.place(memloc).memloc for memloc in item.new]
        if isinstance(item, While):
            condition = self.place(item.condition).memloc
            return While(name, condition, self._blocks(item), loc, new)
        register, blocks = self.place(item.register).memloc, self._blocks(item)
        start, stop = self._end(item.start), self._end(item.stop)
        return DynamicLoop(name, register, start, stop, item.step, blocks, loc, new)

    def _blocks(self, loop: Loop | DynamicLoop | While) -> list[BasicBlock]:
        return [BasicBlock(block.name, self._items(block)) for block in loop.blocks]

    def _end(self, value: int | MemoryLocation) -> int | MemoryLocation:
        return value if isinstance(value, int) else self.place(value).memloc

    def _arg(self, arg: Argument) -> Argument:
        return self._access(arg) if isinstance(arg, AccessPattern) else arg

    def _access(self, arg: AccessPattern) -> AccessPattern:
        place, offset = self.place(arg.memloc), self._offset(arg.offset)
        index = arg.index
        if index is not None:
            index = replace(index, source=self._access(index.source))
        if place.offset.__class__ is not int or place.offset:
            offset = offset + place.offset
        return AccessPattern(place.memloc, offset, arg.ap, arg.dtype, index)

    def _offset(self, offset: int | AffineExpr) -> int | AffineExpr:
        if isinstance(offset, AffineExpr):
            return AffineExpr({self._var(v): c for v, c in offset.terms}, offset.const)
        return offset

    def _value(self, value: object) -> object:
        if isinstance(value, tuple):
            return tuple(map(self._value, value))
        return self._offset(value) if isinstance(value, AffineExpr) else value


def _accesses(inst: Instruction) -> Iterable[AccessPattern]:
    """Every access of an instruction, to indices too."""
    yield from (arg for arg in (*inst.ins, *inst.outs) if isinstance(arg, AccessPattern))
    yield from inst.indices()


def _varies(value: object) -> bool:
    """Whether an attribute has loop variables."""
    if isinstance(value, tuple):
        return any(map(_varies, value))
    return isinstance(value, AffineExpr)
