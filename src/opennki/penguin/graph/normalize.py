"""Graph ops that bring rows to a common scale: softmax and RMS normalisation."""

from __future__ import annotations

import numpy as np

from opennki.base.codes import NKI2804
from opennki.base.diag import Problems, problem
from opennki.ir import HBM, View, attr, inp, instruction, out
from opennki.ir.scalar import Array
from opennki.target import Target

from .op import CALL, ENGINES, FLOATS, GraphOp, Shape


@instruction(emit="softmax", bir=CALL, engines=ENGINES, owner=False)
class SoftmaxOp(GraphOp):
    """``dst = exp(src - max(src)) / sum(exp(src - max(src)))`` along `axis`.

    Source: Penguin, "Builder tier A" (SoftmaxOp). Model: its attribute, one axis.
    """

    dst: View = out(HBM, "...", FLOATS)
    src: View = inp(HBM, "...", FLOATS)
    axis: int = attr(int, -1)

    @classmethod
    def result_shapes(cls, *operands: Shape) -> tuple[Shape, ...]:
        """That of `src`."""
        return (operands[0],)

    def check(self, t: Target) -> Problems:
        """`dst` is like `src`, which has the axis."""
        yield from self.has_rank("src", 1)
        yield from self.has_shape("dst", tuple(self.src.shape), "`src`")
        yield from self.has_one_dtype()
        rank = len(self.src.shape)
        if not -rank <= self.axis < rank:
            allowed = f"{-rank} to {rank - 1}"
            yield problem(NKI2804, name="axis", op="softmax", got=self.axis, allowed=allowed)

    def sem(self, src: Array) -> Array:
        """The formula of the class."""
        powers = np.exp(src - src.max(axis=self.axis, keepdims=True))
        made: Array = powers / powers.sum(axis=self.axis, keepdims=True)
        return made


@instruction(emit="rms_norm", bir=CALL, engines=ENGINES, owner=False)
class RmsNormOp(GraphOp):
    """``dst = src / sqrt(mean(src ** 2) + eps) * weight`` along the last dimension.

    Source: Penguin, "Builder tier A" (RmsNormOp). Model: its operands and attribute.
    """

    dst: View = out(HBM, "...", FLOATS)
    src: View = inp(HBM, "...", FLOATS)
    weight: View = inp(HBM, "...", FLOATS)
    eps: float = attr(float, 1e-6)

    @classmethod
    def result_shapes(cls, *operands: Shape) -> tuple[Shape, ...]:
        """That of `src`."""
        return (operands[0],)

    def check(self, t: Target) -> Problems:
        """`dst` is like `src`, `weight` like a row of it; `eps` is no negative number."""
        yield from self.has_rank("src", 1)
        yield from self.has_shape("dst", tuple(self.src.shape), "`src`")
        yield from self.has_shape("weight", tuple(self.src.shape[-1:]), "the last size of `src`")
        yield from self.has_one_dtype()
        if not 0 <= self.eps < np.inf:
            allowed = "a finite number that is 0 or more"
            yield problem(NKI2804, name="eps", op="rms_norm", got=self.eps, allowed=allowed)

    def sem(self, src: Array, weight: Array) -> Array:
        """The formula of the class."""
        mean = np.mean(src * src, axis=-1, keepdims=True, dtype=np.float32)
        made: Array = src / np.sqrt(mean + np.float32(self.eps)) * weight
        return made
