"""Functions with two operations before them: a form of BIR's Activation."""

from __future__ import annotations

from typing import Any, Final

from opennki import klr
from opennki.birpy import Instruction
from opennki.isa.enums import Engine
from opennki.lower.beta2.enums import ALU, FUNCTIONS
from opennki.lower.beta2.site import Site

from .operands import command, single


def _activate2(op: klr.Activate2, at: Site) -> Instruction:
    """Neither the number `scale` nor the slope is used: both are operands here."""
    attrs = {
        "is_activate2": True,
        "func": FUNCTIONS[op.activationFunc],
        "op0": ALU[op.op0],
        "op1": ALU[op.op1],
        "reverse0": op.reverse0,
        "reverse1": op.reverse1,
        "reduce_op": ALU[op.reduceOp],
        "acc": command(op.reduceCmd, at),
        "scale": 1.0,
        "alpha": 0.0,
    }
    outs = [at.view(op.dst), *single(at, op.reduceRes)]
    ins = [at.view(op.src), *at.operands([op.imm0, op.imm1, op.reluParam])]
    return at.make("Activation", Engine.ACT, ins, outs, attrs)


RULES: Final[dict[str, Any]] = {"activate2": _activate2}
