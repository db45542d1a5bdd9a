"""Matrix products and transposes. What `accumulate` is given as, `KlrCodegen` adds."""

from __future__ import annotations

from typing import Any, Final

from opennki import klr
from opennki.builder.klr_places import DTYPES, ENGINES, Places
from opennki.isa.enums import MatmulPerfMode
from opennki.isa.matmul import MatMulOp
from opennki.isa.mx import MatMulMXOp, QuantizeMXOp
from opennki.isa.transpose import TransposeOp

_PERF: Final = {
    MatmulPerfMode.NONE: klr.MatmulPerfMode.None_,
    MatmulPerfMode.DOUBLE_ROW: klr.MatmulPerfMode.DoubleRow,
}  # fmt: skip


def _matmul(inst: MatMulOp, at: Places) -> klr.Operator:
    args = klr.NcMatMul(
        at.view(inst.dst), at.view(inst.stationary), at.view(inst.moving),
        inst.is_stationary_onezero, inst.is_moving_onezero, inst.is_transpose,
        list(inst.tile_position), list(inst.tile_size), _PERF[inst.perf_mode],
    )  # fmt: skip
    return klr.Operator("ncMatMul", args)


def _matmul_mx(inst: MatMulMXOp, at: Places) -> klr.Operator:
    position, size = inst.tile_position, inst.tile_size
    args = klr.MatMulMX(
        at.view(inst.dst), at.view(inst.stationary), at.view(inst.moving),
        at.view(inst.stationary_scale), at.view(inst.moving_scale),
        None if position is None else list(position), None if size is None else list(size),
    )  # fmt: skip
    return klr.Operator("ncMatMulMX", args)


def _quantize(inst: QuantizeMXOp, at: Places) -> klr.Operator:
    args = klr.QuantizeMX(at.view(inst.dst), at.view(inst.src), at.view(inst.dst_scale))
    return klr.Operator("quantizeMX", args)


def _transpose(inst: TransposeOp, at: Places) -> klr.Operator:
    dtype, engine = DTYPES[inst.dst.dtype], ENGINES[inst.engine]
    args = klr.Transpose(at.view(inst.dst), at.view(inst.data), dtype, engine)
    return klr.Operator("transpose", args)


EMITTERS: Final[dict[type, Any]] = {
    MatMulOp: _matmul, MatMulMXOp: _matmul_mx, QuantizeMXOp: _quantize, TransposeOp: _transpose,
}  # fmt: skip
