"""nonzero_with_count and topk: BIR has their numbers as int32 operands, and topk no opcode."""

from __future__ import annotations

from typing import Final

from opennki.base.dtypes import int32
from opennki.birpy import Immediate, Instruction
from opennki.ir import Inst
from opennki.isa.sparse import NonzeroWithCount, TopK
from opennki.lower.table import Attrs, Fields, Rule


def _nonzero_inputs(inst: NonzeroWithCount) -> tuple[object, ...]:
    return inst.src, Immediate(int32, inst.index_offset), Immediate(int32, inst.padding_val)


def _topk_inputs(inst: TopK) -> tuple[object, ...]:
    return inst.src, Immediate(int32, inst.n)


def _topk_attrs(inst: TopK) -> Attrs:
    return {"opFunctionName": "topk", "is_builtin": True}


def _custom_class(inst: Instruction) -> type[Inst]:
    """Raises: KeyError for an operation that is not built in, or not here."""
    named = inst.attrs["opFunctionName"], inst.attrs.get("is_builtin", False)
    return {("topk", True): TopK}[named]  # type: ignore[index]  # a string and a bool


def _lift(inst: Instruction, fields: Fields) -> Fields:
    """Raises: KeyError unless what follows `src` are int32 numbers, as many as there must be."""
    dtypes = [n.dtype for n in inst.ins[1:] if isinstance(n, Immediate)]
    if dtypes != [int32] * _NUMBERS[inst.opcode] or len(inst.ins) != 1 + len(dtypes):
        raise KeyError("int32")
    return fields


_NUMBERS: Final = {"NonzeroWithCount": 2, "CustomOp": 1}
"""How many of them each opcode has."""


RULES: Final[dict[type[Inst], Rule]] = {
    NonzeroWithCount: Rule(
        ins=("src", "index_offset", "padding_val"), inputs=_nonzero_inputs, lift=_lift
    ),
    TopK: Rule(
        ins=("src", "n"), inputs=_topk_inputs, attrs=_topk_attrs, lift=_lift, means=_custom_class
    ),
}
