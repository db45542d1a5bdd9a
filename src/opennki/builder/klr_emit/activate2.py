"""Functions of the scalar engine with two operations before them."""

from __future__ import annotations

from typing import Any, Final

from opennki import klr
from opennki.builder.klr_places import DTYPES, Places, named
from opennki.isa.activate2 import Activate2

from .activation import FUNCTIONS


def _activate2(inst: Activate2, at: Places) -> klr.Operator:
    args = klr.Activate2(
        at.view(inst.dst), at.view(inst.data), named(klr.AluOp, inst.op0),
        named(klr.AluOp, inst.op1), at.operand(inst.imm0), at.operand(inst.imm1),
        FUNCTIONS[inst.op], at.operand(inst.relu_param), named(klr.AluOp, inst.reduce_op),
        at.optional(inst.reduce_res), named(klr.AccumCmd, inst.reduce_cmd), inst.reverse0,
        inst.reverse1, DTYPES[inst.dst.dtype],
    )  # fmt: skip
    return klr.Operator("activate2", args)


EMITTERS: Final[dict[type, Any]] = {Activate2: _activate2}
