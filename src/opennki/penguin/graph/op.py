"""`GraphOp`: what an operator of a graph is as a statement of Penguin, and its shape rules.

A graph op is declared like an instruction, by operands, attributes, `check` and `sem`, so that
printer, parser, verifier and interpreter of Penguin know it. Its operands are views of tensors in
HBM of any size. No engine runs it: BIR has a call of a kernel in its place.
"""

from __future__ import annotations

from typing import Any, Final

from opennki.base import dtypes
from opennki.base.codes import NKI2801, NKI2802, NKI2803
from opennki.base.diag import Problems, problem
from opennki.ir import Inst, View
from opennki.isa.enums import Engine

FLOATS: Final = frozenset({dtypes.float32, dtypes.bfloat16, dtypes.float16})
"""Dtypes of graph ops. Model: those that every engine computes with."""

ENGINES: Final = (Engine.UNASSIGNED,)
"""What a call of a kernel says in the place of an engine."""

CALL: Final = "NKIKernel"
"""Opcode that a graph op lowers to. Source: Penguin, "Internal kernel registry"."""

Shape = tuple[int, ...]


class GraphOp(Inst):
    """One operator of a graph.

    `sem` computes in float32; each result is rounded to its dtype when it is stored, and nothing
    before it is.
    """

    __slots__ = ()
    module = "penguin.graph"
    engine_offered = False

    @classmethod
    def result_shapes(cls, *operands: Shape) -> tuple[Shape, ...]:
        """Shapes of the results of an op on operands of these shapes, which keep its rules."""
        raise NotImplementedError(cls.__name__)

    def default_engine(self, t: Any) -> Any:
        """None: the kernel that is called chooses engines."""
        return None

    def operand_views(self) -> tuple[View, ...]:
        """The operands that are read, in order of declaration."""
        return tuple(getattr(self, o.name) for o in self.spec.ins)

    def result_views(self) -> tuple[View, ...]:
        """The operands that are written, in order of declaration."""
        return tuple(getattr(self, o.name) for o in self.spec.outs)

    def attributes(self) -> dict[str, object]:
        """The attributes by name."""
        return {a.name: getattr(self, a.name) for a in self.spec.attrs}

    # ---- rules -------------------------------------------------------------------------------

    def has_rank(self, name: str, least: int, most: int | None = None) -> Problems:
        """That an operand has `least` to `most` dimensions, with None `least` or more."""
        rank = len(getattr(self, name).shape)
        if rank >= least and (most is None or rank <= most):
            return
        allowed = str(least) if most == least else f"{least} or more"
        if most is not None and most > least:
            allowed = f"{least} to {most}"
        yield problem(NKI2801, operand=name, op=self.spec.label, got=rank, allowed=allowed)

    def has_shape(self, name: str, want: Shape, why: str = "") -> Problems:
        """That an operand has exactly this shape, which follows from what `why` names."""
        got = tuple(getattr(self, name).shape)
        if got != want:
            reason = f", as {why} says" if why else ""
            facts = {"op": self.spec.label, "got": got, "want": want, "why": reason}
            yield problem(NKI2802, operand=name, **facts)

    def has_one_dtype(self) -> Problems:
        """That all operands have the dtype of the first that is read."""
        (first, view), *_ = [(o.name, getattr(self, o.name)) for o in self.spec.ins]
        for operand, other in self.views():
            if other.dtype != view.dtype:
                facts = {"got": other.dtype, "other": first, "want": view.dtype}
                yield problem(NKI2803, operand=operand.name, op=self.spec.label, **facts)
