"""Lays the statements of a kernel out in KLR blocks: regions, and run-time loops as branches.

KLR has no loop. A loop over ``start, start + step, ...`` below ``stop`` becomes (`counter` and
`limit` are registers of the compiler's, the limit one only if the author's stop is a register)::

    B1: ... counter = start; limit = stop + 0; goto B2
    B2: if counter >= limit goto B4 else B3
    B3: index = counter + 0; <body>; counter = counter + step; goto B2
    B4: ...

and ``while condition`` the same without counters, its test being ``condition == 0``. A region whose
order is kept is a block of its own. Source: KLR abstract syntax, "Containers": a branch ends its
block; Model: which blocks a loop has.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from typing import Any

from opennki import klr
from opennki.base.loc import SrcLoc
from opennki.ir import (
    DynamicLoop,
    Inst,
    Record,
    Region,
    RunTimeLoop,
    Tensor,
    While,
    renewed,
)


class Layout:
    """Lays out one kernel.

    Args: record, in its final order; statements of its instructions.
    """

    def __init__(self, record: Record[Any], statements: Mapping[Inst, klr.Stmt]) -> None:
        self._record = record
        self._statements = statements
        self._labels = count(1)
        self._taken = {*record.tensors, *(i.name for i in record.instructions() if i.name)}
        self._blocks: list[klr.Block] = []
        self._open(self._label())

    def blocks(self) -> list[klr.Block]:
        """The blocks, entry first."""
        self._lay(self._record.body)
        return self._blocks

    def edges(self) -> list[klr.Edges]:
        """The explicit edges; statements that they name get a name if they have none."""
        made: dict[str, klr.Edges] = {}
        for inst in self._record.instructions():
            for producer in inst.after:
                earlier, later = self._named(producer), self._named(inst)
                edge = made.setdefault(earlier, klr.Edges(earlier, []))
                edge.toEdges.append(later)
        return list(made.values())

    def _named(self, inst: Inst) -> str:
        stmt = self._statements[inst]
        if stmt.name is None:
            stmt.name = self._fresh("edge")
        return stmt.name

    def _fresh(self, stem: str) -> str:
        """A name that nothing has; the author's names never begin with a dot."""
        for number in count():
            name = f".{stem}.{number}"
            if name not in self._taken:
                self._taken.add(name)
                return name
        raise AssertionError("numbers do not end")

    # ---- blocks ------------------------------------------------------------------------------

    def _label(self) -> str:
        return f"Block{next(self._labels)}"

    def _open(self, label: str, *, ordered: bool = False) -> None:
        self._block = klr.Block(label, ordered, [])
        self._blocks.append(self._block)

    def _go(self, label: str, loc: SrcLoc) -> None:
        """End the open block by a jump."""
        self._branch(klr.BrCmpOp.always, "", "", 0, (label, ""), loc)

    def _branch(
        self, op: klr.BrCmpOp, left: str, right: str, number: int, to: tuple[str, str], loc: SrcLoc
    ) -> None:
        self._add("cmpBranch", klr.CmpBranch(left, right, number, op, *to), loc)

    def _add(self, kind: str, args: klr.Node, loc: SrcLoc) -> None:
        where = klr.Pos(loc.line, filename=loc.file) if loc.line else klr.Pos(0)
        self._block.body.append(klr.Stmt(klr.Operator(kind, args), None, where, loc))

    def _lay(self, body: list[Any]) -> None:
        for item in body:
            if isinstance(item, Inst):
                self._block.body.append(self._statements[item])
            elif isinstance(item, Region):
                self._region(item)
            elif isinstance(item, DynamicLoop):
                self._counted(item)
            else:
                self._while(item)

    def _region(self, region: Region) -> None:
        """A block that keeps its order; a region in a region is part of it."""
        if self._block.noReorder:
            self._lay(region.body)
            return
        inside, after = self._label(), self._label()
        self._go(inside, region.loc)
        self._open(inside, ordered=True)
        self._lay(region.body)
        self._go(after, region.loc)
        self._open(after)

    def _counted(self, loop: DynamicLoop) -> None:
        loc, index = loop.loc, loop.register.name
        counter = self._fresh("counter")
        self._set(counter, loop.start, loc)
        limit = ""
        if isinstance(loop.stop, Tensor):
            limit = self._fresh("limit")
            self._set(limit, loop.stop, loc)
        head, inside, after = self._label(), self._label(), self._label()
        self._go(head, loc)
        self._open(head)
        op = klr.BrCmpOp.ge_reg if limit else klr.BrCmpOp.ge_imm
        number = 0 if isinstance(loop.stop, Tensor) else loop.stop
        self._branch(op, counter, limit, number, (after, inside), loc)
        self._body(inside, loop)
        self._add("registerAluOp", klr.RegisterAluOp(index, counter, 0, klr.AluOp.add), loc)
        self._lay(loop.body)
        step = klr.RegisterAluOp(counter, counter, loop.step, klr.AluOp.add)
        self._add("registerAluOp", step, loc)
        self._go(head, loc)
        self._open(after)

    def _while(self, loop: While) -> None:
        loc = loop.loc
        head, inside, after = self._label(), self._label(), self._label()
        self._go(head, loc)
        self._open(head)
        condition = loop.condition.name
        self._branch(klr.BrCmpOp.eq_imm, condition, "", 0, (after, inside), loc)
        self._body(inside, loop)
        self._lay(loop.body)
        self._go(head, loc)
        self._open(after)

    def _body(self, label: str, loop: RunTimeLoop) -> None:
        self._open(label)
        self._block.begins = [tensor.name for tensor in renewed(loop)]

    def _set(self, register: str, value: int | Tensor, loc: SrcLoc) -> None:
        """Set a register to a number, or to what another one holds now."""
        if isinstance(value, Tensor):
            copy = klr.RegisterAluOp(register, value.name, 0, klr.AluOp.add)
            self._add("registerAluOp", copy, loc)
        else:
            self._add("registerMove", klr.RegisterMove(register, value), loc)
