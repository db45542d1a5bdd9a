"""DMA: NKI's priority is BIR's class of service, `oob_mode` is `oob_is_err`."""

from __future__ import annotations

from typing import Final

from opennki.birpy import Instruction
from opennki.birpy.enums import CopyMode, QosClass
from opennki.ir import Inst
from opennki.isa.dma import DMACopyOp
from opennki.isa.enums import DgeMode, OobMode
from opennki.lower.table import Attrs, Fields, Rule

_CLASSES: Final = {None: QosClass.Unassigned} | {n: QosClass[f"P{n}"] for n in range(4)}


def _attrs(inst: DMACopyOp) -> Attrs:
    return {
        "mode": CopyMode.Copy,
        "oob_is_err": inst.oob_mode is OobMode.error,
        "dge_type": inst.dge_mode,
        "dma_qos": _CLASSES[inst.priority],
    }


def _lift(inst: Instruction, fields: Fields) -> Fields:
    attrs = inst.attrs
    qos = attrs.get("dma_qos", QosClass.Unassigned)
    return fields | {
        "priority": next(n for n, c in _CLASSES.items() if c is qos),
        "oob_mode": OobMode.error if attrs.get("oob_is_err", True) else OobMode.skip,
        "dge_mode": attrs.get("dge_type", DgeMode.unknown),
    }


RULES: Final[dict[type[Inst], Rule]] = {DMACopyOp: Rule(attrs=_attrs, lift=_lift)}
