"""Two cores: barriers, and transfers, which are local collectives unless GpSimd's DMA does them."""

from __future__ import annotations

from typing import Any, Final

from opennki import klr
from opennki.birpy import Instruction
from opennki.isa.enums import Engine
from opennki.lower.beta2.enums import ENGINES
from opennki.lower.beta2.site import Site

from .collective import STREAM


def _barrier(op: klr.CoreBarrier, at: Site) -> Instruction:
    data = at.view(op.data)
    attrs = {"cores": tuple(op.cores), "id": op.id}
    return at.make("CoreBarrier", ENGINES[op.engine], [data], [data], attrs)


def _send_receive(op: klr.SendRecv, at: Site) -> Instruction:
    """Raises: NKI4501 for a core that sends to or receives from itself."""
    to = _rank(op.sendToRank, "sendToRank", at)
    source = _rank(op.recvFromRank, "recvFromRank", at)
    pipe = at.integer(op.pipeId, "pipeId")
    src, dst = at.view(op.src), at.view(op.dst)
    if op.useGpsimdDma:
        return at.make("GPSIMDSB2SB", Engine.POOL, [src], [dst], {"opennki_pipe_id": pipe})
    attrs = {
        "cc_channel": ("SendRecv", (), "bypass"), "stream_id": STREAM, "is_local": True,
        "pipe_id": pipe, "send_to_rank": to, "recv_from_rank": (source,),
    }  # fmt: skip
    return at.make("CollectiveCompute", Engine.POOL, [src], [dst], attrs)


def _rank(value: klr.Immediate, what: str, at: Site) -> int:
    """A core that is another one. A body that is the only one has no rank to compare with."""
    rank = at.integer(value, what)
    if at.cores > 1 and rank == at.core:
        raise at.unsupported(what, f"{rank}, the core itself")
    return rank


RULES: Final[dict[str, Any]] = {"coreBarrier": _barrier, "sendRecv": _send_receive}
