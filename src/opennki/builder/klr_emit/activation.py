"""Functions of the scalar engine with scale and bias."""

from __future__ import annotations

from typing import Any, Final

from opennki import klr
from opennki.builder.klr_places import DTYPES, Places, immediate, named
from opennki.ir import View
from opennki.isa.activation import ActivationAccumulationOp, ActivationOp
from opennki.isa.enums import ActFunc, AluOp


def _function(func: ActFunc) -> klr.ActivationFunc:
    """``Exp`` is exp, ``Derivative_Erf`` erf_dx; the logarithm has a name of its own."""
    if func is ActFunc.Ln:
        return klr.ActivationFunc.log
    name = func.name.lower()
    stem = name.removeprefix("derivative_")
    return klr.ActivationFunc[stem if stem == name else f"{stem}_dx"]


FUNCTIONS: Final = {func: _function(func) for func in ActFunc}


def _activation(inst: ActivationOp, at: Places) -> klr.Operator:
    command = named(klr.AccumCmd, inst.reduce_cmd)
    return klr.Operator("ncActivate", _activate(inst, command, at))


def _activation_reduce(inst: ActivationAccumulationOp, at: Places) -> klr.Operator:
    return klr.Operator("activationReduce", _activate(inst, klr.AccumCmd.ZeroAccumulate, at))


def _activate(
    inst: ActivationOp | ActivationAccumulationOp, command: klr.AccumCmd, at: Places
) -> klr.NcActivate:
    """A number as scale is a float, as KLR wants it; one as bias is beyond what is published."""
    scale, bias = inst.scale, inst.bias
    number = None if bias is None or isinstance(bias, View) else immediate(bias)
    return klr.NcActivate(
        at.view(inst.dst), at.view(inst.data), command, FUNCTIONS[inst.op],
        at.operand(scale if isinstance(scale, View) else float(scale)),
        at.view(bias) if isinstance(bias, View) else None,
        None if inst.reduce_op is AluOp.bypass else named(klr.AluOp, inst.reduce_op),
        at.optional(inst.reduce_res), DTYPES[inst.dst.dtype], biasImm=number, alpha=inst.alpha,
    )  # fmt: skip


EMITTERS: Final[dict[type, Any]] = {
    ActivationOp: _activation, ActivationAccumulationOp: _activation_reduce,
}  # fmt: skip
