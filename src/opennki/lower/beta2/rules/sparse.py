"""Which elements are not zero, and which are the largest, a custom operation that is built in."""

from __future__ import annotations

from typing import Any, Final

from opennki import klr
from opennki.base.dtypes import int32
from opennki.birpy import Immediate, Instruction
from opennki.isa.enums import Engine
from opennki.lower.beta2.site import Site


def _nonzero(op: klr.NonzeroWithCount, at: Site) -> Instruction:
    offset = Immediate(int32, at.integer(op.indexOffset, "indexOffset"))
    padding = Immediate(int32, at.integer(op.paddingVal, "paddingVal"))
    src, dst = at.view(op.src), at.view(op.dst)
    return at.make("NonzeroWithCount", Engine.POOL, [src, offset, padding], [dst], {})


def _topk(op: klr.TopK, at: Site) -> Instruction:
    attrs = {"opFunctionName": "topk", "is_builtin": True}
    src, n = at.view(op.src), Immediate(int32, op.n)
    return at.make("CustomOp", Engine.POOL, [src, n], at.views([op.valDst, op.idxDst]), attrs)


RULES: Final[dict[str, Any]] = {"nonzeroWithCount": _nonzero, "topk": _topk}
