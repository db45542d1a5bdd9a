"""What a machine is, as data. The tables are in one file per target."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

TITLES: Final = {1: "inf1 (tonga)", 2: "trn1 (sunda)", 3: "trn2 (cayman)", 4: "trn3 (corev4)"}
"""What messages call a target: the instance that users type, and its own name."""

TONGA, SUNDA, CAYMAN, COREV4 = 1, 2, 3, 4


@dataclass(frozen=True)
class Target:
    """One NeuronCore generation.

    Attributes: name, order (targets compare by it), aliases; arch, BIR's spelling; nc_version, the
    NKI generation number (2 for gen2); partitions; sbuf_bytes, usable bytes per partition;
    sbuf_total_bytes, per partition with the reserved part; hbm_bytes, one physical core's share of
    the device memory; psum_banks, psum_bank_bytes; sbuf_align
    and psum_align, bytes; ap_dims, dimensions of an access pattern with the partition; ap_step_max
    and ap_count_max, largest step and count of a free one; pe_rows, pe_cols; pe_moving_max, moving
    elements for a float32 destination; pe_moving_bf16_max, for a bfloat16 one; bn_stats_max;
    search_max, elements per partition that max8 and its relatives take; gather_max, indices per
    GpSimd core; topk_max, results, and topk_source_max, elements that they are chosen from;
    transpose_block, rows and columns of a vector engine transpose; cores, physical cores of one
    logical core; features.
    """

    name: str
    order: int
    aliases: tuple[str, ...]
    arch: str
    nc_version: int
    sbuf_bytes: int
    sbuf_total_bytes: int
    hbm_bytes: int
    pe_moving_max: int
    pe_moving_bf16_max: int
    cores: int
    features: frozenset[str]
    partitions: int = 128
    psum_banks: int = 8
    psum_bank_bytes: int = 2048
    sbuf_align: int = 1
    psum_align: int = 4
    ap_dims: int = 5
    ap_step_max: int = (1 << 15) - 1
    ap_count_max: int = (1 << 16) - 1
    pe_rows: int = 128
    pe_cols: int = 128
    bn_stats_max: int = 512
    search_max: int = 16_384
    gather_max: int = 4096
    topk_max: int = 32_767
    topk_source_max: int = 65_535
    transpose_block: int = 32

    def has(self, feature: str) -> bool:
        """Whether this machine has `feature`."""
        return feature in self.features

    @property
    def psum_bytes(self) -> int:
        """Bytes of PSUM per partition."""
        return self.psum_banks * self.psum_bank_bytes

    def derive(self, *, features: frozenset[str] = frozenset(), **changes: Any) -> Target:
        """A newer machine: this one with `changes` and additional `features`."""
        return replace(self, features=self.features | features, **changes)

    @property
    def title(self) -> str:
        """What messages call it: ``trn2 (cayman)``."""
        return self.title_of(self.order)

    @staticmethod
    def title_of(order: int) -> str:
        """What messages call the target with this order."""
        return TITLES.get(order, str(order))

    def __lt__(self, other: Target) -> bool:
        return self.order < other.order

    def __repr__(self) -> str:
        return self.name
