"""DMA transfers between memories: the copy that moves whole tensors and tiles."""

from __future__ import annotations

from opennki.base.codes import (
    NKI2113,
    NKI2124,
    NKI2126,
    NKI2301,
    NKI2302,
    NKI2303,
    NKI2304,
)
from opennki.base.diag import Problems, problem
from opennki.ir import ANYWHERE, Inst, Read, Space, View, attr, inp, instruction, out
from opennki.ir.scalar import Array
from opennki.target import CAYMAN, COREV4, SUNDA, Target

from .enums import DgeMode, Engine, OobMode
from .opcheck import packed_problems

PRIORITIES = range(4)
"""Levels of service; 0 is served first."""


@instruction(
    "dma_copy", emit="dma_copy", bir="DMACopy", klr="NcDmaCopy",
    engines=(Engine.SP, Engine.ACT, Engine.POOL), since=SUNDA,
)  # fmt: skip
class DMACopyOp(Inst):
    """Copy `src` to `dst` element by element in row-major order; the shapes may differ.

    Bits are kept when the dtypes are equal; otherwise every element goes through float32. Either
    side is in HBM or SBUF. The engine is the one whose queue starts the transfer: descriptors of
    `hwdge` are made by the sync or scalar engine's hardware, those of `swdge` by GpSimd. A lower
    `priority` is served first.

    `engine_given` says that the author named the engine, which only `hwdge` allows. Every view is
    direct here, so no index can be out of bounds and `oob_mode` has nothing to skip.

    Source: NKI ISA reference, dma_copy.
    """

    dst: View = out(ANYWHERE, "...")
    src: View = inp(ANYWHERE, "...")
    priority: int | None = attr(int, None, optional=True, since=dict.fromkeys(PRIORITIES, COREV4))
    oob_mode: OobMode = attr(OobMode, OobMode.error)
    dge_mode: DgeMode = attr(DgeMode, DgeMode.unknown, since={DgeMode.hwdge: CAYMAN})
    engine_given: bool = attr(bool, False, bir="", surface=False)

    def default_engine(self, t: Target) -> Engine:
        """GpSimd for software descriptors, the sync engine for all others."""
        return Engine.POOL if self.dge_mode is DgeMode.swdge else Engine.SP

    def prepare(self, t: Target) -> None:
        """Remember whether the author chose the engine."""
        self.engine_given = self.engine is not None

    def check(self, t: Target) -> Problems:
        for name, view in (("dst", self.dst), ("src", self.src)):
            if view.tensor.space is Space.psum:
                yield problem(NKI2301, operand=name)
        if self.dst.size != self.src.size:
            yield problem(NKI2126, dst=self.dst.size, src=self.src.size)
        yield from packed_problems(self, "src")
        yield from self._descriptor_problems()
        if self.oob_mode is OobMode.skip:
            yield problem(NKI2304)
        if self.priority is not None and self.priority not in PRIORITIES:
            yield problem(
                NKI2124, name="priority", got=self.priority, allowed="0, 1, 2, 3",
                inst=self.spec.label,
            )  # fmt: skip

    def _descriptor_problems(self) -> Problems:
        mode, engine = self.dge_mode, self.engine
        if mode is not DgeMode.hwdge and self.engine_given:
            yield problem(NKI2303, engine=engine.nki, mode=mode)
            return
        if mode is DgeMode.hwdge and self.dst.dtype != self.src.dtype:
            yield problem(NKI2302, src_dtype=self.src.dtype, dst_dtype=self.dst.dtype)
        allowed = _QUEUES.get(mode)
        if allowed is not None and engine is not None and engine not in allowed:
            yield problem(
                NKI2113, inst=self.spec.label, got=engine.nki,
                allowed=", ".join(e.nki for e in allowed), why=f"dge_mode is {mode}",
            )  # fmt: skip

    def read_mode(self) -> Read:
        """Bits when the dtypes are equal, float32 otherwise."""
        return Read.RAW if self.dst.dtype == self.src.dtype else Read.F32

    def sem(self, src: Array) -> Array:
        return src


_QUEUES = {DgeMode.hwdge: (Engine.SP, Engine.ACT), DgeMode.swdge: (Engine.POOL,)}
