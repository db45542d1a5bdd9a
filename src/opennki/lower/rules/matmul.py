"""Matrix products and transposes: both are Matmult on the PE array."""

from __future__ import annotations

from typing import Any, Final

from opennki.birpy import Instruction
from opennki.ir import Inst
from opennki.isa.enums import MatmulPerfMode
from opennki.isa.matmul import MatMulOp
from opennki.lower.table import Attrs, Fields, Rule

_UNTILED: Final = (-1, -1)


def _attrs(inst: MatMulOp) -> Attrs:
    attrs: Attrs = {
        "is_transpose": inst.is_transpose,
        "is_fmap_onezero": inst.is_moving_onezero,
        "is_weight_onezero": inst.is_stationary_onezero,
        "tile_size": inst.tile_size or _UNTILED,
        "tile_position": inst.tile_position or _UNTILED,
        "perf_mode": inst.perf_mode,
    }
    if inst.accumulate is not None:
        attrs["opennki_accumulate"] = inst.accumulate
    return attrs


def _lift(inst: Instruction, fields: Fields) -> Fields:
    attrs = inst.attrs
    size: Any = attrs.get("tile_size", _UNTILED)
    position: Any = attrs.get("tile_position", _UNTILED)
    return fields | {
        "is_stationary_onezero": attrs.get("is_weight_onezero", False),
        "is_moving_onezero": attrs.get("is_fmap_onezero", False),
        "is_transpose": attrs.get("is_transpose", False),
        "accumulate": attrs.get("opennki_accumulate"),
        "tile_position": () if position == _UNTILED else position,
        "tile_size": () if size == _UNTILED else size,
        "perf_mode": attrs.get("perf_mode", MatmulPerfMode.NONE),
    }


RULES: Final[dict[type[Inst], Rule]] = {
    MatMulOp: Rule(ins=("moving", "stationary"), attrs=_attrs, lift=_lift)
}
