"""The op table: every instruction class, and look-up by the names of each level.

Families are listed here once; an instruction appears by being declared in its family's module.
"""

from __future__ import annotations

from types import ModuleType
from typing import Final

from opennki.ir import Inst

from . import (
    activate2,
    activation,
    bounds,
    collective,
    collective_v,
    cores,
    cumulative,
    dma,
    dma_compute,
    elementwise,
    exponential,
    fill,
    gather,
    matmul,
    move,
    mx,
    partition_reduce,
    permute,
    predicate,
    range_select,
    rank_ids,
    reduce,
    registers,
    rng,
    scan,
    search,
    shuffle,
    sparse,
    stats,
    transpose,
)  # fmt: skip

FAMILIES: Final[tuple[ModuleType, ...]] = (
    dma, dma_compute, fill, move, elementwise, reduce, scan, stats, activation, matmul, transpose,
    predicate, range_select, exponential, cumulative, search, shuffle,
    partition_reduce, bounds, rng, gather, sparse, activate2, mx, cores, collective, permute,
    collective_v, registers, rank_ids,
)  # fmt: skip

INSTRUCTIONS: Final[tuple[type[Inst], ...]] = tuple(
    item
    for family in FAMILIES
    for item in vars(family).values()
    if isinstance(item, type)
    and issubclass(item, Inst)
    and hasattr(item, "spec")
    and item.__module__ == family.__name__
)
"""Every instruction class, family by family, in order of declaration."""

BY_NKI: Final = {c.spec.name: c for c in INSTRUCTIONS if c.spec.name}
"""NKI call -> class."""

BY_EMIT: Final = {c.spec.emit: c for c in INSTRUCTIONS}
"""Builder method -> class."""

BY_CLASS: Final = {c.__name__: c for c in INSTRUCTIONS}
"""Penguin node name -> class."""

OWNER: Final = {c.spec.bir: c for c in INSTRUCTIONS if c.spec.owner}
"""BIR opcode -> the one class that it means when read back."""
