"""DMA: copies, transposes and sums are modes of BIR's DMACopy."""

from __future__ import annotations

from typing import Any, Final

from opennki import klr
from opennki.birpy import AccessPattern, Instruction
from opennki.birpy.enums import CopyMode, QosClass, TransposeOp
from opennki.isa.enums import DgeMode, Engine
from opennki.lower.beta2.enums import ALU, DGE, ENGINES
from opennki.lower.beta2.site import Site


def _shared(op: Any, at: Site) -> dict[str, object]:
    """Bounds, descriptors and priority. Raises: NKI4501 for bounds in a register."""
    if not 0 <= op.dgeMode < len(DGE):
        raise at.unsupported("dgeMode", str(op.dgeMode))
    return {
        "oob_is_err": _is_error(op.oobMode, at),
        "dge_type": DGE[op.dgeMode],
        "dma_qos": service_class(op.priority, at),
    }


def _is_error(bounds: klr.DmaBounds, at: Site) -> bool:
    if isinstance(bounds, klr.RegBounds):
        raise at.unsupported("oobMode", f"register {bounds.reg}")
    return not isinstance(bounds, klr.Skip)


def service_class(priority: int | None, at: Site) -> QosClass:
    """Class of service of a priority. Raises: NKI4501 for one that there is not."""
    if priority is None:
        return QosClass.Unassigned
    name = f"P{priority}"
    if name not in QosClass.__members__:
        raise at.unsupported("priority", str(priority))
    return QosClass[name]


def _copy(op: klr.NcDmaCopy, at: Site) -> Instruction:
    if op.compute_op is not klr.DgeComputeOp.none or not op.uniqueIndices:
        raise at.unsupported("DMA compute_op", op.compute_op.klr)
    attrs = _shared(op, at) | {"mode": CopyMode.Copy}
    return at.make("DMACopy", ENGINES[op.engine], [at.view(op.src)], [at.view(op.dst)], attrs)


def _transpose(op: klr.DmaTranspose, at: Site) -> Instruction:
    """Whatever `axes` says, four dimensions are permuted by XZYW."""
    attrs = _shared(op, at) | {"mode": CopyMode.Transpose, "transpose_op": TransposeOp.XZYW}
    src, dst = _four(at.view(op.src)), _four(at.view(op.dst))
    return at.make("DMACopy", Engine.POOL, [src], [dst], attrs)


def _four(access: AccessPattern) -> AccessPattern:
    """`access` with pairs of count 1 after its first, of which XZYW keeps the place."""
    ones = ((1, 1),) * (4 - len(access.ap))
    ap = (access.ap[0], *ones, *access.ap[1:])
    return AccessPattern(access.memloc, access.offset, ap, access.dtype, access.index)


def _compute(op: klr.DmaCompute, at: Site) -> Instruction:
    srcs, dst = at.views(op.srcs), at.view(op.dst)
    if op.reduceOp is not klr.AluOp.add:
        raise at.unsupported("reduce op of dma_compute", op.reduceOp.klr)
    rows = any(access.index is not None for access in (*srcs, dst))
    attrs = {
        "mode": CopyMode.CCE,
        "cce_op": ALU[op.reduceOp],
        "constants": tuple(at.number(s, "scale of dma_compute") for s in op.scales),
        "oob_is_err": _is_error(op.oobMode, at),
        "dge_type": DgeMode.swdge if rows else DgeMode.none,
    }
    vector = any(a.index is not None and a.index.vector for a in (*srcs, dst))
    usual = Engine.POOL if vector else Engine.SP
    engine = usual if op.engine is None else ENGINES[op.engine]
    return at.make("DMACopy", engine, srcs, [dst], attrs)


RULES: Final[dict[str, Any]] = {
    "ncDmaCopy": _copy, "dmaTranspose": _transpose, "dmaCompute": _compute,
}  # fmt: skip
