"""`KlrCodegen`: the forward builder of the second road. Makes KLR statements; checks nothing.

A statement is made when its call is traced. When the record is complete, and its order settled,
`finish` lays the statements out in blocks (`klr_layout`), and `assemble` makes one kernel of the
programs of a launch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count
from types import CodeType
from typing import Any, ClassVar, Final

from opennki import klr
from opennki.base.loc import UNKNOWN, SrcLoc, current
from opennki.ir import Inst, Record, Recorded, View
from opennki.target import Target

from .codegen import Codegen
from .klr_emit import EMITTERS
from .klr_layout import Layout
from .klr_places import Places, tensor_name


@dataclass
class Body:
    """What one program of a launch becomes.

    Attributes: blocks; edges, between statements of this program; constants, contents by name;
    tensors, the descriptions that statements share; statements, that of every instruction.
    """

    blocks: list[klr.Block]
    edges: list[klr.Edges]
    constants: dict[str, Any]
    tensors: list[klr.TensorName]
    statements: dict[Inst, klr.Stmt] = field(default_factory=dict)


class KlrCodegen(Codegen):
    """Builds one KLR body beside the record.

    Attributes: places; statements, the operator of every instruction.
    """

    penguin: ClassVar[bool] = False

    def __init__(self, function: Record[Recorded], kernel_code: CodeType | None = None) -> None:
        super().__init__(function, kernel_code)
        self.places = Places(function.core)
        self.statements: dict[Inst, klr.Stmt] = {}

    @classmethod
    def begin(
        cls, name: str, target: Target, place: tuple[int, int], kernel_code: CodeType | None
    ) -> KlrCodegen:
        """A builder of a new body; `place` is its core and how many there are."""
        return cls(Record(name, target, *place), kernel_code)

    def add_named_instruction(self, inst: Inst) -> Inst:
        """Append `inst` with the user's current location, and make its statement; returns it."""
        inst.loc = current(self.kernel_code, 2)
        self._append(inst)
        self.state(inst)
        if inst.name is not None:
            self.named.setdefault(inst.name, inst)
        if self.observer is not None:
            self.observer(inst)
        return inst

    def state(self, inst: Inst) -> None:
        """Make the statement of an instruction."""
        operator = EMITTERS[type(inst)](inst, self.places)
        self.statements[inst] = klr.Stmt(operator, inst.name, position(inst.loc), inst.loc)

    def _product(self, inst: Any) -> Inst:
        """Append a product; KLR says only what the author says about accumulation."""
        asked = inst.accumulate
        made = super()._product(inst)
        if asked is not None:
            product: Any = self.statements[inst].op.args
            product.accumulate = ASKED[asked]
        return made

    def redirect(self, inst: Any, dst: View, accumulate: bool | None) -> None:
        """As in the record; which of the products overwrite is found from KLR."""
        super().redirect(inst, dst, accumulate)
        self.state(inst)

    def repeat(self, scope: list[Any], inst: Any, again: Any, dst: View) -> None:
        """As in the record."""
        super().repeat(scope, inst, again, dst)
        self.state(again)

    def finish(self) -> Body:
        """The body: blocks, edges between statements, and the constants that they read."""
        laid = Layout(self.function, self.statements)
        blocks = laid.blocks()
        edges = laid.edges()
        tensors = [*self.places.tensors.values()]
        return Body(blocks, edges, self.places.constants, tensors, self.statements)


ASKED: Final = {True: klr.Accumulation.accumulate, False: klr.Accumulation.overwrite}
"""What `accumulate` of a product, if it is given, is in KLR."""


def position(loc: SrcLoc) -> klr.Pos:
    """Where a statement comes from: the innermost line of the user."""
    if loc is UNKNOWN or not loc.line:
        return klr.Pos(0)
    end = loc.end_col or None
    return klr.Pos(loc.line, loc.col, loc.line if end else None, end, loc.file)


def assemble(programs: Sequence[tuple[Record[Any], Body]]) -> klr.LncKernel:
    """The kernel of a launch, whose programs have these records and bodies.

    A result that each core names differently has the name that the first core gives it: statements
    of every core mean that tensor.
    """
    record, _ = programs[0]
    for other, body in programs[1:]:
        _rename_results(record, other, body)
    inputs = [tensor_name(record.tensors[name]) for name in record.args]
    outputs = [tensor_name(record.tensors[name]) for name in record.results]
    constants: dict[str, Any] = {}
    shared: dict[str, klr.TensorName] = {}
    edges: list[klr.Edges] = []
    for core, (_, body) in enumerate(programs):
        constants.update(body.constants)
        shared.update({t.name: t for t in body.tensors if t.address.isShared})
        edges += [_of_core(edge, core if len(programs) > 1 else None) for edge in body.edges]
    ends = {t.name for t in (*inputs, *outputs)}
    kernel = klr.LncKernel(
        record.name, inputs, outputs, [body.blocks for _, body in programs],
        [klr.SharedConstantFile(name, "") for name in constants],
        [t for name, t in shared.items() if name not in ends], merged(edges, len(programs)),
    )  # fmt: skip
    kernel.constants = constants
    return kernel


def _of_core(edge: klr.Edges, core: int | None) -> klr.Edges:
    return klr.Edges(edge.fromEdge, list(edge.toEdges), core)


def merged(edges: Sequence[klr.Edges], cores: int) -> list[klr.Edges]:
    """Edges that every core has, once and for all of them; others say whose they are."""
    counts: dict[tuple[str, tuple[str, ...]], int] = {}
    for edge in edges:
        key = (edge.fromEdge, tuple(edge.toEdges))
        counts[key] = counts.get(key, 0) + 1
    made, seen = [], set()
    for edge in edges:
        key = (edge.fromEdge, tuple(edge.toEdges))
        if edge.core is None or counts[key] < cores:
            made.append(edge)
        elif key not in seen:
            seen.add(key)
            made.append(klr.Edges(edge.fromEdge, list(edge.toEdges)))
    return made


def _rename_results(first: Record[Any], other: Record[Any], body: Body) -> None:
    """Give the results of another core the names that those of the first one have.

    What is private to that core and has one of these names gets one of the compiler's.
    """
    names = dict(zip(other.results, first.results, strict=True))
    differing = {old: new for old, new in names.items() if old != new}
    if not differing:
        return
    free = (name for n in count() if (name := f".own.{n}") not in other.tensors)
    for name in [t.name for t in body.tensors if t.name in differing.values()]:
        differing.setdefault(name, next(free))
    for tensor in body.tensors:
        if tensor.name in differing:
            assert not tensor.address.isShared, "shared ones have one name"
            tensor.address.name = tensor.name = differing[tensor.name]
    for block in body.blocks:
        block.begins = [differing.get(name, name) for name in block.begins]
