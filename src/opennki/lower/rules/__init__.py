"""Where BIR spells an instruction differently from the op table: one file per family."""

from __future__ import annotations

from typing import Final

from opennki.ir import Inst
from opennki.lower.table import Rule

from . import (
    activate2,
    activation,
    collective,
    cores,
    dma,
    elementwise,
    fill,
    gather,
    matmul,
    predicate,
    reduce,
    registers,
    rng,
    search,
    sparse,
)

RULES: Final[dict[type[Inst], Rule]] = {
    **dma.RULES, **fill.RULES, **elementwise.RULES, **reduce.RULES,
    **activation.RULES, **matmul.RULES, **predicate.RULES, **search.RULES, **rng.RULES,
    **gather.RULES, **sparse.RULES, **activate2.RULES, **cores.RULES, **collective.RULES,
    **registers.RULES,
}  # fmt: skip
