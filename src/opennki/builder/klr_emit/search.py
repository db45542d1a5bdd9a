"""The eight largest values, where values are, and replacing them."""

from __future__ import annotations

from typing import Any, Final

from opennki import klr
from opennki.builder.klr_places import DTYPES, Places, immediate
from opennki.isa.search import (
    MaxIndexAndMatchReplace,
    SundaMatchReplace8,
    SundaMax8,
    SundaMaxIndex8,
)


def _max8(inst: SundaMax8, at: Places) -> klr.Operator:
    args = klr.Max8(at.view(inst.dst), at.view(inst.src), DTYPES[inst.dst.dtype])
    return klr.Operator("max8", args)


def _find_index8(inst: SundaMaxIndex8, at: Places) -> klr.Operator:
    dst, data, vals = at.views((inst.dst, inst.data, inst.vals))
    return klr.Operator("findIndex8", klr.FindIndex8(dst, data, vals, DTYPES[inst.dst.dtype]))


def _match_replace8(inst: SundaMatchReplace8 | MaxIndexAndMatchReplace, at: Places) -> klr.Operator:
    dst, data, vals = at.views((inst.dst, inst.data, inst.vals))
    args = klr.MatchReplace8(
        dst, data, vals, immediate(inst.imm), at.optional(inst.dst_idx), DTYPES[inst.dst.dtype]
    )
    return klr.Operator("matchReplace8", args)


EMITTERS: Final[dict[type, Any]] = {
    SundaMax8: _max8, SundaMaxIndex8: _find_index8, SundaMatchReplace8: _match_replace8,
    MaxIndexAndMatchReplace: _match_replace8,
}  # fmt: skip
