"""Transfers between cores: a local collective of BIR, or GpSimd's own opcode for its own DMA."""

from __future__ import annotations

from typing import Final

from opennki.birpy import Instruction
from opennki.ir import Inst
from opennki.isa.cores import GpSimdSwapOp, SendRecvOp
from opennki.isa.enums import DmaEngine
from opennki.lower.table import Attrs, Fields, Rule

from .collective import STREAM, class_of

CHANNEL: Final = ("SendRecv", (), "bypass")
"""`cc_channel` of a transfer: its kind, no replica groups, no operator."""


def _attrs(inst: SendRecvOp) -> Attrs:
    if inst.dma_engine is DmaEngine.gpsimd_dma:
        return {"opennki_pipe_id": inst.pipe_id} if inst.pipe_id else {}
    return {
        "cc_channel": CHANNEL,
        "stream_id": STREAM,
        "is_local": True,
        "pipe_id": inst.pipe_id,
        "send_to_rank": inst.send_to_rank,
        "recv_from_rank": (inst.recv_from_rank,),
    }


def _opcode(inst: SendRecvOp) -> str:
    swap = inst.dma_engine is DmaEngine.gpsimd_dma
    return GpSimdSwapOp.spec.bir if swap else SendRecvOp.spec.bir


def _lift(inst: Instruction, fields: Fields) -> Fields:
    attrs = inst.attrs
    peers = attrs["recv_from_rank"]
    assert isinstance(peers, tuple), "`_class` has looked at it"
    return fields | {
        "pipe_id": attrs["pipe_id"], "send_to_rank": attrs["send_to_rank"],
        "recv_from_rank": peers[0],
    }  # fmt: skip


def _class(inst: Instruction) -> type[Inst]:
    """The class of a collective. Raises: KeyError for a form that has none."""
    attrs = inst.attrs
    peers = attrs.get("recv_from_rank", ())
    local = attrs.get("is_local") is True and "send_to_rank" in attrs
    plain = not attrs.keys() - {
        "cc_channel", "stream_id", "is_local", "pipe_id", "send_to_rank", "recv_from_rank",
    }  # fmt: skip
    one = isinstance(peers, tuple) and len(peers) == 1
    if attrs["cc_channel"] == CHANNEL and local and plain and one:
        return SendRecvOp
    return class_of(inst)


RULES: Final[dict[type[Inst], Rule]] = {
    SendRecvOp: Rule(attrs=_attrs, opcode=_opcode, lift=_lift, means=_class),
}  # fmt: skip
