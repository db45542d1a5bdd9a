"""Gathers: BIR counts the indices, and has from `dst` how many elements each stands for."""

from __future__ import annotations

from math import prod
from typing import Any, Final

from opennki import klr
from opennki.birpy import AccessPattern, Instruction
from opennki.isa.enums import Engine
from opennki.lower.beta2.site import Site

_REACH: Final = 16
"""Partitions that share their indices. Source: NKI ISA reference, local_gather."""


def _free(access: AccessPattern) -> int:
    return prod(count for _, count in access.ap[1:])


def _local(op: klr.NcLocalGather, at: Site) -> Instruction:
    """Raises: NKI4501 unless `dst` has as many elements as the indices stand for."""
    dst, src, index = at.views([op.dst, op.src, op.index])
    each = at.integer(op.numElemPerIdx, "numElemPerIdx")
    count = _free(index) * _REACH
    if op.numValidIndicies is not None:
        count = at.integer(op.numValidIndicies, "numValidIndicies")
    if each < 1 or each * count != _free(dst):
        raise at.unsupported("numElemPerIdx", f"{each} for {count} indices into {_free(dst)}")
    attrs = {"num_valid_indices": count}
    return at.make("IndirectCopy", Engine.POOL, [src, index], [dst], attrs)


def _gather(op: klr.NcNGather, at: Site) -> Instruction:
    ins = at.views([op.data, op.indices])
    return at.make("Gather", Engine.POOL, ins, [at.view(op.dst)], {})


RULES: Final[dict[str, Any]] = {"ncLocalGather": _local, "ncNGather": _gather}
