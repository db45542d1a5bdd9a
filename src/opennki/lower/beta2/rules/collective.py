"""Collectives: one opcode of BIR, whose channel has kind, ranks and operator.

Every collective has exactly the fields that mean something to it; others are refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from opennki import klr
from opennki.birpy import Instruction
from opennki.birpy.enums import CollectiveDimension
from opennki.isa.enums import Engine
from opennki.lower.beta2.enums import ALU
from opennki.lower.beta2.site import Site

from .dma import service_class

STREAM: Final = -1
"""Stream of every collective that a kernel calls."""

_DIMENSIONS: Final = (CollectiveDimension.Partition, CollectiveDimension.Free)


@dataclass(frozen=True)
class Kind:
    """One collective.

    Attributes: name in BIR; reduces, whether it has an operator; dim, whether it works along a
    dimension; pairs, whether ranks are named in pairs rather than groups; channel, whether it has
    one; srcs, their number, dsts being one.
    """

    name: str
    reduces: bool = False
    dim: bool = False
    pairs: bool = False
    channel: bool = False
    srcs: int = 1

    def __call__(self, op: klr.CollectiveOp, at: Site) -> Instruction:
        """The instruction. Raises: NKI4501 for fields that it must have and has not, or reverse."""
        self._check(op, at)
        groups = () if self.pairs else replica_groups(op.replicaGroup, at)
        operator = "bypass" if op.op is None else ALU[op.op].name
        attrs: dict[str, object] = {
            "cc_channel": (self.name, groups, operator),
            "stream_id": STREAM,
            "dma_qos": service_class(op.priority, at),
            "channel_id": op.channel_id or 0,
            "src_target_pairs": ranks(op.sourceTargetPairs or ()),
        }
        if self.dim:
            attrs["cc_dim"] = _dimension(op.concatDim or 0, at)
        ins, outs = at.views(op.srcs), at.views(op.dsts)
        return at.make("CollectiveCompute", Engine.POOL, ins, outs, attrs)

    def _check(self, op: klr.CollectiveOp, at: Site) -> None:
        for what, operands, want in (("srcs", op.srcs, self.srcs), ("dsts", op.dsts, 1)):
            if len(operands) != want:
                raise at.unsupported(f"number of {what}", str(len(operands)))
        for what, given, needed in (
            ("op", op.op, self.reduces), ("sourceTargetPairs", op.sourceTargetPairs, self.pairs)
        ):  # fmt: skip
            if needed != (given is not None):
                raise at.unsupported(what, "none" if given is None else str(given))
        if self.pairs and not isinstance(op.replicaGroup, klr.Unspecified):
            raise at.unsupported("replicaGroup", type(op.replicaGroup).schema.name)
        for what, number, allowed in (
            ("concatDim", op.concatDim, self.dim), ("channel_id", op.channel_id, self.channel),
            ("num_channels", op.num_channels, self.channel),
        ):  # fmt: skip
            if number is not None and not allowed:
                raise at.unsupported(what, str(number))
        check_channels(op.channel_id or 0, op.num_channels, at)


def check_channels(channel: int, channels: int | None, at: Site) -> None:
    """BIR has no number of channels. Raises: NKI4501 for one in which `channel` is not."""
    if channels is not None and not 0 <= channel < channels:
        raise at.unsupported("num_channels", f"{channels} with channel {channel}")


def replica_groups(group: klr.ReplicaGroup, at: Site) -> tuple[tuple[int, ...], ...]:
    """The ranks of every group. Raises: NKI4501 for a group that is known by name, or not said."""
    if not isinstance(group, klr.Literal):
        raise at.unsupported("replicaGroup", type(group).schema.name)
    return ranks(group.groups)


def ranks(groups: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
    """Lists of ranks as BIR has them."""
    return tuple(tuple(group) for group in groups)


def _dimension(dim: int, at: Site) -> CollectiveDimension:
    if not 0 <= dim < len(_DIMENSIONS):
        raise at.unsupported("concatDim", str(dim))
    return _DIMENSIONS[dim]


RULES: Final[dict[str, Any]] = {
    "allReduce": Kind("AllReduce", reduces=True),
    "allGather": Kind("AllGather", dim=True),
    "reduceScatter": Kind("ReduceScatter", reduces=True, dim=True),
    "allToAll": Kind("AllToAll", dim=True),
}
