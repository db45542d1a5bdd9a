"""Running sums, products and extremes."""

from __future__ import annotations

from typing import Any, Final

from opennki import klr
from opennki.builder.klr_places import DTYPES, Places, named
from opennki.isa.cumulative import TensorScalarCacheCumulative

from .elementwise import reversed_operands


def _cumulative(inst: TensorScalarCacheCumulative, at: Places) -> klr.Operator:
    args = klr.TensorScalarCumulative(
        at.view(inst.dst), at.view(inst.src), named(klr.AluOp, inst.op0),
        named(klr.AluOp, inst.op1), at.operand(inst.imm0), at.optional_operand(inst.imm1),
        named(klr.AccumCmd, inst.reduce_cmd), reversed_operands(inst.reverse0, False),
        DTYPES[inst.dst.dtype],
    )  # fmt: skip
    return klr.Operator("tensorScalarCumulative", args)


EMITTERS: Final[dict[type, Any]] = {TensorScalarCacheCumulative: _cumulative}
