"""Running sums, products and extremes."""

from __future__ import annotations

from typing import Any, Final

from opennki import klr
from opennki.birpy import Instruction
from opennki.birpy.enums import TSCMode
from opennki.isa.enums import Engine
from opennki.lower.beta2.enums import ACCUMULATE, ALU, REVERSED
from opennki.lower.beta2.site import Site


def _cumulative(op: klr.TensorScalarCumulative, at: Site) -> Instruction:
    """Raises: NKI4501 where the second operator is reversed, which NKI has not."""
    first, second = REVERSED[op.reverse]
    if second:
        raise at.unsupported("reverse of tensorScalarCumulative", op.reverse.klr)
    attrs = {
        "op0": ALU[op.op0], "op1": ALU[op.op1], "reverse0": first,
        "acc": ACCUMULATE[op.reduceCmd], "mode": TSCMode.Cumulative,
    }  # fmt: skip
    ins = [at.view(op.src), *at.operands([op.imm0, op.imm1])]
    return at.make("TensorScalarCache", Engine.DVE, ins, [at.view(op.dst)], attrs)


RULES: Final[dict[str, Any]] = {"tensorScalarCumulative": _cumulative}
