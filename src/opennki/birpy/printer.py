"""BIR as text: deterministic, readable, and read back to an equal module by `parser`.

    bir.module arch=gen3 version=2 {
      function @add inputs=[x] outputs=[out] {
        memloc %x: float32[128, 512] DRAM ExternalInput shared
        memloc %out: float32[128, 512] DRAM ExternalOutput
        memloc %one: float32[128, 128] DRAM Const data=identity(128)
        memloc %tile: float32[128, 256] SB Internal address=0 partition=0
        block Block1 {
          loop L1 i = 0..2 {
            block Block2 {
              I-1 = DMACopy SP outs(%tile) ins(%x[256*i; 512*128, 1*256]) {mode=Copy}  // add.py:7
              I-2 = Memset DVE outs(%tile[0; 256*128, 1*8]) ins() {constant=0, mode=Const}
              I-3 = TensorTensor DVE outs(%tile) ins(%tile, %tile) {op=add} after [I-2:Flow]
            }
          }
          dynamic L2 %n = 0..%count {
            block Block3 {
              I-4 = DMACopy SP outs(%tile) ins(%x[0; 512*128, 1*256; %n*512 < 128]) {mode=Copy}
            }
          }
          while L3 %more new %acc {
            block Block4 {
              I-5 = TensorLoad ALL outs(%more) ins(%flag)
            }
          }
        }
      }
    }

An access is ``%memloc[offset; step*num, ...]:dtype``, in elements; without brackets it covers the
storage row by row, without a dtype it has the storage's. A third part, ``%index*step < limit``, is
an index that is read at run time; ``each %index*step < limit``, one per element of the first pair.
Storages after ``new`` begin anew in every trip. Functions that ``NKIKernel`` instructions call are
written before the others, as ``kernel @name ...``. An immediate is ``value:dtype``. Source
locations are comments; everything else is part of the form.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Final

from opennki.base.affine import AffineExpr
from opennki.base.affine_text import affine_text, variable_text
from opennki.base.constants import constant_text
from opennki.base.loc import UNKNOWN, SrcLoc
from opennki.base.text import Writer, name_text, number_text, place_text, string_text

from .access import AccessPattern, Argument
from .instruction import Instruction
from .memloc import MemoryLocation
from .module import BasicBlock, DynamicLoop, Function, Item, Loop, Module, While

KEYWORDS: Final = frozenset({"after", "dynamic", "loop", "while"})
"""Words that may stand where an instruction begins; one with such a name has it quoted."""


def print_module(module: Module, *, constants: bool = True) -> str:
    """The text of `module`.

    Args: constants, whether the contents of constants are written (``identity(n)``, or base64 of
        their bytes); if not, ``data=omitted`` takes their place, which a reader refuses.
    """
    printer = _Printer(constants)
    head = f"bir.module arch={name_text(module.arch)} version={module.version}"
    with printer.out.block(head):
        if module.attributes:
            printer.out.line(f"attributes {_attrs(module.attributes)}")
        for kernel in module.nki_functions:
            printer.function(kernel, "kernel")
        for function in module.functions:
            printer.function(function)
    return printer.out.text()


def print_instruction(inst: Instruction) -> str:
    """One instruction on one line, for messages and tests."""
    printer = _Printer(constants=False)
    printer.instruction(inst)
    return printer.out.lines[0]


def print_memloc(loc: MemoryLocation) -> str:
    """The declaration of one storage, for messages and tests."""
    printer = _Printer(constants=False)
    printer.memloc(loc)
    return printer.out.lines[0]


def print_item(item: Item) -> str:
    """One instruction, or the head of one loop, on one line."""
    if isinstance(item, Instruction):
        return print_instruction(item)
    printer = _Printer(constants=False)
    printer.item(item)
    return printer.out.lines[0]


def row_major_ap(shape: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
    """The ``(step, num)`` pairs that walk over all of `shape`."""
    pairs = []
    step = 1
    for size in reversed(shape):
        pairs.append((step, size))
        step *= size
    return tuple(reversed(pairs))


def value_text(value: object) -> str:
    """An attribute value: number, ``true``, quoted string, bare name of a member, ``[...]``."""
    if isinstance(value, Enum):
        return value.name
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return number_text(value)
    if isinstance(value, str):
        return string_text(value)
    if isinstance(value, tuple):
        return f"[{', '.join(map(value_text, value))}]"
    raise TypeError(f"no attribute can hold {value!r}")


def _attrs(attrs: Mapping[str, object]) -> str:
    pairs = (f"{name_text(key)}={value_text(attrs[key])}" for key in sorted(attrs))
    return f"{{{', '.join(pairs)}}}"


def _names(names: Iterable[str]) -> str:
    return f"[{', '.join(map(name_text, names))}]"


class _Printer:
    """Writes a module; remembers the text of what instructions share."""

    def __init__(self, constants: bool) -> None:
        self.out = Writer()
        self._constants = constants
        self._attr_texts: dict[int, str] = {}
        self._loc_texts: dict[int, str] = {id(UNKNOWN): ""}
        self._memlocs: dict[MemoryLocation, tuple[str, tuple[tuple[int, int], ...]]] = {}

    def function(self, function: Function, word: str = "function") -> None:
        """Write a function with its storages and blocks; `word` is ``kernel`` if it is called."""
        head = f"{word} @{name_text(function.name)}"
        head += f" inputs={_names(function.inputs)} outputs={_names(function.outputs)}"
        if function.attributes:
            head += f" attributes={_names(function.attributes)}"
        with self.out.block(head):
            for loc in function.memlocs.values():
                self.memloc(loc)
            for block in function.blocks:
                self.block(block)

    def memloc(self, loc: MemoryLocation) -> None:
        """Write the declaration of a storage."""
        dims = ", ".join(map(str, loc.shape))
        text = f"memloc %{name_text(loc.name)}: {loc.dtype}[{dims}] {loc.type.name} {loc.kind.name}"
        if loc.shared:
            text += " shared"
        if loc.user_allocated:
            text += " user_allocated"
        if loc.address is not None:
            text += f" address={loc.address}"
        if loc.partition or (loc.address is not None and loc.on_chip):
            text += f" partition={loc.partition}"
        if loc.bank is not None:
            text += f" bank={loc.bank}"
        if loc.data is not None:
            known = self._constants
            text += f" data={constant_text(loc.data, loc.shape, loc.dtype) if known else 'omitted'}"
        self.out.line(text + self._comment(loc.loc))

    def block(self, block: BasicBlock) -> None:
        """Write a block with its instructions and loops."""
        with self.out.block(f"block {name_text(block.name)}"):
            for item in block.instructions:
                self.item(item)

    def item(self, item: Item) -> None:
        """Write an instruction or a loop."""
        if isinstance(item, Instruction):
            self.instruction(item)
        elif isinstance(item, Loop):
            self.loop(item)
        else:
            self.dynamic(item)

    def loop(self, loop: Loop) -> None:
        """Write a loop with its blocks."""
        axis = loop.axis
        head = f"loop {name_text(loop.name)} {variable_text(axis.name)} = {axis.start}..{axis.stop}"
        if axis.step != 1:
            head += f" step {axis.step}"
        if loop.parallel:
            head += " parallel"
        with self.out.block(head, self._comment(loop.loc)):
            for block in loop.blocks:
                self.block(block)

    def dynamic(self, loop: DynamicLoop | While) -> None:
        """Write a run-time loop with its blocks."""
        if isinstance(loop, While):
            head = f"while {name_text(loop.name)} {self._register(loop.condition)}"
        else:
            ends = f"{self._register(loop.start)}..{self._register(loop.stop)}"
            head = f"dynamic {name_text(loop.name)} {self._register(loop.register)} = {ends}"
            if loop.step != 1:
                head += f" step {loop.step}"
        if loop.new:
            head += f" new {', '.join(map(self._register, loop.new))}"
        with self.out.block(head, self._comment(loop.loc)):
            for block in loop.blocks:
                self.block(block)

    @staticmethod
    def _register(value: int | MemoryLocation) -> str:
        return str(value) if isinstance(value, int) else f"%{name_text(value.name)}"

    def instruction(self, inst: Instruction) -> None:
        """Write one instruction."""
        attrs = self._attr_texts.get(id(inst.attrs))
        if attrs is None:
            attrs = f" {_attrs(inst.attrs)}" if inst.attrs else ""
            self._attr_texts[id(inst.attrs)] = attrs
        after = ""
        if inst.dependencies:
            edges = (f"{name_text(name)}:{kind.name}" for name, kind in inst.dependencies)
            after = f" after [{', '.join(edges)}]"
        operand = self._operand
        self.out.line(
            f"{name_text(inst.name, KEYWORDS)} = {name_text(inst.opcode)} {inst.engine.name}"
            f" outs({', '.join([operand(a) for a in inst.outs])})"
            f" ins({', '.join([operand(a) for a in inst.ins])})"
            f"{attrs}{after}{self._comment(inst.loc)}"
        )

    def _operand(self, arg: Argument) -> str:
        if not isinstance(arg, AccessPattern):
            return f"{number_text(arg.value)}:{arg.dtype}"
        loc = arg.memloc
        known = self._memlocs.get(loc)
        if known is None:
            known = f"%{name_text(loc.name)}", row_major_ap(loc.shape)
            self._memlocs[loc] = known
        text, whole = known
        offset = arg.offset
        same = arg.dtype is loc.dtype
        index = arg.index
        direct = index is None and offset.__class__ is int and not offset
        if same and direct and arg.ap == whole and whole:
            return text
        start = affine_text(offset) if isinstance(offset, AffineExpr) else offset
        pairs = ", ".join([f"{step}*{num}" for step, num in arg.ap])
        if index is not None:
            each = "each " if index.vector else "snake " if index.snake else ""
            pairs += f"; {each}{self._operand(index.source)}*{index.stride} < {index.limit}"
        text = f"{text}[{start}; {pairs}]"
        return text if same else f"{text}:{arg.dtype}"

    def _comment(self, loc: SrcLoc) -> str:
        text = self._loc_texts.get(id(loc))
        if text is None:
            text = self._loc_texts[id(loc)] = f"  // {place_text(loc)}"
        return text
