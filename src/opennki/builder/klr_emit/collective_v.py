"""Collectives of variable length, which are extensions of KLR."""

from __future__ import annotations

from typing import Any, Final

from opennki import klr
from opennki.builder.klr_places import Places
from opennki.isa.collective_v import AllGatherVOp, AllToAllVOp, Variable

from .collective import replica_group


def _variable(inst: Variable, at: Places) -> klr.CollectiveVOp:
    return klr.CollectiveVOp(
        at.view(inst.dst), at.view(inst.src), at.view(inst.metadata),
        replica_group(inst.replica_groups), inst.recv_counts_known, inst.has_rdispls,
        inst.priority,
    )  # fmt: skip


def _all_gather(inst: AllGatherVOp, at: Places) -> klr.Operator:
    return klr.Operator("allGatherV", _variable(inst, at))


def _all_to_all(inst: AllToAllVOp, at: Places) -> klr.Operator:
    return klr.Operator("allToAllV", _variable(inst, at))


EMITTERS: Final[dict[type, Any]] = {AllGatherVOp: _all_gather, AllToAllVOp: _all_to_all}
