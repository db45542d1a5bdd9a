"""DMA transfers that compute: sums on the way, and rows that are changed in place."""

from __future__ import annotations

from opennki.base.codes import (
    NKI2106,
    NKI2117,
    NKI2124,
    NKI2301,
    NKI2309,
    NKI2310,
)
from opennki.base.diag import Problems, problem
from opennki.base.dtypes import ALL, PACKED, names
from opennki.ir import ANYWHERE, Inst, Space, View, attr, inputs, instruction, out
from opennki.ir.scalar import Array
from opennki.target import SUNDA, Target

from .alu import ALU
from .dma import gather_problems, service_problems
from .enums import AluOp, DgeMode, Engine, OobMode


@instruction(
    "dma_compute", emit="dma_compute", bir="DMACopy", klr="DmaCompute", owner=False,
    engines=(Engine.SP, Engine.POOL), since=SUNDA,
)  # fmt: skip
class DMACompute(Inst):
    """Add `srcs` element by element, in float32 and in their order, on the way to `dst`.

    ``dst = srcs[0] * scales[0] + srcs[1] * scales[1] + ...``; elements are taken in row-major order
    and shapes may differ, counts may not. So far the hardware takes no other operator than add, and
    no other scale than 1. All sides are in HBM or SBUF.

    With a vector of run-time indices it changes rows in place: `dst` selects rows of a tensor in
    HBM and is one of two `srcs` as well (scatter), or `dst` is in SBUF, one of the two `srcs` is
    `dst` and the other one selects rows (gather). Rows must be different (`unique_indices`). With
    `oob_mode` skip rows outside of the tensor change nothing.

    Source: NKI ISA reference, dma_compute.
    """

    engine_offered = False

    dst: View = out(ANYWHERE, "...")
    srcs: tuple[View, ...] = inputs(ANYWHERE, "...", 16)
    reduce_op: AluOp = attr(AluOp, bir="cce_op")
    scales: tuple[float, ...] | None = attr(tuple, None, optional=True, bir="constants")
    unique_indices: bool = attr(bool, True, bir="")
    oob_mode: OobMode = attr(OobMode, OobMode.error)

    def default_engine(self, t: Target) -> Engine:
        """GpSimd, which makes descriptors at run time, for rows that indices select."""
        return Engine.POOL if self._vector() else Engine.SP

    def _vector(self) -> bool:
        return any(view.index is not None and view.index.vector for _, view in self.views())

    def check(self, t: Target) -> Problems:
        for operand, view in self.views():
            if view.tensor.space is Space.psum:
                yield problem(NKI2301, operand=operand.name)
            elif view.size != self.dst.size:
                yield problem(NKI2310, operand=operand.name, got=view.size, want=self.dst.size)
            if view.dtype in PACKED:
                yield problem(
                    NKI2106, operand=operand.name, got=view.dtype, inst=self.spec.label,
                    target=t.title, allowed=names(frozenset(ALL) - PACKED),
                )  # fmt: skip
        yield from self._value_problems()
        views = tuple(view for _, view in self.views())
        yield from service_problems(self, self.oob_mode, None)
        yield from gather_problems(self, views, DgeMode.unknown, t)
        if any(view.index is not None for view in views):
            yield from self._rows_problems()

    def _value_problems(self) -> Problems:
        count, label = len(self.srcs), self.spec.label
        if self.reduce_op is not AluOp.add:
            yield problem(NKI2117, op=_shown(self.reduce_op), inst=label, allowed="nl.add")
        if self.scales is not None and self.scales != (1.0,) * count:
            ones = f"None or {count} times 1.0"
            yield problem(NKI2124, name="scales", got=self.scales, allowed=ones, inst=label)
        if not self.unique_indices:
            yield problem(NKI2124, name="unique_indices", got=False, allowed="True", inst=label)

    def _rows_problems(self) -> Problems:
        """Rows that are changed in place."""
        why = ""
        others = [view for view in self.srcs if not View.__eq__(view, self.dst)]
        if not all(v.index is None or v.index.vector for _, v in self.views()):
            why = "one run-time index for a whole view is not possible"
        elif len(self.srcs) != 2 or len(others) != 1:
            why = "it needs two srcs, of which one is dst"
        elif self.dst.index is not None and others[0].space is not Space.sbuf:
            why = f"what is added to rows in HBM is in {others[0].space}, not in sbuf"
        elif self.dst.index is None and self.dst.space is not Space.sbuf:
            why = f"what rows are added to is in {self.dst.space}, not in sbuf"
        if why:
            yield problem(NKI2309, why=why)

    def placed(self, valid: Array) -> Array:
        """Which elements of `dst` receive the elements of a source that are marked."""
        return valid.reshape(self.dst.shape)

    def sem(self, srcs: list[Array]) -> Array:
        total = srcs[0].reshape(-1)
        for more in srcs[1:]:
            total = total + more.reshape(-1)
        return total


def _shown(op: AluOp) -> str:
    return getattr(ALU.get(op), "nki", "") or op.name
