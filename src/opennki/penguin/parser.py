"""Reads the text of Penguin that `printer` writes (the form is described there)."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any, Final, NoReturn

from opennki.base import dtypes
from opennki.base.affine import LoopVar
from opennki.base.affine_text import read_affine
from opennki.base.codes import NKI4009, NKI4011
from opennki.base.constants import read_constant
from opennki.base.diag import fail
from opennki.base.dtypes import DType
from opennki.base.text import Position, Reader, nearest
from opennki.ir import (
    Access,
    Attribute,
    DynamicLoop,
    Index,
    IndirectView,
    Inst,
    InstrSpec,
    Operand,
    Region,
    Role,
    Space,
    Tensor,
    View,
    While,
)
from opennki.isa.enums import Engine
from opennki.isa.registry import INSTRUCTIONS
from opennki.target import TARGETS

from .function import Function, Loop, LoopKind, Statement
from .graph import GRAPH_OPS

MAX_NESTING: Final = 64
"""Blocks or lists inside each other that are read."""

_DTYPES: Final = {str(d): d for d in dtypes.ALL}
_SPACES: Final = {space.name: space for space in Space}
_ROLES: Final = {role.value: role for role in Role if role is not Role.internal}
_KINDS: Final = {kind.value: kind for kind in LoopKind}
_TARGETS: Final = {target.name: target for target in TARGETS}
_ENGINES: Final = {engine.nki: engine for engine in Engine}
_CLASSES: Final[dict[str, type[Inst]]] = {
    cls.spec.label: cls for cls in (*INSTRUCTIONS, *GRAPH_OPS)
}
_PLACES: Final = frozenset({"address", "partition"})


def parse_function(text: str, file: str = "<penguin>") -> Function:
    """The function that `text` describes.

    Args: file, what errors call the text. Source locations are lost: they are comments.
    Raises: NKI4001, NKI4002, NKI4012 when the text does not have the form; NKI4003 for a word, and
        NKI4005 for a name, that does not exist (tensors, loop variables and instructions come
        before their use); NKI4004 when a name is taken; NKI4009, NKI4011 for fields that an
        instruction lacks or does not have; NKI4006, NKI4015 for numbers.
    """
    r = Reader(text, file)
    function = _FunctionParser(r).parse()
    r.expect_end()
    return function


class _FunctionParser:
    """Reads one function: knows its tensors, loop variables in scope and instructions so far."""

    def __init__(self, reader: Reader) -> None:
        self.r = reader
        self._scope: dict[str, LoopVar] = {}
        self._depth = 0
        self._named: dict[str, Inst] = {}
        self._numbered: dict[int, Inst] = {}

    def parse(self) -> Function:
        """Read from the head to the closing brace."""
        r = self.r
        r.expect("penguin.function")
        name = r.sigil("@", "a function")
        r.expect("target", "=")
        target = _word(r, "target", _TARGETS)
        core, cores = 0, 1
        if r.accept("core"):
            r.expect("=")
            core = _at_least(r, "a core", 0)
            r.expect("cores", "=")
            cores = _at_least(r, "a number of cores", core + 1)
        self.function = function = Function(name, target, core, cores)
        ends: list[tuple[str, Position]] = []
        for key, names in (("args", function.args), ("results", function.results)):
            r.expect(key, "=", "[")
            for _ in r.items("]"):
                at = r.here()
                names.append(r.name("the name of a tensor"))
                ends.append((names[-1], at))
        r.expect("{")
        while r.accept("tensor"):
            self._tensor()
        for end, at in ends:
            if end not in function.tensors:
                raise r.undefined("tensor", end, function.tensors, at)
        self._body(function.body)
        return function

    # ---- tensors -----------------------------------------------------------------------------

    def _tensor(self) -> None:
        r = self.r
        at = r.here()
        name = r.sigil("%", "a tensor")
        if name in self.function.tensors:
            raise r.twice("tensor", name, at)
        r.expect(":")
        dtype = _word(r, "dtype", _DTYPES)
        r.expect("[")
        shape = tuple([_at_least(r, "a size", 0) for _ in r.items("]")])
        space = _word(r, "memory", _SPACES)
        role = Role.internal
        if r.token in _ROLES:
            role = _word(r, "role", _ROLES)
        place: dict[str, int] = {}
        while r.token in _PLACES and r.token not in place:
            key = r.word("a property")
            r.expect("=")
            place[key] = _at_least(r, key, 0)
        tensor = Tensor(
            name, shape, dtype, space, role=role, address=place.get("address"),
            start_partition=place.get("partition", 0),
        )  # fmt: skip
        if r.accept("data"):
            r.expect("=")
            tensor.data = read_constant(r, tensor.shape, tensor.dtype)
        self.function.tensors[name] = tensor

    # ---- statements --------------------------------------------------------------------------

    def _body(self, body: list[Statement]) -> None:
        """Read statements up to the brace that closes their owner."""
        r = self.r
        while not r.accept("}"):
            if r.token == "for":
                r.advance()
                body.append(self._dynamic() if r.token[:1] == "%" else self._loop())
            elif r.token == "while":
                r.advance()
                condition, new = self._register(), self._new()
                body.append(While(condition, self._block([]), new=new))
            elif r.token == "no_reorder":
                r.advance()
                body.append(Region(self._block([])))
            else:
                body.append(self._instruction())

    def _block(self, body: list[Statement]) -> list[Statement]:
        if self._depth == MAX_NESTING:
            allowed = f"at most {MAX_NESTING}"
            raise self.r.out_of_range("nesting of blocks", MAX_NESTING + 1, allowed)
        self._depth += 1
        self.r.expect("{")
        self._body(body)
        self._depth -= 1
        return body

    def _dynamic(self) -> DynamicLoop:
        r = self.r
        register = self._register()
        r.expect("in", "dynamic", "(")
        start = self._end("where the loop starts")
        r.expect(",")
        stop = self._end("where the loop stops")
        step = _at_least(r, "a step", 1) if r.accept(",") else 1
        r.expect(")")
        new = self._new()
        return DynamicLoop(register, start, stop, step, self._block([]), new=new)

    def _new(self) -> list[Tensor]:
        """The tensors that begin anew in every trip of a run-time loop."""
        r = self.r
        found: list[Tensor] = []
        while r.accept("," if found else "new"):
            at = r.here()
            name = r.sigil("%", "a tensor")
            if name not in self.function.tensors:
                raise r.undefined("tensor", name, self.function.tensors, at)
            found.append(self.function.tensors[name])
        return found

    def _end(self, what: str) -> int | Tensor:
        return self._register() if self.r.token[:1] == "%" else self.r.integer(what)

    def _register(self) -> Tensor:
        """A tensor that is declared as a register."""
        r = self.r
        at = r.here()
        name = r.sigil("%", "a register")
        found = self.function.tensors.get(name)
        known = [t.name for t in self.function.tensors.values() if t.space is Space.register]
        if found is None or found.space is not Space.register:
            raise r.undefined("register", name, known, at)
        return found

    def _loop(self) -> Loop:
        r = self.r
        at = r.here()
        name = r.name("a loop variable")
        if name in self._scope:
            raise r.twice("loop variable", name, at)
        r.expect("in")
        kind = _word(r, "kind of loop", _KINDS)
        r.expect("(")
        start = r.integer("where the loop starts")
        r.expect(",")
        stop = r.integer("where the loop stops")
        step = 1
        if r.accept(","):
            at = r.here()
            step = r.integer("a step")
            if step == 0:
                raise r.out_of_range("the step of a loop", 0, "any other integer", at)
        r.expect(")")
        loop = Loop(kind, LoopVar(name, start, stop, step))
        self._scope[name] = loop.var
        self._block(loop.body)
        del self._scope[name]
        return loop

    def _instruction(self) -> Inst:
        r = self.r
        name: str | None = None
        number: int | None = None
        at = r.here()
        if r.accept("#"):
            number = _at_least(r, "the number of an instruction", 0)
            if number in self._numbered:
                raise r.twice("instruction", f"#{number}", at)
            r.expect("=")
        else:
            word = r.name("an instruction")
            if r.accept("="):
                name = word
                if name in self._named:
                    raise r.twice("instruction", name, at)
            else:
                return self._made(word, at, None, None)
        at = r.here()
        return self._made(r.name("an instruction"), at, name, number)

    def _made(self, word: str, at: Position, name: str | None, number: int | None) -> Inst:
        """Read the fields of the instruction called `word`; make and remember it."""
        r = self.r
        label, dot, engine_name = word.partition(".")
        cls = _CLASSES.get(label)
        if cls is None:
            raise r.unknown("instruction", label, _CLASSES, at)
        engine = _ENGINES.get(engine_name)
        if dot and engine is None:
            raise r.unknown("engine", engine_name, _ENGINES, at)
        fields = self._fields(cls.spec)
        for key in cls.spec.order:
            if key not in fields and cls.spec.fields[key].required:
                raise fail(NKI4009, r.loc(at), where=label, field=key)
        inst: Inst = cls(**fields, engine=engine, name=name)  # type: ignore[call-arg]
        for view in inst.writes():
            view.tensor.written = True
        if r.accept("after"):
            r.expect("[")
            inst.after = tuple([self._producer() for _ in r.items("]")])
        if name is not None:
            self._named[name] = inst
        elif number is not None:
            self._numbered[number] = inst
        return inst

    def _producer(self) -> Inst:
        r = self.r
        at = r.here()
        found: Inst | None
        if r.accept("#"):
            number = r.integer("the number of an instruction")
            found, name = self._numbered.get(number), f"#{number}"
            known = [f"#{n}" for n in self._numbered]
        else:
            name = r.name("an instruction")
            found, known = self._named.get(name), list(self._named)
        if found is None:
            raise r.undefined("earlier instruction", name, known, at)
        return found

    # ---- fields ------------------------------------------------------------------------------

    def _fields(self, spec: InstrSpec) -> dict[str, Any]:
        """Read ``name=value, ...``; none only if no field is required."""
        r = self.r
        fields: dict[str, Any] = {}
        more = r.token in spec.fields or any(f.required for f in spec.fields.values())
        while more:
            at = r.here()
            name = r.word("a field")
            field = spec.fields.get(name)
            if field is None or (isinstance(field, Operand) and field.access is Access.STATE):
                facts = {"where": spec.label, "field": name, "close": nearest(name, spec.order)}
                raise fail(NKI4011, r.loc(at), **facts)
            if name in fields:
                raise r.twice("field", name, at)
            r.expect("=")
            fields[name] = (
                self._operand(field) if isinstance(field, Operand) else self._attribute(field)
            )
            more = r.accept(",")
        return fields

    def _operand(self, operand: Operand) -> View | tuple[View, ...] | int | float | None:
        r = self.r
        if operand.many:
            r.expect("[")
            return tuple([self._view() for _ in r.items("]")])
        if r.token[:1] == "%":
            return self._view()
        if operand.optional and r.accept("none"):
            return None
        if operand.number:
            return r.number("a tensor with `%` or a number")
        raise r.unexpected("a tensor with `%`")

    def _view(self) -> View:
        r = self.r
        at = r.here()
        if r.token[:1] != "%":
            raise r.unexpected("a tensor with `%`")
        name = r.sigil("%", "a tensor")
        tensor = self.function.tensors.get(name)
        if tensor is None:
            raise r.undefined("tensor", name, self.function.tensors, at)
        if not r.accept("["):
            return View.whole(tensor)
        offset = read_affine(r, self._scope)
        r.expect(";")
        strides, shape = [], []
        for _ in r.items("]"):
            strides.append(r.integer("a stride"))
            r.expect("*")
            shape.append(_at_least(r, "a count", 0))
            if r.token == ";":
                break
        index = self._index() if r.accept(";") else None
        dtype = _word(r, "dtype", _DTYPES) if r.accept(":") else tensor.dtype
        if index is None:
            return View(tensor, offset, tuple(shape), tuple(strides), dtype)
        return IndirectView(tensor, offset, tuple(shape), tuple(strides), dtype, index)

    def _index(self) -> Index:
        """A run-time index and the bracket that closes its view."""
        r = self.r
        vector = r.accept("each")
        snake = not vector and r.accept("snake")
        if r.token[:1] != "%":
            raise r.unexpected("a tensor with `%`")
        source = self._view()
        r.expect("*")
        stride = r.integer("a stride")
        r.expect("<")
        limit = _at_least(r, "a limit", 1)
        r.expect("]")
        return Index(source, stride, limit, vector, snake)

    def _attribute(self, field: Attribute) -> Any:
        r = self.r
        if field.optional and r.accept("none"):
            return None
        kind = field.type
        if issubclass(kind, Enum):
            return _word(r, kind.__name__, kind.__members__)
        read = _READERS.get(kind)
        if read is None:
            _unreadable(field)
        return read(self, r)

    def _bool(self, r: Reader) -> bool:
        if r.accept("true"):
            return True
        r.expect("false")
        return False

    def _list(self, r: Reader, depth: int = 0) -> Any:
        """A list of integers, affine expressions, floats and lists."""
        if r.token == "[" and depth < MAX_NESTING:
            r.advance()
            return tuple([self._list(r, depth + 1) for _ in r.items("]")])
        if depth == 0:
            raise r.unexpected("`[`")
        if r.at_number() and not r.token.lstrip("-").isdigit():
            return r.number()
        return read_affine(r, self._scope)


_READERS: Final[dict[type, Callable[[_FunctionParser, Reader], Any]]] = {
    bool: _FunctionParser._bool,
    int: lambda parser, r: read_affine(r, parser._scope),
    float: lambda parser, r: r.number(),
    str: lambda parser, r: r.string(),
    DType: lambda parser, r: _word(r, "dtype", _DTYPES),
    tuple: _FunctionParser._list,
}


def _unreadable(field: Attribute) -> NoReturn:
    raise TypeError(f"attribute {field.name} is declared as {field.type.__name__}: no text form")


def _word(r: Reader, what: str, known: Any) -> Any:
    """The value that a word of the fixed table `known` stands for."""
    at = r.here()
    name = r.word(f"the name of one {what}")
    if name not in known:
        raise r.unknown(what, name, known, at)
    return known[name]


def _at_least(r: Reader, what: str, low: int) -> int:
    at = r.here()
    number = r.integer(what)
    if number < low:
        raise r.out_of_range(what, number, f"{low} or more", at)
    return number
