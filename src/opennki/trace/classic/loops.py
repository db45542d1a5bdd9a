"""Loops whose body is traced once: `affine_range` and `sequential_range`.

The body of ``for i in nl.affine_range(n)`` runs with an index that stands for all trips. Where the
trace has to know more than that (a mask that cuts the last trip, ``i % 2``), it narrows the loop:
the body that is being traced then stands for the first of the trips only, and Python gets another
index for those that are left. So a loop of n trips becomes a few loops that together have n.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from opennki.base.affine import AffineExpr, LoopVar
from opennki.base.codes import NKI1007, NKI1091, NKI1096
from opennki.base.diag import problem
from opennki.base.loc import SrcLoc
from opennki.ir import Inst, Space, Tensor, View
from opennki.penguin import Loop, LoopKind
from opennki.penguin.substitute import copy_of
from opennki.trace.fault import fault
from opennki.trace.names import assigned_name
from opennki.trace.nki_ctx import nki_ctx
from opennki.trace.plain import plain_int, shown

from .directives import directed
from .index import IndexExpr, as_expr
from .narrowing import put_in
from .overwrites import Writes
from .rebinding import check_rebound, tiles_of
from .sums import Sums


@dataclass
class Open:
    """A loop whose body is being traced: its statement, and the trips that it stands for now."""

    loop: Loop
    var: LoopVar
    stop: int
    resume: Any

    @property
    def last(self) -> int:
        """The index in the last trip."""
        return range(self.var.start, self.stop, self.var.step)[-1]

    @property
    def left(self) -> LoopVar:
        """The index over the trips that the body stands for now."""
        return LoopVar(self.var.name, self.var.start, self.stop, self.var.step)


@dataclass(eq=False)
class Body:
    """One pass of Python through the body of a loop, whose tiles are gone when it ends.

    Attributes: name, of the loop's variable; kind; loc, of the loop; trips, of the whole loop;
    writes, what the trips of the loop have written so far; opened, the rolled loop that the pass is
    of, None for a pass that is one trip; first, where in the statements around it that trip begins;
    born, tensors that were made in it.
    """

    name: str
    kind: LoopKind
    loc: SrcLoc
    trips: int
    writes: Writes
    opened: Open | None = None
    first: int = 0
    born: list[Tensor] = field(default_factory=list)


class SymbolicLoops:
    """What a trace of the first generation remembers.

    Attributes: open, the rolled loops whose body is being traced, by the name of their index;
    bodies, all loops whose body is being traced, innermost last; homes, the body that a tensor was
    made in; products, the instruction of every product by its result; added, the products that
    went into a sum instead, with the statements that they are in; sums, what products have written
    in PSUM; masked, what of a result was computed under a mask; filled,
    tensors in PSUM that something else than products wrote; idle, loops without a trip: their
    variables and places.
    """

    def __init__(self, ctx: Any) -> None:
        self._ctx = ctx
        self.open: dict[str, Open] = {}
        self.bodies: list[Body] = []
        self.homes: dict[Tensor, Body] = {}
        self.products: dict[Tensor, Inst] = {}
        self.added: dict[Tensor, tuple[Inst, list[Any]]] = {}
        self.masked: dict[Tensor, Any] = {}
        self.filled: set[Tensor] = set()
        self.sums = Sums(ctx.builder, self)
        self._told: set[tuple[Tensor, SrcLoc]] = set()
        self.idle: list[tuple[str, SrcLoc]] = []

    def made(self, tensor: Tensor) -> None:
        """A tensor is made in the innermost body."""
        body = self.bodies[-1]
        if tensor.space is Space.shared_hbm:
            facts = {"name": tensor.name, "loop": body.name, "line": body.loc.line}
            raise fault(NKI1096, **facts)
        self.homes[tensor] = body
        body.born.append(tensor)

    def uses(self, tensor: Tensor) -> None:
        """Something uses `tensor`: a product that was added elsewhere is needed by itself, too."""
        added = self.added.pop(tensor, None)
        if added is None:
            return
        inst, scope = added
        again = copy_of(inst, {name: getattr(inst, name) for name in inst.spec.order})
        self._ctx.builder.repeat(scope, inst, again, View.whole(tensor))
        tensor.revive()
        self._ctx.function.tensors[tensor.name] = tensor

    def gone(self, tensor: Tensor) -> dict[str, object]:
        """What is said of a tensor that is used after the body that made it."""
        body, at = self.homes[tensor], tensor.loc
        stem, _, number = tensor.name.rpartition(".")
        name = stem if number.isdecimal() else tensor.name
        return {"name": name, "loop": body.name, "made": at.line, "line": body.loc.line}

    def around(self, tensor: Tensor) -> list[Body]:
        """The open bodies, outermost first, all of whose trips see this same tensor."""
        home = self.homes.get(tensor)
        return self.bodies if home is None else self.bodies[self.bodies.index(home) + 1 :]

    def span(self, var: LoopVar) -> tuple[int, int]:
        """The index in the first and in the last trip that `var` stands for now."""
        opened = self.open.get(var.name)
        if opened is None:
            return var.start, var.values()[-1]
        return opened.var.start, opened.last

    def now(self, base: int | AffineExpr) -> int | AffineExpr:
        """`base` with loop indices that know to which trips their loops are narrowed."""
        if isinstance(base, int):
            return base
        total: int | AffineExpr = base.const
        for var, coeff in base.terms:
            opened = self.open.get(var.name)
            if opened is not None and opened.stop != var.stop:
                var = opened.left
            total = AffineExpr.of(var, coeff) + total
        return total

    def trips(self, name: str) -> int:
        """How many trips the loop stands for now."""
        return self.open[name].left.trips

    def alone(self, name: str) -> int:
        """Narrow a loop to its first trip; the index in it."""
        opened = self.open[name]
        self.keep(name, 1)
        return opened.var.start

    def keep(self, name: str, trips: int) -> None:
        """Narrow a loop to its first `trips` trips."""
        opened = self.open[name]
        stop = opened.var.start + trips * opened.var.step
        opened.stop = min(opened.stop, stop) if opened.var.step > 0 else max(opened.stop, stop)

    def run(self, kind: LoopKind, trips: range) -> Iterator[IndexExpr]:
        """Trace the body for `trips`: once, or as often as it is narrowed."""
        name, loc, writes = assigned_name() or "i", self._ctx.loc(), Writes()
        total = len(trips)
        if not trips:
            self.idle.append((name, loc))
        while trips:
            body = Body(name, kind, loc, total, writes)
            index = self._begin(body, trips)
            frame = sys._getframe(1)
            before = tiles_of(frame)
            try:
                yield index
                check_rebound(frame, before, body)
            except GeneratorExit:  # `break` or `return`, in the first of the trips
                if body.opened is not None:
                    self.alone(body.opened.var.name)
                raise
            finally:
                self._end(body)
            trips = trips[body.opened.left.trips if body.opened is not None else 1 :]

    def _begin(self, body: Body, trips: range) -> IndexExpr:
        """Open a loop over `trips`, or none for the first of them; the index in it."""
        ctx = self._ctx
        self.bodies.append(body)
        if len(trips) == 1 or not ctx.builder.rolled or ctx.stepper is not None:
            body.first = len(ctx.builder.scope)
            return IndexExpr(trips[0])
        var = LoopVar(ctx.unique(body.name), trips.start, trips.stop, trips.step)
        loop = Loop(body.kind, var, [], body.loc)
        body.opened = Open(loop, var, trips.stop, ctx.builder.open_loop(loop, known=True))
        self.open[var.name] = body.opened
        return IndexExpr(AffineExpr.of(var))

    def _end(self, body: Body) -> None:
        """End a body; that of one trip takes the place of its loop. Its tiles are gone."""
        while self.bodies.pop() is not body:
            pass
        statements = self._ctx.builder.scope[body.first :]
        if body.opened is not None:
            statements = body.opened.loop.body
            self._close_loop(body.opened)
        for tensor in body.born:
            tensor.retire()
            self.products.pop(tensor, None)
        if body.trips > 1 and body.kind is LoopKind.affine:
            var = None if body.opened is None else body.opened.left
            for inst, tensor in body.writes.repeated(var, statements):
                if (tensor, inst.loc) in self._told:
                    continue
                self._told.add((tensor, inst.loc))
                found = problem(
                    NKI1091, loop=body.name, line=body.loc.line, trips=body.trips,
                    name=tensor.name,
                )  # fmt: skip
                self._ctx.report(found, inst.loc, inst)

    def _close_loop(self, opened: Open) -> None:
        ctx, loop, left = self._ctx, opened.loop, opened.left
        del self.open[opened.var.name]
        self.sums.closed(left)
        if left != opened.var:
            loop.var = left
            put_in(loop.body, left.name, left.start if left.trips == 1 else AffineExpr.of(left))
        ctx.builder.close_loop(loop, opened.resume)
        if left.trips == 1:
            scope = ctx.builder.scope
            assert scope.pop() is loop
            scope += loop.body


def affine_range(
    *args: Any, directives: Any = None, precise_schedule: Any = False
) -> Iterator[IndexExpr]:
    """``for i in nl.affine_range(n)``: trips that do not depend on each other; traced once.

    Args: directives, `nki.compiler.no_reorder()`; precise_schedule, whether it is meant.
    """
    fn = "nl.affine_range"
    return directed(fn, _run(fn, LoopKind.affine, args), directives, bool(precise_schedule))


def sequential_range(*args: Any, directives: Any = None) -> Iterator[IndexExpr]:
    """``for i in nl.sequential_range(n)``: trips in order; traced once."""
    fn = "nl.sequential_range"
    return directed(fn, _run(fn, LoopKind.sequential, args), directives)


def _run(fn: str, kind: LoopKind, args: tuple[Any, ...]) -> Iterator[IndexExpr]:
    ctx: Any = nki_ctx(fn)
    numbers = []
    for value in args:
        found = as_expr(value)
        if found is None or not 1 <= len(args) <= 3:
            raise fault(
                NKI1007, name="args", fn=fn, expected="one to three integers", got=shown(value)
            )
        numbers.append(found.concrete(f"a bound of {fn}"))
    if len(numbers) == 3 and plain_int(numbers[2]) == 0:
        raise fault(NKI1007, name="step", fn=fn, expected="an integer other than 0", got="0")
    loops: SymbolicLoops = ctx.symbolic
    return loops.run(kind, range(*numbers))
