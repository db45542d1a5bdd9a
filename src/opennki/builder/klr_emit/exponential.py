"""The exponential of the vector engine."""

from __future__ import annotations

from typing import Any, Final

from opennki import klr
from opennki.builder.klr_places import Places, named
from opennki.isa.exponential import Exponential


def _exponential(inst: Exponential, at: Places) -> klr.Operator:
    args = klr.Exponential(
        at.view(inst.dst), at.view(inst.src), at.operand(inst.max_value),
        at.optional(inst.reduce_res), named(klr.AccumCmd, inst.reduce_cmd),
        at.operand(inst.reduce_init),
    )  # fmt: skip
    return klr.Operator("exponential", args)


EMITTERS: Final[dict[type, Any]] = {Exponential: _exponential}
