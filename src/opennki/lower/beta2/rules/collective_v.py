"""Collectives of variable length; their table is an operand that is read and written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from opennki import klr
from opennki.birpy import Instruction
from opennki.isa.enums import Engine
from opennki.lower.beta2.site import Site

from .collective import STREAM, replica_groups
from .dma import service_class


@dataclass(frozen=True)
class Variable:
    """One of them; its name in BIR."""

    name: str

    def __call__(self, op: klr.CollectiveVOp, at: Site) -> Instruction:
        """The instruction."""
        src, metadata = at.views([op.src, op.metadata])
        attrs = {
            "cc_channel": (self.name, replica_groups(op.replicaGroup, at), "bypass"),
            "stream_id": STREAM,
            "dma_qos": service_class(op.priority, at),
            "opennki_recv_counts_known": op.recvCountsKnown,
            "opennki_has_rdispls": op.hasRdispls,
        }
        outs = [at.view(op.dst), metadata]
        return at.make("CollectiveCompute", Engine.POOL, [src, metadata], outs, attrs)


RULES: Final[dict[str, Any]] = {
    "allGatherV": Variable("AllGatherV"), "allToAllV": Variable("AllToAllV"),
}  # fmt: skip
