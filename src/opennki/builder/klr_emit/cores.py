"""What the two cores of a logical core do together.

A transfer by GpSimd's own DMA is a `sendRecv` that uses it, also where an instruction says nothing
about ranks: there the other core is meant.
"""

from __future__ import annotations

from typing import Any, Final

from opennki import klr
from opennki.builder.klr_places import ENGINES, Places
from opennki.isa.cores import CoreBarrierOp, GpSimdSwapOp, SendRecvOp
from opennki.isa.enums import DmaEngine


def _barrier(inst: CoreBarrierOp, at: Places) -> klr.Operator:
    args = klr.CoreBarrier(at.view(inst.data), list(inst.cores), ENGINES[inst.engine], inst.id)
    return klr.Operator("coreBarrier", args)


def _send_receive(inst: SendRecvOp, at: Places) -> klr.Operator:
    args = klr.SendRecv(
        at.view(inst.dst), at.view(inst.src), klr.IntImm(inst.send_to_rank),
        klr.IntImm(inst.recv_from_rank), klr.IntImm(inst.pipe_id),
        inst.dma_engine is DmaEngine.gpsimd_dma,
    )  # fmt: skip
    return klr.Operator("sendRecv", args)


def _swap(inst: GpSimdSwapOp, at: Places) -> klr.Operator:
    other = klr.IntImm(1 - at.core)
    args = klr.SendRecv(
        at.view(inst.dst), at.view(inst.src), other, other, klr.IntImm(inst.pipe_id), True
    )
    return klr.Operator("sendRecv", args)


EMITTERS: Final[dict[type, Any]] = {
    CoreBarrierOp: _barrier, SendRecvOp: _send_receive, GpSimdSwapOp: _swap,
}  # fmt: skip
