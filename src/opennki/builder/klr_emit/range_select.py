"""Selection by the index of an element."""

from __future__ import annotations

from typing import Any, Final

from opennki import klr
from opennki.builder.klr_places import DTYPES, Places, immediate, named
from opennki.isa.range_select import RangeSelect


def _range_select(inst: RangeSelect, at: Places) -> klr.Operator:
    """The first index is a float, as the published default; float32 has every one there is."""
    args = klr.NcRangeSelect(
        at.view(inst.dst), named(klr.AccumCmd, inst.reduce_cmd), at.optional(inst.reduce_res),
        named(klr.AluOp, inst.reduce_op), named(klr.AluOp, inst.comp_op0),
        named(klr.AluOp, inst.comp_op1), at.view(inst.bound0), at.view(inst.bound1),
        klr.FloatImm(float(inst.range_start)), at.view(inst.on_true_tile),
        immediate(inst.on_false_value), DTYPES[inst.dst.dtype],
    )  # fmt: skip
    return klr.Operator("ncRangeSelect", args)


EMITTERS: Final[dict[type, Any]] = {RangeSelect: _range_select}
