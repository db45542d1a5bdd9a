"""The `nki.collectives` surface: its names, none of which is available yet."""

from __future__ import annotations

from typing import NoReturn

NAMES = (
    "ReplicaGroup", "all_gather", "all_gather_v", "all_reduce", "all_to_all", "all_to_all_v",
    "collective_permute", "collective_permute_implicit",
    "collective_permute_implicit_current_processing_rank_id",
    "collective_permute_implicit_reduce", "rank_id", "reduce_scatter",
)  # fmt: skip

__all__: list[str] = []


def __getattr__(name: str) -> NoReturn:
    if name in NAMES:
        raise AttributeError(f"nki.collectives.{name} is not available in opennki yet")
    raise AttributeError(f"module 'nki.collectives' has no attribute {name!r}")
