"""Reductions over partitions by the second road."""

from __future__ import annotations

from opennki import klr
from opennki.isa.enums import AluOp
from opennki.isa.partition_reduce import PartitionReduceOp
from opennki.testing.statements import emitted, lowered, tile, whole


def test_partitions_are_the_axis_c():
    args = klr.TensorPartitionReduce(whole("t", 1, 4), klr.AluOp.average, whole("x", 64, 4), None)
    assert lowered("tensorPartitionReduce", args) == (
        "I-0 = TensorReduce POOL outs(%t) ins(%x) {axis=C, op=average}"
    )


def test_a_plain_call_is_a_plain_statement():
    inst = PartitionReduceOp(dst=tile("t", 1, 4), op=AluOp.add, data=tile("x", 64, 4))
    assert not klr.uses_extensions(emitted(inst))
