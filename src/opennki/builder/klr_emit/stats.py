"""Statistics of batch normalisation."""

from __future__ import annotations

from typing import Any, Final

from opennki import klr
from opennki.builder.klr_places import DTYPES, Places
from opennki.isa.stats import SundaBNAggr, SundaBNStats


def _stats(inst: SundaBNStats, at: Places) -> klr.Operator:
    args = klr.BatchNormStats(at.view(inst.dst), at.view(inst.data), DTYPES[inst.dst.dtype])
    return klr.Operator("batchNormStats", args)


def _aggregate(inst: SundaBNAggr, at: Places) -> klr.Operator:
    args = klr.BatchNormAggregate(at.view(inst.dst), at.view(inst.data), DTYPES[inst.dst.dtype])
    return klr.Operator("batchNormAggregate", args)


EMITTERS: Final[dict[type, Any]] = {SundaBNStats: _stats, SundaBNAggr: _aggregate}
