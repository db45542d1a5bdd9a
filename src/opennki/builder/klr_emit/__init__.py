"""What each instruction of the op table is in KLR: one file per family, as in `opennki.isa`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from opennki import klr
from opennki.builder.klr_places import Places
from opennki.ir import Inst

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

Emitter = Callable[[Any, Places], klr.Operator]

EMITTERS: Final[dict[type[Inst], Emitter]] = {
    **activate2.EMITTERS,
    **activation.EMITTERS,
    **bounds.EMITTERS,
    **collective.EMITTERS,
    **collective_v.EMITTERS,
    **cores.EMITTERS,
    **cumulative.EMITTERS,
    **dma.EMITTERS,
    **elementwise.EMITTERS,
    **exponential.EMITTERS,
    **fill.EMITTERS,
    **gather.EMITTERS,
    **matmul.EMITTERS,
    **move.EMITTERS,
    **partition_reduce.EMITTERS,
    **permute.EMITTERS,
    **predicate.EMITTERS,
    **range_select.EMITTERS,
    **rank_ids.EMITTERS,
    **reduce.EMITTERS,
    **registers.EMITTERS,
    **rng.EMITTERS,
    **search.EMITTERS,
    **shuffle.EMITTERS,
    **sparse.EMITTERS,
    **stats.EMITTERS,
}
"""Class of the op table -> what makes its operator."""
