"""Collectives: one opcode of BIR, whose channel says which of them it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from opennki.birpy import Instruction
from opennki.birpy.enums import CollectiveDimension
from opennki.ir import Inst
from opennki.isa.collective import (
    TiledAllGatherOp,
    TiledAllReduceOp,
    TiledAlltoAllOp,
    TiledReduceScatterOp,
)
from opennki.isa.collective_v import AllGatherVOp, AllToAllVOp
from opennki.isa.enums import AluOp
from opennki.isa.permute import (
    CollectivePermuteImplicitOp,
    TiledCollectivePermuteOp,
    TiledCollectivePermuteReduceOp,
)
from opennki.lower.table import Attrs, Fields, Rule

from .dma import CLASSES, PRIORITIES

KINDS: Final[dict[str, type[Inst]]] = {
    "AllReduce": TiledAllReduceOp,
    "ReduceScatter": TiledReduceScatterOp,
    "AllGather": TiledAllGatherOp,
    "AllToAll": TiledAlltoAllOp,
    "AllToAllV": AllToAllVOp,
    "AllGatherV": AllGatherVOp,
    "Permute": TiledCollectivePermuteOp,
    "PermuteImplicit": CollectivePermuteImplicitOp,
    "PermuteReduceImplicit": TiledCollectivePermuteReduceOp,
}
"""Kind of a collective in BIR -> the class that it is."""

STREAM: Final = -1
"""Stream of every collective that a kernel calls: none of its own."""

_NAMES: Final = {cls: kind for kind, cls in KINDS.items()}
_DIMENSIONS: Final = (CollectiveDimension.Partition, CollectiveDimension.Free)
_FLAGS: Final = ("recv_counts_known", "has_rdispls")
_USED: Final = frozenset({
    "cc_channel", "cc_dim", "stream_id", "src_target_pairs", "channel_id", "dma_qos",
    "opennki_recv_counts_known", "opennki_has_rdispls",
})  # fmt: skip


def _attrs(inst: Any) -> Attrs:
    op = getattr(inst, "op", AluOp.bypass)
    made: Attrs = {
        "stream_id": STREAM,
        "cc_channel": (_NAMES[type(inst)], getattr(inst, "replica_groups", ()), op.name),
        "dma_qos": CLASSES[inst.priority],
        "channel_id": getattr(inst, "channel_id", 0),
        "src_target_pairs": getattr(inst, "source_target_pairs", ()),
    }
    for name in _FLAGS:
        made[f"opennki_{name}"] = getattr(inst, name, False)
    if hasattr(inst, "collective_dim"):
        made["cc_dim"] = _DIMENSIONS[inst.collective_dim]
    return made


def _lift(inst: Instruction, fields: Fields) -> Fields:
    attrs: Mapping[str, Any] = inst.attrs
    kind, groups, op = attrs["cc_channel"]
    values = {
        "op": AluOp[op], "replica_groups": groups, "channel_id": attrs["channel_id"],
        "source_target_pairs": attrs["src_target_pairs"],
        "collective_dim": _DIMENSIONS.index(attrs["cc_dim"]),
        "priority": PRIORITIES[attrs["dma_qos"]],
    }  # fmt: skip
    values.update({name: attrs[f"opennki_{name}"] for name in _FLAGS})
    declared = {a.name for a in KINDS[kind].spec.attrs}
    return fields | {name: value for name, value in values.items() if name in declared}


def class_of(inst: Instruction) -> type[Inst]:
    """The class of a collective between ranks. Raises: KeyError for a form that has none."""
    channel: Any = inst.attrs["cc_channel"]
    if inst.attrs.keys() - _USED or inst.attrs.get("stream_id", 0) not in (0, STREAM):
        raise KeyError(inst.opcode)
    return KINDS[channel[0]]


RULES: Final[dict[type[Inst], Rule]] = {
    cls: Rule(attrs=_attrs, lift=_lift) for cls in KINDS.values()
}
