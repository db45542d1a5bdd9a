"""DMA: copies, transposes, and sums."""

from __future__ import annotations

from typing import Any, Final

from opennki import klr
from opennki.builder.klr_places import DTYPES, ENGINES, Places, named
from opennki.isa.dma import DMACopyOp, DMATranspose
from opennki.isa.dma_compute import DMACompute
from opennki.isa.enums import DgeMode, Engine, OobMode

DGE: Final = {DgeMode.unknown: 0, DgeMode.swdge: 1, DgeMode.hwdge: 2, DgeMode.none: 3}
"""Who writes descriptors, as the number that KLR has for it. Source: KLR lowering, dgeMode."""


def bounds(mode: OobMode) -> klr.DmaBounds:
    """What an index outside of its tensor does."""
    return klr.Skip() if mode is OobMode.skip else klr.Error()


def _copy(inst: DMACopyOp, at: Places) -> klr.Operator:
    args = klr.NcDmaCopy(
        at.view(inst.dst), at.view(inst.src), klr.DgeComputeOp.none, bounds(inst.oob_mode),
        DGE[inst.dge_mode], True, inst.priority, ENGINES[inst.engine],
    )  # fmt: skip
    return klr.Operator("ncDmaCopy", args)


def _transpose(inst: DMATranspose, at: Places) -> klr.Operator:
    args = klr.DmaTranspose(
        at.view(inst.dst), at.view(inst.src), klr.TransposeOps.XZYW, DTYPES[inst.dst.dtype],
        DGE[inst.dge_mode], bounds(inst.oob_mode), inst.priority,
    )  # fmt: skip
    return klr.Operator("dmaTranspose", args)


def _compute(inst: DMACompute, at: Places) -> klr.Operator:
    scales: list[klr.Immediate] = [
        klr.FloatImm(float(s)) for s in inst.scales or (1.0,) * len(inst.srcs)
    ]
    vector = any(v.index is not None and v.index.vector for _, v in inst.views())
    usual = Engine.POOL if vector else Engine.SP
    args = klr.DmaCompute(
        at.view(inst.dst), at.views(inst.srcs), scales, named(klr.AluOp, inst.reduce_op),
        bounds(inst.oob_mode), None if inst.engine is usual else ENGINES[inst.engine],
    )  # fmt: skip
    return klr.Operator("dmaCompute", args)


EMITTERS: Final[dict[type, Any]] = {
    DMACopyOp: _copy, DMATranspose: _transpose, DMACompute: _compute,
}  # fmt: skip
