"""Which elements are not zero, and which are the largest; the latter is an extension."""

from __future__ import annotations

from typing import Any, Final

from opennki import klr
from opennki.builder.klr_places import Places
from opennki.isa.sparse import NonzeroWithCount, TopK


def _nonzero(inst: NonzeroWithCount, at: Places) -> klr.Operator:
    args = klr.NonzeroWithCount(
        at.view(inst.dst), at.view(inst.src), klr.IntImm(inst.index_offset),
        klr.IntImm(inst.padding_val),
    )  # fmt: skip
    return klr.Operator("nonzeroWithCount", args)


def _topk(inst: TopK, at: Places) -> klr.Operator:
    args = klr.TopK(at.view(inst.val_dst), at.view(inst.idx_dst), at.view(inst.src), inst.n)
    return klr.Operator("topk", args)


EMITTERS: Final[dict[type, Any]] = {NonzeroWithCount: _nonzero, TopK: _topk}
