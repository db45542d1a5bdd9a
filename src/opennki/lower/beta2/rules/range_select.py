"""Selection by the index of an element, whose maximum is a second result."""

from __future__ import annotations

from typing import Any, Final

from opennki import klr
from opennki.birpy import Instruction
from opennki.isa.enums import AluOp, Engine
from opennki.lower.beta2.enums import ALU
from opennki.lower.beta2.site import Site

from .operands import command, single


def _range_select(op: klr.NcRangeSelect, at: Site) -> Instruction:
    """Without an operator it is the maximum. Source: KLR lowering, front-end rules."""
    attrs = {
        "base": _first(op.rangeStart, at),
        "compare_op0": ALU[op.compOp0],
        "compare_op1": ALU[op.compOp1],
        "reduce_op": AluOp.max if op.reduceOp is None else ALU[op.reduceOp],
        "reduce_cmd": command(op.reduceCommand, at),
        "fill_value": at.immediate(op.onFalseValue).value,
    }
    ins = single(at, op.onTrueTile, op.bound0, op.bound1)
    return at.make("RangeSelect", Engine.DVE, ins, single(at, op.dst, op.reduceRes), attrs)


def _first(start: klr.Immediate, at: Site) -> int:
    """The first index. Raises: NKI4501 for a number that is no integer."""
    value = at.immediate(start).value
    if not float(value).is_integer():
        raise at.unsupported("rangeStart", str(value))
    return int(value)


RULES: Final[dict[str, Any]] = {"ncRangeSelect": _range_select}
