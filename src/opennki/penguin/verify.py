"""Rules of Penguin: what every function must keep between passes, whoever made it.

- names of tensors, of instructions and of loop variables are unique in the function; arguments,
  results and operands are tensors of the function; offsets use variables of loops around them
- every view stays inside its tensor in every trip of its loops; on chip its first dimension walks
  partitions and the others stay inside a partition
- explicit edges (`after`) lead to earlier instructions
- run-time indices and the ends of run-time loops are read from registers or on-chip tiles of the
  function; explicit edges do not cross the border of a run-time loop
- every instruction keeps the rules of the op table (`opennki.ir.problems`)

Verdicts are remembered by signature, so that an instruction that looks like an earlier one costs a
few dictionary lookups. Code in a loop that never runs is not looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from opennki.base.affine import AffineExpr, LoopVar
from opennki.base.codes import (
    NKI1046,
    NKI3028,
    NKI3029,
    NKI3033,
    NKI4004,
    NKI4005,
    NKI4015,
)
from opennki.base.diag import Diagnostic, Problem, Problems, diagnostic, problem
from opennki.base.dtypes import int32
from opennki.base.loc import UNKNOWN, SrcLoc
from opennki.base.text import nearest
from opennki.ir import (
    INDICES,
    DynamicLoop,
    Index,
    Inst,
    Region,
    Role,
    Space,
    Tensor,
    View,
    While,
    changed,
    describe,
    problems,
    signature,
)

from .function import Function, Loop, Statement
from .substitute import copy_of

ENUMERATED: Final = 4096
"""Values of a rolled offset that are tried one by one; of more, only the ends are."""


def verify(function: Function) -> list[Diagnostic]:
    """Every violation of a rule, in program order, warnings included.

    Each diagnostic has the location of its instruction and a note that names it.
    """
    return _Verifier(function).run()


def _plain_register(tensor: Tensor) -> bool:
    """Whether a register has nothing but its name, which is all that BIR has for it."""
    placed = tensor.address is not None or bool(tensor.start_partition)
    plain = (tensor.shape, tensor.dtype, tensor.role) == ((1, 1), int32, Role.internal)
    return plain and not placed and tensor.data is None


class _Verifier:
    """Checks one function; remembers verdicts and what has been defined so far."""

    def __init__(self, function: Function) -> None:
        self._function = function
        self._tensors = function.tensors
        self._found: list[Diagnostic] = []
        self._names: set[str] = set()
        self._earlier: dict[Inst, tuple[DynamicLoop | While, ...]] = {}
        self._loops: tuple[DynamicLoop | While, ...] = ()
        self._variables_seen: set[str] = set()
        self._scope: dict[str, LoopVar] = {}
        self._verdicts: dict[object, tuple[Problem, ...]] = {}
        self._reaches: dict[object, tuple[Problem, ...]] = {}

    def run(self) -> list[Diagnostic]:
        """All violations."""
        function = self._function
        for kind, ends in (("argument", function.args), ("result", function.results)):
            for name in ends:
                if name not in self._tensors:
                    self._undefined(f"tensor of the {kind}", name, self._tensors, UNKNOWN)
            for name in sorted({n for n in ends if ends.count(n) > 1}):
                self._report(problem(NKI4004, kind=kind, name=name), UNKNOWN)
        for name, tensor in self._tensors.items():
            if tensor.name != name:
                self._undefined("tensor", tensor.name, [name], tensor.loc)
            if any(size < 1 for size in tensor.shape):
                fault = problem(NKI4015, field="shape", got=list(tensor.shape), allowed="1 or more")
                self._report(fault, tensor.loc)
            if tensor.space is Space.register and not _plain_register(tensor):
                allowed = "an internal int32 of shape [1, 1], not placed and without contents"
                fault = problem(NKI4015, field="register", got=repr(tensor), allowed=allowed)
                self._report(fault, tensor.loc)
        self._body(function.body)
        return self._found

    def _report(self, fault: Problem, loc: SrcLoc, inst: Inst | None = None) -> None:
        note = f"in function `{self._function.name}`"
        shown: list[tuple[str, str]] = []
        if inst is not None:
            note = f"in `{inst.name or inst.spec.label}` of function `{self._function.name}`"
            shown = [(operand.name, describe(view)) for operand, view in inst.views()]
        self._found.append(diagnostic(fault, loc, shown, [note]))

    def _undefined(
        self, kind: str, name: str, known: Iterable[str], loc: SrcLoc, inst: Inst | None = None
    ) -> None:
        fault = problem(NKI4005, kind=kind, name=name, close=nearest(name, known))
        self._report(fault, loc, inst)

    # ---- statements --------------------------------------------------------------------------

    def _body(self, body: list[Statement]) -> None:
        for item in body:
            if isinstance(item, Inst):
                self._instruction(item)
            elif isinstance(item, Loop):
                self._loop(item)
            elif isinstance(item, Region):
                self._body(item.body)
            else:
                self._dynamic(item)

    def _dynamic(self, loop: DynamicLoop | While) -> None:
        for tensor in loop.registers():
            if self._tensors.get(tensor.name) is not tensor or tensor.space is not Space.register:
                known = [t.name for t in self._tensors.values() if t.space is Space.register]
                self._undefined("register", tensor.name, known, loop.loc)
        for tensor in loop.new:
            if self._tensors.get(tensor.name) is not tensor or tensor.space is not Space.psum:
                known = [t.name for t in self._tensors.values() if t.space is Space.psum]
                self._undefined("tensor in psum", tensor.name, known, loop.loc)
        if isinstance(loop, DynamicLoop) and loop.step < 1:
            fault = problem(NKI4015, field="step", got=loop.step, allowed="1 or more")
            self._report(fault, loop.loc)
        outer = self._loops
        self._loops = (*outer, loop)
        self._body(loop.body)
        self._loops = outer

    def _loop(self, loop: Loop) -> None:
        var = loop.var
        if var.step == 0:
            fault = problem(NKI4015, field="step", got=0, allowed="any other integer")
            self._report(fault, loop.loc)
            return
        if var.name in self._variables_seen:
            self._report(problem(NKI4004, kind="loop variable", name=var.name), loop.loc)
        self._variables_seen.add(var.name)
        outer = self._scope.get(var.name)
        if var.trips:
            self._scope[var.name] = var
            self._body(loop.body)
            del self._scope[var.name]
        if outer is not None:
            self._scope[var.name] = outer

    def _instruction(self, inst: Inst) -> None:
        """Check one instruction (hot)."""
        if inst.name is not None:
            if inst.name in self._names:
                self._report(problem(NKI4004, kind="instruction", name=inst.name), inst.loc, inst)
            self._names.add(inst.name)
        for producer in inst.after:
            around = self._earlier.get(producer)
            name = producer.name or producer.spec.label
            if around is None:
                self._undefined("earlier instruction", name, self._names, inst.loc, inst)
            elif self._loops[: len(around)] != around:
                fault = problem(NKI1046, name=name, consumer=inst.name or inst.spec.label)
                self._report(fault, inst.loc, inst)
        self._earlier[inst] = self._loops
        rolled = [n for n in inst.spec.order if any(True for _ in _expressions(getattr(inst, n)))]
        sound = True
        for _, view in inst.views():
            sound = self._view(inst, view) and sound
            if view.index is not None:
                sound = self._view(inst, view.index.source) and sound
        if sound and self._variables(inst, rolled):
            self._rules(inst, [n for n in rolled if isinstance(getattr(inst, n), View)])

    def _variables(self, inst: Inst, rolled: list[str]) -> bool:
        """Report variables of no loop around the instruction; whether there are none."""
        sound = True
        for name in rolled:
            for expr in _expressions(getattr(inst, name)):
                for var, _ in expr.terms:
                    if self._scope.get(var.name) != var:
                        self._undefined("loop variable", var.name, self._scope, inst.loc, inst)
                        sound = False
        return sound

    # ---- the op table ------------------------------------------------------------------------

    def _rules(self, inst: Inst, rolled: list[str]) -> None:
        """The table's rules, once for every partition that a rolled view can start in."""
        if not rolled:
            self._verdict(inst)
            return
        first = {name: _places(getattr(inst, name)) for name in rolled}
        fields = {name: getattr(inst, name) for name in inst.spec.order}
        start = {name: _at(fields[name], places[0]) for name, places in first.items()}
        self._verdict(copy_of(inst, fields | start))
        for name, places in first.items():
            for place in places[1:]:
                self._verdict(copy_of(inst, fields | start | {name: _at(fields[name], place)}))

    def _verdict(self, inst: Inst) -> None:
        key: object = (inst.__class__, inst.engine, *map(_key, inst.values()))
        try:
            found = self._verdicts.get(key)
        except TypeError:  # an attribute that is no key
            found, key = None, inst
        if found is None:
            found = tuple(problems(inst, self._function.target))
            if not (inst.alone or found):
                found = tuple(inst.check_launch(self._function.core, self._function.cores))
            self._verdicts[key] = found
        for fault in found:
            self._report(fault, inst.loc, inst)

    # ---- views -------------------------------------------------------------------------------

    def _view(self, inst: Inst, view: View) -> bool:
        """Report what is wrong with a view; whether nothing is."""
        tensor = view.tensor
        if self._tensors.get(tensor.name) is not tensor:
            self._undefined("tensor", tensor.name, self._tensors, inst.loc, inst)
            return False
        key = (view.offset, view.shape, view.strides, view.dtype, tensor.shape, tensor.kind,
               view.index and (view.index.kind, view.index.source.index is None))  # fmt: skip
        found = self._reaches.get(key)
        if found is None:
            found = self._reaches[key] = tuple(view_problems(view))
        for fault in found:
            self._report(fault, inst.loc, inst)
        return not found


def _expressions(value: object) -> Iterator[AffineExpr]:
    """The affine expressions in an operand or attribute."""
    if isinstance(value, tuple):
        for item in value:
            yield from _expressions(item)
        return
    found = value.offset if isinstance(value, View) else value
    if isinstance(found, AffineExpr):
        yield found


def view_problems(view: View) -> Problems:
    """What makes `view` no window onto its tensor (NKI3028), or one that sticks out (NKI3029).

    A rolled offset is looked at in every trip; a run-time index of 0 is taken to be possible.
    """
    yield from malformed(view)
    yield from beyond(view)


def malformed(view: View) -> Problems:
    """What makes `view` no window at all, wherever it lies. Yields NKI3028, NKI3033."""
    if view.index is not None:
        faults = list(index_problems(view, view.index))
        yield from faults
        if faults:
            return
    tensor = view.tensor
    if tensor.space is Space.register and not view.is_whole():
        yield problem(NKI3028, why=f"the register {tensor.name} is read as a whole, as int32")
        return
    if len(view.shape) != len(view.strides) or any(n < 1 for n in view.shape):
        yield problem(NKI3028, why=f"its counts are {view.shape}")
        return
    if tensor.row_bytes % view.dtype.itemsize:
        yield problem(NKI3028, why=f"{tensor.row_bytes} bytes cannot be read as {view.dtype}")
        return
    if view.strides and view.strides[0] < 0:
        yield problem(
            NKI3028,
            why="the stride of the first pair is negative, which BIR cannot say",
            lead="" if tensor.space.on_chip else "[1, 1]",
        )
        return
    shape = _reached(view).shape
    if tensor.space.on_chip and shape and shape[0] > 1 and view.strides[0] != view.row:
        step, row = view.strides[0], view.row
        why = f"it steps by {step} from partition to partition, which have {row} elements"
        yield problem(NKI3028, why=why)


def _reached(view: View) -> View:
    """The part of a view that its offset and strides place: a vector of indices does the rest."""
    if view.index is None:
        return view
    if view.index.vector:  # the indices say where each row is
        return View(view.tensor, view.offset, (1, *view.shape[1:]), view.strides, view.dtype)
    if view.index.snake:
        return View(view.tensor, view.offset, (*view.shape[:-1], 1), view.strides, view.dtype)
    return view


def beyond(view: View) -> Problems:
    """Where a well-formed view leaves its storage (NKI3029) or its partitions' rows (NKI3028)."""
    if any(True for _ in malformed(view)):
        return
    view = _reached(view)
    tensor = view.tensor
    rows, row = (tensor.shape[0] if tensor.shape else 1), view.row
    offsets = _offsets(view)
    low = sum(s * (n - 1) for s, n in view.dims if s < 0)
    high = sum(s * (n - 1) for s, n in view.dims if s > 0)
    down = view.shape[0] - 1 if tensor.space.on_chip and view.shape else 0
    if min(offsets) + low < 0 or max(offsets) + high >= rows * row:
        far = min(offsets) + low if min(offsets) + low < 0 else max(offsets) + high
        inner = row if tensor.space.on_chip else None
        yield problem(NKI3029, last=far, end=rows * row - 1, row=inner)
    elif tensor.space.on_chip:
        first = min(offset % row for offset in offsets) + low
        last = max(offset % row for offset in offsets) + high - row * down
        if first < 0 or last >= row:
            why = f"it touches elements {first} to {last} of partitions that have {row}"
            yield problem(NKI3028, why=why)


def index_problems(view: View, index: Index) -> Problems:
    """What makes a run-time index unusable. Yields NKI3033."""
    source, on_chip = index.source, view.tensor.space.on_chip
    space = source.tensor.space
    if source.index is not None:
        yield problem(NKI3033, why="an index cannot be found by another run-time index")
    elif space is not Space.register and space is not Space.sbuf:
        yield problem(NKI3033, why=f"the index is in {space}, not in a register or in sbuf")
    elif source.dtype not in INDICES:
        yield problem(NKI3033, why=f"the index is {source.dtype}, not an integer")
    elif index.vector and space is Space.register:
        yield problem(NKI3033, why="a vector of indices is a tile in sbuf, and this is a register")
    elif index.vector and on_chip:
        why = f"a vector of indices selects rows of HBM, and this is in {view.tensor.space}"
        yield problem(NKI3033, why=why)
    elif index.vector and source.size < view.shape[0]:
        got, want = source.size, view.shape[0]
        yield problem(NKI3033, why=f"there are {got} indices for {want} rows")
    elif index.snake:
        yield from _snake_problems(view, source)
    elif not index.vector and source.size != 1:
        yield problem(NKI3033, why=f"the index has shape {list(source.shape)}, not one element")
    elif on_chip and index.stride % max(1, view.row) == 0 and index.stride:
        yield problem(NKI3033, why="a run-time index cannot choose the partition of a tile")


def _snake_problems(view: View, source: View) -> Problems:
    """What makes indices of single elements unusable. Yields NKI3033."""
    if not view.tensor.space.on_chip:
        why = f"elements are selected on chip, and `{view.tensor.name}` is in {view.tensor.space}"
        yield problem(NKI3033, why=why)
    elif source.space is not Space.sbuf or len(view.shape) != 2:
        yield problem(NKI3033, why=f"a view of {list(view.shape)} has no column to select from")
    elif source.shape[0] != view.shape[0]:
        got, want = source.shape[0], view.shape[0]
        yield problem(NKI3033, why=f"its indices are on {got} partitions, the view on {want}")


def _offsets(view: View) -> list[int]:
    """Offsets that a view has over the trips of its loops, at least the smallest and largest."""
    offset = view.offset
    if not isinstance(offset, AffineExpr):
        return [offset]
    if not view.space.on_chip:  # there are no partitions that a view could leave in between
        return sorted(offset.bounds())
    return sorted(offset.distinct(ENUMERATED) or offset.bounds())


def _places(view: View) -> list[int]:
    """Of the offsets of a rolled view, one for every partition that it can start in."""
    row = view.row if view.space.on_chip else 0
    if not row:
        return _offsets(view)[:1]
    return list({offset // row: offset for offset in reversed(_offsets(view))}.values())[::-1]


def _at(view: View, offset: int) -> View:
    return changed(view, offset=offset)


def _key(value: object) -> object:
    """What the rules may depend on in an operand or attribute."""
    if isinstance(value, View):
        if value.index is not None:
            return object()  # like no other: rules depend on where its indices are
        return (signature(value), value.tensor.kind)
    if isinstance(value, tuple):
        return tuple(map(_key, value))
    return (value.__class__, value)
