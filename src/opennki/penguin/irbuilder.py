"""`IRBuilder`: appends to a function from outside of a trace, block by block.

It is the tier above `opennki.builder`, which has one method per instruction: here instructions are
values, and a block is a place to put them. Tensors and instructions are checked for what would make
the function ambiguous; everything else is up to `verify`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from opennki.base.affine import LoopVar
from opennki.base.codes import NKI4004, NKI4005
from opennki.base.diag import fail
from opennki.base.loc import UNKNOWN, SrcLoc
from opennki.base.text import nearest
from opennki.ir import DynamicLoop, Inst, Region, Role, Tensor, View, While

from .function import Function, Loop, LoopKind, Statement
from .graph import GraphBuilder


class IRBuilder(GraphBuilder):
    """Builds one `Function`, of instructions and of graph ops.

    Attributes: function; block, the statement list that is appended to; loc, the location that
    appended instructions get when they have none.
    """

    def __init__(self, function: Function, loc: SrcLoc = UNKNOWN) -> None:
        self.function = function
        self.block: list[Statement] = function.body
        self.loc = loc

    def tensor(self, tensor: Tensor) -> View:
        """Register `tensor` and return the view that covers it.

        Inputs become arguments and outputs results, in the order in which they are registered.
        Raises: NKI4004 when its name is taken.
        """
        function = self.function
        if tensor.name in function.tensors:
            raise fail(NKI4004, tensor.loc, kind="tensor", name=tensor.name)
        function.tensors[tensor.name] = tensor
        if tensor.role is Role.input:
            function.args.append(tensor.name)
        elif tensor.role is Role.output:
            function.results.append(tensor.name)
        return View.whole(tensor)

    def insert(self, op: Statement) -> Statement:
        """Append an instruction, a loop or a region to the current block; returns it.

        Raises: as `insert_inst` does for every instruction in it.
        """
        if isinstance(op, Inst):
            return self.insert_inst(op)
        if isinstance(op, DynamicLoop | While):
            for tensor in (*op.registers(), *op.new):
                self._known(tensor, op.loc)
        with self._into(self.create_bb()) as body:
            for item in op.body:
                self.insert(item)
        op.body = body
        self.block.append(op)
        return op

    def insert_inst(self, inst: Inst) -> Inst:
        """Append a new instruction to the current block.

        Its attributes are brought into their normal form; it gets an engine and a location if it
        has none.

        Raises: NKI4005 when an operand is no tensor of the function.
        """
        target = self.function.target
        if inst.loc is UNKNOWN:
            inst.loc = self.loc
        for _, view in inst.views():
            self._known(view.tensor, inst.loc)
        for view in inst.index_views():
            self._known(view.tensor, inst.loc)
        inst.prepare(target)
        if inst.engine is None:
            inst.engine = inst.default_engine(target)
        for view in inst.writes():
            view.tensor.written = True
        self.block.append(inst)
        return inst

    def _known(self, tensor: Tensor, loc: SrcLoc) -> None:
        known = self.function.tensors
        if known.get(tensor.name) is not tensor:
            close = nearest(tensor.name, known)
            raise fail(NKI4005, loc, kind="tensor", name=tensor.name, close=close)

    def create_bb(self) -> list[Statement]:
        """A new, empty block that is not in the function yet."""
        return []

    @contextmanager
    def loop(self, kind: LoopKind, var: LoopVar) -> Iterator[LoopVar]:
        """Append a loop; what is inserted meanwhile becomes its body."""
        made = Loop(kind, var, self.create_bb(), self.loc)
        self.block.append(made)
        with self._into(made.body):
            yield var

    @contextmanager
    def dynamic(self, loop: DynamicLoop | While) -> Iterator[None]:
        """Append a run-time loop; what is inserted meanwhile becomes its body.

        Raises: NKI4005 when a register or tensor of it is not the function's.
        """
        for tensor in (*loop.registers(), *loop.new):
            self._known(tensor, loop.loc)
        self.block.append(loop)
        with self._into(loop.body):
            yield

    @contextmanager
    def no_reorder(self) -> Iterator[None]:
        """Append a region; what is inserted meanwhile becomes its body and keeps its order."""
        made = Region(self.create_bb(), self.loc)
        self.block.append(made)
        with self._into(made.body):
            yield

    @contextmanager
    def _into(self, block: list[Statement]) -> Iterator[list[Statement]]:
        outer, self.block = self.block, block
        try:
            yield block
        finally:
            self.block = outer
