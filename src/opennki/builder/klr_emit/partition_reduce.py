"""Reductions over partitions."""

from __future__ import annotations

from typing import Any, Final

from opennki import klr
from opennki.builder.klr_places import DTYPES, Places, named
from opennki.isa.partition_reduce import PartitionReduceOp


def _reduce(inst: PartitionReduceOp, at: Places) -> klr.Operator:
    args = klr.TensorPartitionReduce(
        at.view(inst.dst), named(klr.AluOp, inst.op), at.view(inst.data), DTYPES[inst.dst.dtype]
    )
    return klr.Operator("tensorPartitionReduce", args)


EMITTERS: Final[dict[type, Any]] = {PartitionReduceOp: _reduce}
