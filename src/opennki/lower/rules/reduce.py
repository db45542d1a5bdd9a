"""Reductions: BIR names how many of the innermost dimensions are reduced, or the partitions."""

from __future__ import annotations

from typing import Any, Final

from opennki.birpy import Instruction
from opennki.birpy.enums import TSCMode
from opennki.ir import Inst
from opennki.isa.cumulative import TensorScalarCacheCumulative
from opennki.isa.enums import AxisList
from opennki.isa.partition_reduce import PartitionReduceOp
from opennki.isa.reduce import TensorReduceOp, TensorScalarCacheReduce
from opennki.lower.table import Attrs, Fields, Rule


def _attrs(inst: TensorReduceOp) -> Attrs:
    return {"op": inst.op, "axis": inst.walk[1], "negate": inst.negate}


def _key(inst: TensorReduceOp) -> object:
    return inst.data.shape


def _inputs(inst: TensorReduceOp) -> tuple[object, ...]:
    return (inst.walk[0],)


def _lift(inst: Instruction, fields: Fields) -> Fields:
    axis: Any = inst.attrs.get("axis", AxisList.X)
    rank = len(fields["data"].shape)
    return fields | {
        "op": inst.attrs["op"],
        "axis": tuple(range(rank - axis.value - 1, rank)),
        "negate": inst.attrs.get("negate", False),
    }


def _reduce_class(inst: Instruction) -> type[Inst]:
    """What is reduced, by the axis.

    Raises: KeyError for a negated result of partitions, which BIR does not have.
    """
    if inst.attrs.get("axis") is not AxisList.C:
        return TensorReduceOp
    return {False: PartitionReduceOp}[bool(inst.attrs.get("negate", False))]


def _partition_attrs(inst: PartitionReduceOp) -> Attrs:
    return {"op": inst.op, "axis": AxisList.C}


def _cache_attrs(inst: TensorScalarCacheReduce) -> Attrs:
    return {
        "op0": inst.op0, "op1": inst.reduce_op, "reverse0": inst.reverse0, "acc": inst.reduce_cmd,
        "mode": TSCMode.Reduce, "negate_second_output": inst.reduce_res_negate,
    }  # fmt: skip


def _running_attrs(inst: TensorScalarCacheCumulative) -> Attrs:
    return {
        "op0": inst.op0, "op1": inst.op1, "reverse0": inst.reverse0, "acc": inst.reduce_cmd,
        "mode": TSCMode.Cumulative,
    }  # fmt: skip


_BY_MODE: Final[dict[object, type[Inst]]] = {
    TSCMode.Reduce: TensorScalarCacheReduce, TSCMode.Cumulative: TensorScalarCacheCumulative,
}  # fmt: skip


def _cache_class(inst: Instruction) -> type[Inst]:
    return _BY_MODE[inst.attrs.get("mode", TSCMode.Reduce)]


RULES: Final[dict[type[Inst], Rule]] = {
    TensorReduceOp: Rule(inputs=_inputs, attrs=_attrs, key=_key, lift=_lift, means=_reduce_class),
    PartitionReduceOp: Rule(attrs=_partition_attrs),
    TensorScalarCacheReduce: Rule(attrs=_cache_attrs, means=_cache_class),
    TensorScalarCacheCumulative: Rule(attrs=_running_attrs),
}
