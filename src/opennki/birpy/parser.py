"""Reads the text of BIR that `printer` writes (the form is described there)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Final, TypeVar

from opennki.base import dtypes
from opennki.base.affine import LoopVar
from opennki.base.affine_text import read_affine
from opennki.base.constants import read_constant
from opennki.base.dtypes import DType
from opennki.base.text import Position, Reader
from opennki.isa.enums import Engine

from .access import AccessPattern, Argument, DynamicIndex, Immediate
from .fields import Field
from .instruction import EdgeKind, Instruction
from .memloc import MemoryLocation, MemoryType, TensorKind
from .module import BasicBlock, DynamicLoop, Function, Loop, Module, While
from .opcodes import MODELLED, OPCODES
from .printer import row_major_ap
from .wire import MAX_NESTING

E = TypeVar("E", bound=Enum)
_DTYPES: Final = {str(d): d for d in dtypes.ALL}
_FLAGS: Final = frozenset({"shared", "user_allocated"})
_NUMBERS: Final = frozenset({"address", "partition", "bank"})


def parse_module(text: str, file: str = "<bir>") -> Module:
    """The module that `text` describes.

    Args: file, what errors call the text.
    Raises: NKI4001, NKI4002, NKI4012 when the text does not have the form; NKI4003 for a word, and
        NKI4005 for a name, that does not exist (storages, loop variables and instructions come
        before their use); NKI4004 when a name is taken; NKI4006, NKI4015 for numbers.
    """
    r = Reader(text, file)
    r.expect("bir.module", "arch", "=")
    arch = r.name("the name of an architecture")
    r.expect("version", "=")
    module = Module([], arch, r.integer())
    r.expect("{")
    if r.accept("attributes"):
        r.expect("{")
        for _ in r.items("}"):
            key = _new(r, "an attribute", module.attributes)
            r.expect("=")
            module.attributes[key] = _value(r)
    names: set[str] = set()
    while not r.accept("}"):
        functions = module.nki_functions if r.accept("kernel") else module.functions
        if functions is module.functions and not r.accept("function"):
            raise r.unexpected("`function`, `kernel` or `}`")
        at = r.here()
        name = r.sigil("@", "a function")
        if name in names:
            raise r.twice("function", name, at)
        names.add(name)
        functions.append(_FunctionParser(r, name).parse())
    r.expect_end()
    return module


def _new(r: Reader, what: str, taken: Iterable[str]) -> str:
    """A name that is not in `taken`."""
    at = r.here()
    name = r.name(f"the name of {what}")
    if name in taken:
        raise r.twice(what.split(" ", 1)[1], name, at)
    return name


def _member(r: Reader, enum: type[E], what: str) -> E:
    """A member of `enum`, called `what` in messages, by its name."""
    at = r.here()
    name = r.word(f"the name of a member of {enum.__name__}")
    member = enum.__members__.get(name)
    if member is None:
        raise r.unknown(what, name, enum.__members__, at)
    return member


def _dtype(r: Reader) -> DType:
    at = r.here()
    name = r.word("a dtype")
    found = _DTYPES.get(name)
    if found is None:
        raise r.unknown("dtype", name, _DTYPES, at)
    return found


def _value(r: Reader, depth: int = 0) -> object:
    """A number, a string, ``true``, ``false`` or a list of these."""
    if r.at_number():
        return r.number()
    if r.accept("true"):
        return True
    if r.accept("false"):
        return False
    if depth < MAX_NESTING and r.accept("["):
        return tuple([_value(r, depth + 1) for _ in r.items("]")])
    return r.string("a number, a string, `true`, `false` or a list")


class _FunctionParser:
    """Reads one function: knows its storages, loop variables in scope and instructions so far."""

    def __init__(self, reader: Reader, name: str) -> None:
        self.r = reader
        self.function = Function(name)
        self._scope: dict[str, LoopVar] = {}
        self._depth = 0
        self._names: set[str] = set()
        self._whole: dict[str, tuple[tuple[int, int], ...]] = {}

    def parse(self) -> Function:
        """Read from ``inputs=`` to the closing brace."""
        r, function = self.r, self.function
        ends: list[tuple[str, Position]] = []
        for key, names in (("inputs", function.inputs), ("outputs", function.outputs)):
            r.expect(key, "=", "[")
            for _ in r.items("]"):
                ends.append((r.token, r.here()))
                names.append(r.name())
        if r.accept("attributes"):
            r.expect("=", "[")
            function.attributes.extend([r.name() for _ in r.items("]")])
        r.expect("{")
        while r.accept("memloc"):
            self._memloc()
        for name, (_, at) in zip(function.inputs + function.outputs, ends, strict=True):
            if name not in function.memlocs:
                raise r.undefined("memloc", name, function.memlocs, at)
        self._blocks(function.blocks)
        return function

    def _memloc(self) -> None:
        r = self.r
        at = r.here()
        name = r.sigil("%", "a memloc")
        if name in self.function.memlocs:
            raise r.twice("memloc", name, at)
        r.expect(":")
        dtype = _dtype(r)
        r.expect("[")
        shape = tuple([self._size() for _ in r.items("]")])
        place = _member(r, MemoryType, "memory type")
        kind = _member(r, TensorKind, "tensor kind")
        loc = MemoryLocation(name, place, kind, dtype, shape)
        while r.token in _FLAGS:
            setattr(loc, r.word("a flag"), True)
        while r.token in _NUMBERS:
            key = r.word("a property")
            r.expect("=")
            setattr(loc, key, r.integer())
        if r.accept("data"):
            r.expect("=")
            loc.data = read_constant(r, loc.shape, loc.dtype)
        self.function.memlocs[name] = loc

    def _size(self) -> int:
        at = self.r.here()
        size = self.r.integer("a size")
        if size < 0:
            raise self.r.out_of_range("a size", size, "0 or more", at)
        return size

    def _blocks(self, blocks: list[BasicBlock]) -> None:
        """Read blocks up to the brace that closes their owner."""
        r = self.r
        while not r.accept("}"):
            if not r.accept("block"):
                raise r.unexpected("`block` or `}`")
            block = BasicBlock(r.name("the name of a block"))
            blocks.append(block)
            r.expect("{")
            while not r.accept("}"):
                if r.accept("loop"):
                    block.instructions.append(self._loop())
                elif r.token in ("dynamic", "while"):
                    block.instructions.append(self._dynamic())
                else:
                    block.instructions.append(self._instruction())

    def _dynamic(self) -> DynamicLoop | While:
        r = self.r
        counted = r.token == "dynamic"
        r.advance()
        self._enter()
        name = self._new_name()
        register = self._register()
        made: DynamicLoop | While = While(name, register, [])
        if counted:
            r.expect("=")
            start = self._end("where the loop starts")
            r.expect("..")
            stop = self._end("where the loop stops")
            at = r.here()
            step = r.integer("a step") if r.accept("step") else 1
            if step < 1:
                raise r.out_of_range("the step of a loop", step, "1 or more", at)
            made = DynamicLoop(name, register, start, stop, step, [])
        while r.accept("," if made.new else "new"):
            at = r.here()
            new = r.sigil("%", "a memloc")
            if new not in self.function.memlocs:
                raise r.undefined("memloc", new, self.function.memlocs, at)
            made.new.append(self.function.memlocs[new])
        r.expect("{")
        self._depth += 1
        self._blocks(made.blocks)
        self._depth -= 1
        return made

    def _end(self, what: str) -> int | MemoryLocation:
        return self._register() if self.r.token[:1] == "%" else self.r.integer(what)

    def _register(self) -> MemoryLocation:
        """A storage that is declared as a register."""
        r = self.r
        at = r.here()
        name = r.sigil("%", "a register")
        found = self.function.memlocs.get(name)
        if found is None or found.type is not MemoryType.REG:
            known = [m.name for m in self.function.memlocs.values() if m.type is MemoryType.REG]
            raise r.undefined("register", name, known, at)
        return found

    def _enter(self) -> None:
        if self._depth == MAX_NESTING:
            allowed = f"at most {MAX_NESTING}"
            raise self.r.out_of_range("nesting of loops", MAX_NESTING + 1, allowed)

    def _loop(self) -> Loop:
        r = self.r
        self._enter()
        name = self._new_name()
        var = _new(r, "a variable", self._scope)
        r.expect("=")
        start = r.integer("where the loop starts")
        r.expect("..")
        stop = r.integer("where the loop stops")
        at = r.here()
        step = r.integer("a step") if r.accept("step") else 1
        if step == 0:
            raise r.out_of_range("the step of a loop", 0, "any other integer", at)
        loop = Loop(name, LoopVar(var, start, stop, step), [], r.accept("parallel"))
        r.expect("{")
        self._scope[var] = loop.axis
        self._depth += 1
        self._blocks(loop.blocks)
        self._depth -= 1
        del self._scope[var]
        return loop

    def _new_name(self) -> str:
        name = _new(self.r, "an instruction", self._names)
        self._names.add(name)
        return name

    def _instruction(self) -> Instruction:
        r = self.r
        name = self._new_name()
        r.expect("=")
        at = r.here()
        opcode = r.name("an opcode")
        known = OPCODES.get(opcode)
        if known is None:
            raise r.unknown("opcode", opcode, MODELLED, at)
        engine = _member(r, Engine, "engine")
        r.expect("outs", "(")
        outs = tuple([self._operand() for _ in r.items(")")])
        r.expect("ins", "(")
        ins = tuple([self._operand() for _ in r.items(")")])
        attrs = self._attrs(opcode, known.fields or {}) if r.accept("{") else {}
        after = self._dependencies(name) if r.accept("after") else ()
        return Instruction(opcode, engine, name, ins, outs, attrs, dependencies=after)

    def _attrs(self, opcode: str, fields: Mapping[str, Field]) -> dict[str, object]:
        r = self.r
        attrs: dict[str, object] = {}
        for _ in r.items("}"):
            at = r.here()
            key = _new(r, "an attribute", attrs)
            field = fields.get(key)
            if field is None:
                raise r.unknown(f"attribute of {opcode}", key, fields, at)
            r.expect("=")
            at = r.here()
            enum = field.kind.enum
            value = _value(r) if enum is None else _member(r, enum, enum.__name__)
            if not field.kind.accepts(value):
                raise r.unexpected(field.kind.expected, at)
            attrs[key] = value
        return attrs

    def _dependencies(self, name: str) -> tuple[tuple[str, EdgeKind], ...]:
        r = self.r
        edges = []
        r.expect("[")
        for _ in r.items("]"):
            at = r.here()
            source = r.name("the name of an instruction")
            if source not in self._names or source == name:
                raise r.undefined("earlier instruction", source, sorted(self._names - {name}), at)
            r.expect(":")
            edges.append((source, _member(r, EdgeKind, "kind of dependency")))
        return tuple(edges)

    def _operand(self) -> Argument:
        r = self.r
        token = r.token
        if token[:1] != "%":
            value = r.number("a memloc with `%` or a number")
            r.expect(":")
            return Immediate(_dtype(r), value)
        return self._access()

    def _access(self) -> AccessPattern:
        r = self.r
        at = r.here()
        name = r.sigil("%", "a memloc")
        loc = self.function.memlocs.get(name)
        if loc is None:
            raise r.undefined("memloc", name, self.function.memlocs, at)
        if r.token != "[":
            whole = self._whole.get(name)
            if whole is None:
                whole = self._whole[name] = row_major_ap(loc.shape)
            return AccessPattern(loc, 0, whole, loc.dtype)
        r.advance()
        offset = read_affine(r, self._scope)
        r.expect(";")
        pairs = []
        for _ in r.items("]"):
            step = r.integer("a step")
            r.expect("*")
            pairs.append((step, r.integer("a count")))
            if r.token == ";":
                break
        index = self._index() if r.accept(";") else None
        dtype = _dtype(r) if r.accept(":") else loc.dtype
        return AccessPattern(loc, offset, tuple(pairs), dtype, index)

    def _index(self) -> DynamicIndex:
        """A run-time index and the bracket that closes its access."""
        r = self.r
        vector = r.accept("each")
        snake = not vector and r.accept("snake")
        source = self._access()
        r.expect("*")
        step = r.integer("a step")
        r.expect("<")
        limit = r.integer("a limit")
        r.expect("]")
        return DynamicIndex(source, step, limit, vector, snake)
