"""Drop-in name: the enumerations of `nki.isa` under the place where kernel libraries look."""

from opennki.api.isa import (
    dge_mode,
    dma_engine,
    engine,
    matmul_perf_mode,
    nc_version,
    oob_mode,
    reduce_cmd,
)

__all__ = [
    "dge_mode", "dma_engine", "engine", "matmul_perf_mode", "nc_version", "oob_mode", "reduce_cmd",
]  # fmt: skip
