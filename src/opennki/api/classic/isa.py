"""What kernels of the first generation import as `neuronxcc.nki.isa`."""

from __future__ import annotations

from typing import Any, Final

from opennki.api import classic
from opennki.api.isa import dge_mode as dge_mode
from opennki.api.isa import (
    engine,
    gpsimd_engine,
    matmul_perf_mode,
    nc_version,
    oob_mode,
    reduce_cmd,
    register_alloc,
    register_load,
    register_move,
    register_store,
    scalar_engine,
    tensor_engine,
    unknown_engine,
    vector_engine,
)
from opennki.driver import Request
from opennki.trace import nki_ctx_or_none
from opennki.trace.classic import isa as calls

dma_engine: Final = engine.dma
globals().update({name: getattr(calls, name) for name in calls.__all__})


def get_nc_version() -> nc_version:
    """NeuronCore generation of the kernel's target; outside of a kernel of the default one."""
    ctx = nki_ctx_or_none()
    target = ctx.target if ctx is not None else Request(default_target="trn1").resolve().target
    return nc_version(target.nc_version)


def __getattr__(name: str) -> Any:
    raise classic.missing(".isa", name)


__all__: Final = [
    "dge_mode", "dma_engine", "engine", "get_nc_version", "gpsimd_engine", "matmul_perf_mode",
    "nc_version", "oob_mode", "reduce_cmd", "register_alloc", "register_load", "register_move",
    "register_store", "scalar_engine", "tensor_engine", "unknown_engine", "vector_engine",
    *calls.__all__,
]  # fmt: skip
