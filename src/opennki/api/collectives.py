"""The `nki.collectives` surface: what the ranks of a launch do together."""

from __future__ import annotations

from typing import NoReturn

from opennki.api.missing import missing
from opennki.trace.sema.collectives import (
    ReplicaGroup,
    all_gather,
    all_gather_v,
    all_reduce,
    all_to_all,
    all_to_all_v,
    collective_permute,
    collective_permute_implicit,
    collective_permute_implicit_current_processing_rank_id,
    collective_permute_implicit_reduce,
    rank_id,
    reduce_scatter,
)

__all__ = [
    "ReplicaGroup", "all_gather", "all_gather_v", "all_reduce", "all_to_all", "all_to_all_v",
    "collective_permute", "collective_permute_implicit",
    "collective_permute_implicit_current_processing_rank_id", "collective_permute_implicit_reduce",
    "rank_id", "reduce_scatter",
]  # fmt: skip


def __getattr__(name: str) -> NoReturn:
    raise missing("nki.collectives", name, __all__)
