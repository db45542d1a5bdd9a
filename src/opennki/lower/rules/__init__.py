"""Where BIR spells an instruction differently from the op table: one file per family."""

from __future__ import annotations

from typing import Final

from opennki.ir import Inst
from opennki.lower.table import Rule

from . import activation, dma, elementwise, fill, matmul, predicate, reduce, rng, search

RULES: Final[dict[type[Inst], Rule]] = {
    **dma.RULES, **fill.RULES, **elementwise.RULES, **reduce.RULES,
    **activation.RULES, **matmul.RULES, **predicate.RULES, **search.RULES, **rng.RULES,
}  # fmt: skip
