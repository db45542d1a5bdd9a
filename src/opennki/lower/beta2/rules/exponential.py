"""The exponential of the vector engine, whose sum is its second result."""

from __future__ import annotations

from typing import Any, Final

from opennki import klr
from opennki.birpy import Instruction
from opennki.isa.enums import Engine
from opennki.lower.beta2.enums import ACCUMULATE
from opennki.lower.beta2.site import Site

from .operands import single


def _exponential(op: klr.Exponential, at: Site) -> Instruction:
    ins = [at.view(op.src), *at.operands([op.maxValue, op.reduceInit])]
    outs = [at.view(op.dst), *single(at, op.reduceRes)]
    attrs = {"reduce_cmd": ACCUMULATE[op.reducecmd]}
    return at.make("Exponential", Engine.DVE, ins, outs, attrs)


RULES: Final[dict[str, Any]] = {"exponential": _exponential}
