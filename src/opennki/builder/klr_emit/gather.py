"""Gathers within partitions and within groups of 16 partitions."""

from __future__ import annotations

from typing import Any, Final

from opennki import klr
from opennki.builder.klr_places import DTYPES, Places
from opennki.isa.gather import IndirectCopy, PoolGather


def _local(inst: IndirectCopy, at: Places) -> klr.Operator:
    valid = inst.num_valid_indices
    args = klr.NcLocalGather(
        at.view(inst.dst), at.view(inst.src_buffer), at.view(inst.index),
        klr.IntImm(inst.num_elem_per_idx), None if valid is None else klr.IntImm(valid),
    )  # fmt: skip
    return klr.Operator("ncLocalGather", args)


def _gather(inst: PoolGather, at: Places) -> klr.Operator:
    args = klr.NcNGather(
        at.view(inst.dst), at.view(inst.data), at.view(inst.indices), DTYPES[inst.dst.dtype]
    )
    return klr.Operator("ncNGather", args)


EMITTERS: Final[dict[type, Any]] = {IndirectCopy: _local, PoolGather: _gather}
