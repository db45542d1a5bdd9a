"""Functions of the scalar engine: BIR's Activation, with a number `scale` as its attribute."""

from __future__ import annotations

from typing import Any, Final

from opennki import klr
from opennki.base.dtypes import float32
from opennki.birpy import Argument, Immediate, Instruction
from opennki.isa.enums import AluOp, Engine
from opennki.lower.beta2.enums import ALU, FUNCTIONS
from opennki.lower.beta2.site import Site

from .operands import command, single

_NO_BIAS: Final = Immediate(float32, -0.0)
"""What changes no sum: 0.0 would make 0.0 of -0.0."""


def _activate(op: klr.NcActivate, at: Site) -> Instruction:
    """Raises: NKI4501 for a scale that is a number but no float, and for two biases."""
    scale = 1.0
    operands = [at.view(op.src)]
    bias = _bias(op, at)
    if isinstance(op.scale, klr.Tile):
        ins: list[Argument] = [*operands, bias or _NO_BIAS, at.single(op.scale.t)]
    else:
        assert isinstance(op.scale, klr.Imm), "the only other constructor"
        scale = at.number(op.scale.i, "scale of activation")
        ins = [*operands, bias] if bias is not None else [*operands]
    outs = [at.view(op.dst), *single(at, op.reduceRes)]
    attrs = {
        "func": FUNCTIONS[op.activationFunc],
        "acc": command(op.accumulatorCmd, at),
        "scale": scale,
        "alpha": op.alpha,
        "reduce_op": AluOp.bypass if op.reduceOp is None else ALU[op.reduceOp],
    }
    return at.make("Activation", Engine.ACT, ins, outs, attrs)


def _bias(op: klr.NcActivate, at: Site) -> Argument | None:
    """The tile or the number that is added; none is added without both."""
    if op.bias is None:
        return None if op.biasImm is None else at.immediate(op.biasImm)
    if op.biasImm is not None:
        raise at.unsupported("activation", "bias and biasImm")
    return at.single(op.bias)


def _activation_reduce(op: klr.NcActivate, at: Site) -> Instruction:
    """Operators besides add are those of later devices; BIR names them all.

    Raises: NKI4501 without an operator.
    """
    if op.reduceOp is None:
        raise at.unsupported("reduceOp of activationReduce", "none")
    return _activate(op, at)


RULES: Final[dict[str, Any]] = {
    "ncActivate": _activate, "activationReduce": _activation_reduce,
}  # fmt: skip
