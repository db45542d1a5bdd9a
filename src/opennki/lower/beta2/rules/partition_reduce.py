"""Reductions over partitions: BIR's TensorReduce along the axis C."""

from __future__ import annotations

from typing import Any, Final

from opennki import klr
from opennki.birpy import Instruction
from opennki.isa.enums import AxisList, Engine
from opennki.lower.beta2.enums import ALU
from opennki.lower.beta2.site import Site

from .operands import single


def _reduce(op: klr.TensorPartitionReduce, at: Site) -> Instruction:
    attrs = {"op": ALU[op.op], "axis": AxisList.C}
    return at.make("TensorReduce", Engine.POOL, single(at, op.data), single(at, op.dst), attrs)


RULES: Final[dict[str, Any]] = {"tensorPartitionReduce": _reduce}
