"""Reductions across partitions on GpSimd, whose cores see more than one lane."""

from __future__ import annotations

from typing import Final

from opennki.base.codes import NKI2414
from opennki.base.diag import Problems, problem
from opennki.base.dtypes import ALL, PACKED
from opennki.ir import SBUF, Inst, Read, View, attr, inp, instruction, out
from opennki.ir.scalar import Array
from opennki.target import SUNDA, Target

from .alu import reduce
from .enums import AluOp, Engine
from .opcheck import bitvec_problems, is_bitvec, op_problems
from .reduce import illegal

UNPACKED: Final = frozenset(ALL) - PACKED

FOLDS: Final = frozenset({AluOp.add, AluOp.average, AluOp.max, AluOp.bitwise_or, AluOp.bitwise_and})
"""Operators that tensor_partition_reduce folds with."""

GROUP: Final = 32
"""Partitions are folded in whole groups of so many."""


@instruction(
    "tensor_partition_reduce", emit="tensor_partition_reduce", bir="TensorReduce",
    klr="TensorPartitionReduce", engines=(Engine.POOL,), since=SUNDA, owner=False,
)  # fmt: skip
class PartitionReduceOp(Inst):
    """Fold the partitions of `data` with `op`: ``dst[0, f] = op over p of data[p, f]``.

    average is the sum divided by the number of partitions. Arithmetic runs in float32 and its
    result is rounded to the dtype of `dst`; bitvec operators see integer bits. GpSimd reads whole
    groups of 32 partitions, and no PSUM. It is BIR's TensorReduce along the axis C.

    Source: NKI ISA reference, tensor_partition_reduce; BIR data model, TensorReduce (groups).
    Model: integers are added and compared in float32, as in tensor_reduce; the order of additions
    is that of `alu.reduce`.
    """

    dst: View = out(SBUF, "1 F", UNPACKED)
    op: AluOp = attr(AluOp)
    data: View = inp(SBUF, "P F", UNPACKED)

    def check(self, t: Target) -> Problems:
        if self.op not in FOLDS:
            yield illegal(self, self.op, FOLDS)
        else:
            yield from op_problems(self, self.op, t)
        yield from bitvec_problems(self, self.op, "dst", "data")
        if self.data.partitions % GROUP:
            yield problem(
                NKI2414, operand="data", got=self.data.partitions, group=GROUP,
                inst=self.spec.label,
            )  # fmt: skip

    def read_mode(self) -> Read:
        """Bits for bitvec operators, float32 otherwise."""
        return Read.RAW if is_bitvec(self.op) else Read.F32

    def sem(self, data: Array) -> Array:
        return reduce(self.op, data, axis=0, keepdims=True)
