"""Activation: BIR has a number `scale` as an attribute; a vector follows the other operands."""

from __future__ import annotations

from typing import Final

from opennki.birpy import Instruction
from opennki.ir import Inst, View
from opennki.isa.activate2 import Activate2
from opennki.isa.activation import ActivationAccumulationOp, ActivationOp
from opennki.isa.enums import ActFunc, AluOp, ReduceCmd
from opennki.lower.table import Attrs, Fields, Rule


def _attrs(inst: ActivationOp | ActivationAccumulationOp) -> Attrs:
    command = inst.reduce_cmd if isinstance(inst, ActivationOp) else ReduceCmd.ZeroAccumulate
    return {
        "func": inst.op,
        "acc": command,
        "scale": _number(inst),
        "alpha": inst.alpha,
        "reduce_op": inst.reduce_op,
    }


def _number(inst: ActivationOp | ActivationAccumulationOp) -> float:
    return 1.0 if isinstance(inst.scale, View) else float(inst.scale)


def _key(inst: ActivationOp | ActivationAccumulationOp) -> str:
    return repr(_number(inst))  # tells 0.0 from -0.0


def _lift(inst: Instruction, fields: Fields) -> Fields:
    attrs = inst.attrs
    if fields["scale"] is None:
        fields["scale"] = attrs["scale"]
    return fields | {
        "op": attrs.get("func", ActFunc.Identity),
        "reduce_cmd": attrs.get("acc", ReduceCmd.Idle),
        "alpha": attrs["alpha"],
        "reduce_op": attrs.get("reduce_op", AluOp.bypass),
    }


def _class(inst: Instruction) -> type[Inst]:
    """Which of the calls this is.

    Raises: KeyError for settings of the one in the other, which have no meaning.
    """
    attrs = inst.attrs
    two = bool(attrs.get("is_activate2", False))
    own = {"scale": 1.0, "alpha": 0.0} if two else _NO_OPERATIONS
    for name, value in own.items():
        if attrs.get(name, value) != value:
            raise KeyError(name)
    return Activate2 if two else ActivationOp


_NO_OPERATIONS: Final[Attrs] = {
    "op0": AluOp.bypass, "op1": AluOp.bypass, "reverse0": False, "reverse1": False,
}  # fmt: skip


def _inputs(inst: ActivationOp | ActivationAccumulationOp) -> tuple[object, ...]:
    if not isinstance(inst.scale, View):
        return inst.data, inst.bias, None
    absent = -0.0  # what changes no sum: 0.0 would make 0.0 of -0.0
    return inst.data, absent if inst.bias is None else inst.bias, inst.scale


RULES: Final[dict[type[Inst], Rule]] = {
    cls: Rule(
        ins=("data", "bias", "scale"),
        inputs=_inputs,
        attrs=_attrs,
        key=_key,
        lift=_lift,
        means=_class,
    )
    for cls in (ActivationOp, ActivationAccumulationOp)
}
