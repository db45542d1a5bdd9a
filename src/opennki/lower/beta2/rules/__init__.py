"""What each KLR operator is in BIR: one file per family. Source: KLR lowering, section 6.3."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from opennki.birpy import Instruction
from opennki.lower.beta2.site import Site

from . import (
    activate2,
    activation,
    bounds,
    collective,
    collective_v,
    cores,
    cumulative,
    dma,
    elementwise,
    exponential,
    fill,
    gather,
    matmul,
    move,
    partition_reduce,
    permute,
    predicate,
    range_select,
    rank_ids,
    reduce,
    registers,
    rng,
    search,
    shuffle,
    sparse,
    stats,
)

KlrRule = Callable[[Any, Site], Instruction]

RULES: Final[dict[str, KlrRule]] = {
    **activate2.RULES,
    **activation.RULES,
    **bounds.RULES,
    **collective.RULES,
    **collective_v.RULES,
    **cores.RULES,
    **cumulative.RULES,
    **dma.RULES,
    **elementwise.RULES,
    **exponential.RULES,
    **fill.RULES,
    **gather.RULES,
    **matmul.RULES,
    **move.RULES,
    **partition_reduce.RULES,
    **permute.RULES,
    **predicate.RULES,
    **range_select.RULES,
    **rank_ids.RULES,
    **reduce.RULES,
    **registers.RULES,
    **rng.RULES,
    **search.RULES,
    **shuffle.RULES,
    **sparse.RULES,
    **stats.RULES,
}
"""Operator -> what lowers its structure. Operators that are not here are in `REFUSED`."""
