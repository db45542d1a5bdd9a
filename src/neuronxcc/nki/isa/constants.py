"""Drop-in name: the enumerations of `neuronxcc.nki.isa`, where kernels import them by name."""

from opennki.api.classic.isa import (
    dge_mode,
    engine,
    matmul_perf_mode,
    nc_version,
    oob_mode,
    reduce_cmd,
)

__all__ = ["dge_mode", "engine", "matmul_perf_mode", "nc_version", "oob_mode", "reduce_cmd"]
