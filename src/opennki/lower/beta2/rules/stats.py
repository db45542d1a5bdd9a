"""Statistics of batch normalisation."""

from __future__ import annotations

from typing import Any, Final

from opennki import klr
from opennki.birpy import Instruction
from opennki.isa.enums import Engine
from opennki.lower.beta2.site import Site

from .operands import single


def _stats(op: klr.BatchNormStats, at: Site) -> Instruction:
    return at.make("BNStats", Engine.DVE, single(at, op.src), single(at, op.dst), {})


def _aggregate(op: klr.BatchNormAggregate, at: Site) -> Instruction:
    return at.make("BNStatsAggregate", Engine.DVE, single(at, op.src), single(at, op.dst), {})


RULES: Final[dict[str, Any]] = {"batchNormStats": _stats, "batchNormAggregate": _aggregate}
