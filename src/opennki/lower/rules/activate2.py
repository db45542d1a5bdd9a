"""activate2: a form of BIR's Activation, without its number `scale` and its slope."""

from __future__ import annotations

from typing import Final

from opennki.ir import Inst
from opennki.isa.activate2 import Activate2
from opennki.lower.table import Attrs, Rule


def _attrs(inst: Activate2) -> Attrs:
    return {
        "func": inst.op,
        "acc": inst.reduce_cmd,
        "scale": 1.0,
        "alpha": 0.0,
        "is_activate2": True,
        "op0": inst.op0,
        "op1": inst.op1,
        "reverse0": inst.reverse0,
        "reverse1": inst.reverse1,
        "reduce_op": inst.reduce_op,
    }


RULES: Final[dict[type[Inst], Rule]] = {Activate2: Rule(attrs=_attrs)}
