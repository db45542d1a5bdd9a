"""Whether two modules say the same, up to names that the compiler made: the first difference.

Names that an author gave, or that come from one, must be equal. Generated ones (of instructions,
loops, labels and registers of the compiler's own) must correspond one to one. Storages that nothing
uses, their order, and source locations do not count; float32 numbers count as float32.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

import numpy as np

from opennki.base.loc import UNKNOWN, SrcLoc

from .access import AccessPattern, Argument, DynamicIndex, Immediate
from .instruction import Instruction
from .memloc import MemoryLocation
from .module import BasicBlock, DynamicLoop, Function, Item, Loop, Module, While
from .printer import print_item

GENERATED: Final = re.compile(r"(I|Loop|Block)-?\d+|\.[a-z]+\.\d+")
"""Names that the compiler makes."""

OWN: Final = re.compile(r"\.own\.\d+")
"""Names that a storage has on one road because a result of another core has its own one."""

LABELS: Final = frozenset({"on_true", "on_false", "target"})


@dataclass(frozen=True)
class Difference:
    """The first thing in which two modules differ.

    Attributes: what differs; left and right, the text of both sides; loc, the author's line;
    function, in which it is; place, the number of the instruction or loop in it, from 0, or -1.
    """

    what: str
    left: str
    right: str
    loc: SrcLoc = UNKNOWN
    function: str = ""
    place: int = -1


class _Found(Exception):  # it is no error: it ends a search
    def __init__(self, what: str, left: object, right: object) -> None:
        super().__init__(what)
        self.what = what
        self.left = left
        self.right = right


def difference(left: Module, right: Module) -> Difference | None:
    """The first difference, in text order; None if there is none."""
    if left.arch != right.arch:
        return Difference("architecture", left.arch, right.arch)
    if len(left.functions) != len(right.functions):
        return Difference("functions", str(len(left.functions)), str(len(right.functions)))
    for a, b in zip(left.functions, right.functions, strict=True):
        found = _Comparison(a, b).run()
        if found is not None:
            return found
    return None


class _Comparison:
    """Compares two functions; remembers which names correspond."""

    def __init__(self, left: Function, right: Function) -> None:
        self._left = left
        self._right = right
        self._names: dict[str, tuple[dict[str, str], dict[str, str]]] = {}
        self._place = -1
        self._items: tuple[Item | None, Item | None] = (None, None)

    def run(self) -> Difference | None:
        """The first difference."""
        try:
            self._function()
        except _Found as found:
            return self._shown(found)
        return None

    def _shown(self, found: _Found) -> Difference:
        a, b = self._items
        sides = [
            print_item(item) if item is not None else str(value)
            for item, value in ((a, found.left), (b, found.right))
        ]
        if a is None or b is None:
            sides = [str(found.left), str(found.right)]
        item = a if a is not None else b
        loc = UNKNOWN if item is None else item.loc
        what = f"{found.what}: {found.left} and {found.right}" if a and b else found.what
        return Difference(what, sides[0], sides[1], loc, self._left.name, self._place)

    def _same(self, what: str, left: object, right: object) -> None:
        if left != right:
            raise _Found(what, left, right)

    def _corresponds(self, kind: str, left: str, right: str, free: bool = False) -> None:
        """Require that two names mean the same thing; `free`, whether they may differ."""
        there, back = self._names.setdefault(kind, ({}, {}))
        if left in there or right in back:
            self._same(f"name of a {kind}", (there.get(left), left), (right, back.get(right)))
            return
        made = GENERATED.fullmatch(left) and GENERATED.fullmatch(right)
        given = OWN.fullmatch(left) or OWN.fullmatch(right)
        if not free and not made and not given:
            self._same(f"name of a {kind}", left, right)
        there[left], back[right] = right, left

    def _function(self) -> None:
        a, b = self._left, self._right
        self._same("name of the function", a.name, b.name)
        for kind in ("inputs", "outputs"):
            mine, theirs = getattr(a, kind), getattr(b, kind)
            self._same(f"number of {kind}", len(mine), len(theirs))
            for left, right in zip(mine, theirs, strict=True):
                self._memloc(a.memlocs[left], b.memlocs[right], free=kind == "outputs")
        self._blocks(a.blocks, b.blocks)

    def _blocks(self, left: Sequence[BasicBlock], right: Sequence[BasicBlock]) -> None:
        self._same("number of blocks", len(left), len(right))
        for a, b in zip(left, right, strict=True):
            self._corresponds("block", a.name, b.name)
            for mine, theirs in zip(a.instructions, b.instructions, strict=False):
                self._place += 1
                self._items = mine, theirs
                self._item(mine, theirs)
            self._items = (None, None)
            longer = max(a.instructions, b.instructions, key=len)
            count = min(len(a.instructions), len(b.instructions))
            if len(longer) > count:
                more = print_item(longer[count])
                ends = f"nothing: {a.name} ends"
                sides = (more, ends) if longer is a.instructions else (ends, more)
                raise _Found("number of instructions", *sides)

    def _item(self, a: Item, b: Item) -> None:
        self._same("kind", type(a).__name__, type(b).__name__)
        self._corresponds("instruction", a.name, b.name)
        if isinstance(a, Instruction) and isinstance(b, Instruction):
            self._instruction(a, b)
        elif isinstance(a, Loop) and isinstance(b, Loop):
            self._same("axis", (a.axis, a.parallel), (b.axis, b.parallel))
            self._blocks(a.blocks, b.blocks)
        elif isinstance(a, While) and isinstance(b, While):
            self._memloc(a.condition, b.condition)
            self._new(a.new, b.new)
            self._blocks(a.blocks, b.blocks)
        elif isinstance(a, DynamicLoop) and isinstance(b, DynamicLoop):
            self._memloc(a.register, b.register)
            for end in ("start", "stop"):
                self._end(end, getattr(a, end), getattr(b, end))
            self._same("step", a.step, b.step)
            self._new(a.new, b.new)
            self._blocks(a.blocks, b.blocks)

    def _end(self, what: str, a: int | MemoryLocation, b: int | MemoryLocation) -> None:
        if isinstance(a, MemoryLocation) and isinstance(b, MemoryLocation):
            self._memloc(a, b)
        else:
            self._same(what, a, b)

    def _new(self, a: Sequence[MemoryLocation], b: Sequence[MemoryLocation]) -> None:
        self._same("storages that begin anew", sorted(m.name for m in a), sorted(m.name for m in b))

    def _instruction(self, a: Instruction, b: Instruction) -> None:
        self._same("opcode", a.opcode, b.opcode)
        self._same("engine", a.engine, b.engine)
        for kind, mine, theirs in (("operand", a.ins, b.ins), ("result", a.outs, b.outs)):
            self._same(f"number of {kind}s", len(mine), len(theirs))
            for k, (left, right) in enumerate(zip(mine, theirs, strict=True)):
                self._argument(f"{kind} {k}", left, right)
        self._attributes(a.attrs, b.attrs)
        self._same("number of dependences", len(a.dependencies), len(b.dependencies))
        for (before, edge), (other, its) in zip(a.dependencies, b.dependencies, strict=True):
            self._same("kind of dependence", edge, its)
            self._corresponds("instruction", before, other)

    def _attributes(self, a: Mapping[str, Any], b: Mapping[str, Any]) -> None:
        for key in sorted({*a, *b}):
            if key not in a or key not in b:
                raise _Found(f"attribute {key}", a.get(key, "absent"), b.get(key, "absent"))
            if key in LABELS:
                self._corresponds("block", a[key], b[key])
            else:
                self._same(f"attribute {key}", _plain(a[key]), _plain(b[key]))

    def _argument(self, what: str, a: Argument, b: Argument) -> None:
        if isinstance(a, AccessPattern) and isinstance(b, AccessPattern):
            self._memloc(a.memloc, b.memloc)
            for part in ("offset", "ap", "dtype"):
                self._same(f"{part} of {what}", getattr(a, part), getattr(b, part))
            self._index(what, a.index, b.index)
        elif isinstance(a, Immediate) and isinstance(b, Immediate):
            self._same(f"dtype of {what}", a.dtype, b.dtype)
            self._same(what, _plain(a.value), _plain(b.value))
        else:
            self._same(f"kind of {what}", type(a).__name__, type(b).__name__)

    def _index(self, what: str, a: DynamicIndex | None, b: DynamicIndex | None) -> None:
        if a is None or b is None:
            self._same(f"run-time index of {what}", a, b)
            return
        self._argument(f"index of {what}", a.source, b.source)
        for part in ("stride", "limit", "vector", "snake"):
            self._same(f"{part} of the index of {what}", getattr(a, part), getattr(b, part))

    def _memloc(self, a: MemoryLocation, b: MemoryLocation, free: bool = False) -> None:
        self._corresponds("storage", a.name, b.name, free)
        self._same(f"storage {a.name}", a.fields()[1:], b.fields()[1:])
        mine, theirs = _contents(a), _contents(b)
        if mine != theirs:
            raise _Found(f"contents of {a.name}", *(_digest(held) for held in (mine, theirs)))


def _contents(memloc: MemoryLocation) -> bytes | None:
    if memloc.data is None:
        return None
    return np.asarray(memloc.data).astype(memloc.dtype.np).tobytes()


def _digest(contents: bytes | None) -> str:
    """Contents as far as they can be shown."""
    if contents is None:
        return "none"
    return f"{len(contents)} bytes with the hash {sha256(contents).hexdigest()[:12]}"


def _plain(value: Any) -> object:
    """A value in the form in which it is compared: floats as the bits of a float32."""
    if isinstance(value, tuple):
        return tuple(map(_plain, value))
    if isinstance(value, float):
        with np.errstate(over="ignore"):
            number = np.float32(value)
        return "nan" if np.isnan(number) else f"{number!r}"
    return value
