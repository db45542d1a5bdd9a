"""Matrix products and transposes: all are forms of Matmult on the PE array."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from opennki.birpy import OPCODES, Instruction
from opennki.ir import Inst
from opennki.isa.enums import MatmulPerfMode
from opennki.isa.matmul import MatMulOp
from opennki.isa.mx import MatMulMXOp
from opennki.lower.table import Attrs, Fields, Rule

_UNTILED: Final = (-1, -1)


def _attrs(inst: MatMulOp) -> Attrs:
    return _shared(inst) | {
        "is_transpose": inst.is_transpose,
        "is_fmap_onezero": inst.is_moving_onezero,
        "is_weight_onezero": inst.is_stationary_onezero,
        "perf_mode": inst.perf_mode,
    }


def _shared(inst: MatMulOp | MatMulMXOp) -> Attrs:
    """What every product has."""
    attrs: Attrs = {
        "tile_size": inst.tile_size or _UNTILED,
        "tile_position": inst.tile_position or _UNTILED,
    }
    if inst.accumulate is not None:
        attrs["opennki_accumulate"] = inst.accumulate
    return attrs


def _lift(inst: Instruction, fields: Fields) -> Fields:
    _meaningless(inst, "replication_", "ifmap_quant", "weights_quant")
    attrs = inst.attrs
    return _lift_shared(attrs, fields) | {
        "is_stationary_onezero": attrs.get("is_weight_onezero", False),
        "is_moving_onezero": attrs.get("is_fmap_onezero", False),
        "is_transpose": attrs.get("is_transpose", False),
        "perf_mode": attrs.get("perf_mode", MatmulPerfMode.NONE),
    }


def _lift_mx(inst: Instruction, fields: Fields) -> Fields:
    _meaningless(inst, "replication_", "ifmap_quant", "weights_quant", "is_", "perf_mode")
    return _lift_shared(inst.attrs, fields)


def _meaningless(inst: Instruction, *prefixes: str) -> None:
    """Refuse attributes that the op table has no field for, unless they have their default.

    Raises: KeyError.
    """
    kept = OPCODES[inst.opcode].canonical(inst.attrs)
    for key in kept:
        if key.startswith(prefixes):
            raise KeyError(key)


def _lift_shared(attrs: Mapping[str, object], fields: Fields) -> Fields:
    size: Any = attrs.get("tile_size", _UNTILED)
    position: Any = attrs.get("tile_position", _UNTILED)
    return fields | {
        "accumulate": attrs.get("opennki_accumulate"),
        "tile_position": () if position == _UNTILED else position,
        "tile_size": () if size == _UNTILED else size,
    }


_MX_INS: Final = ("moving", "stationary", "moving_scale", "stationary_scale")

RULES: Final[dict[type[Inst], Rule]] = {
    MatMulOp: Rule(ins=("moving", "stationary"), attrs=_attrs, lift=_lift),
    MatMulMXOp: Rule(ins=_MX_INS, attrs=_shared, lift=_lift_mx),
}
