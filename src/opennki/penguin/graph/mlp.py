"""The graph op of a gated two-layer perceptron."""

from __future__ import annotations

from typing import Final

from opennki.base.codes import NKI2804
from opennki.base.diag import Problems, problem
from opennki.ir import HBM, View, attr, inp, instruction, out
from opennki.ir.scalar import Array
from opennki.isa.act import ACT
from opennki.isa.enums import ActFunc
from opennki.target import Target

from .op import CALL, ENGINES, FLOATS, GraphOp, Shape

GATES: Final = (
    ActFunc.Silu, ActFunc.Gelu, ActFunc.Gelu_apprx_tanh, ActFunc.Gelu_apprx_sigmoid, ActFunc.Relu,
    ActFunc.Sigmoid,
)  # fmt: skip
"""Functions that a gate may apply."""


@instruction(emit="mlp", bir=CALL, engines=ENGINES, owner=False)
class MlpOp(GraphOp):
    """``dst = (activation(src @ gate) * (src @ up)) @ down`` on the last dimension.

    `src` and `dst` are (..., tokens, hidden), `gate` and `up` (hidden, inner), `down` (inner,
    hidden).

    Source: Penguin, "ISA instruction classes" (TiledNativeKernel, variant MLP). Model: its operands
    and attribute.
    """

    dst: View = out(HBM, "...", FLOATS)
    src: View = inp(HBM, "...", FLOATS)
    gate: View = inp(HBM, "...", FLOATS)
    up: View = inp(HBM, "...", FLOATS)
    down: View = inp(HBM, "...", FLOATS)
    activation: ActFunc = attr(ActFunc, ActFunc.Silu)

    @classmethod
    def result_shapes(cls, *operands: Shape) -> tuple[Shape, ...]:
        """That of `src`, with the last size of `down`."""
        src, _, _, down = operands
        return ((*src[:-1], *down[-1:]),)

    def check(self, t: Target) -> Problems:
        """The shapes fit as the class says; the activation is one of `GATES`."""
        found = [*self.has_rank("src", 2)]
        found += [p for name in ("gate", "up", "down") for p in self.has_rank(name, 2, 2)]
        yield from found
        if found:
            return
        hidden, inner = self.src.shape[-1], self.gate.shape[1]
        yield from self.has_shape("gate", (hidden, inner), "the last size of `src`")
        yield from self.has_shape("up", (hidden, inner), "`gate`")
        yield from self.has_shape("down", (inner, hidden), "`gate`")
        yield from self.has_shape("dst", tuple(self.src.shape), "`src`")
        yield from self.has_one_dtype()
        if self.activation not in GATES:
            allowed = ", ".join(gate.name for gate in GATES)
            got = self.activation
            yield problem(NKI2804, name="activation", op="mlp", got=got, allowed=allowed)

    def sem(self, src: Array, gate: Array, up: Array, down: Array) -> Array:
        """The formula of the class."""
        made: Array = (ACT[self.activation].fn(src @ gate) * (src @ up)) @ down
        return made
