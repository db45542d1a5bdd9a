"""The `nki.isa` surface: every call of the op table, the enumerations, and target queries."""

from __future__ import annotations

from typing import Any

from opennki.api.missing import missing
from opennki.base.diag import NkiError
from opennki.driver import Request
from opennki.ir import Inst
from opennki.trace import nki_ctx_or_none
from opennki.trace.enums import (
    dge_mode,
    dma_engine,
    engine,
    matmul_perf_mode,
    nc_version,
    oob_mode,
    reduce_cmd,
)
from opennki.trace.registers import VirtualRegister
from opennki.trace.sema import math, registers
from opennki.trace.sema.isa import CALLS
from opennki.trace.sema.surface import show_operators

NkiInstruction = Inst
NkiValidationError = NkiError

tensor_engine = engine.tensor
vector_engine = engine.vector
scalar_engine = engine.scalar
gpsimd_engine = engine.gpsimd
unknown_engine = engine.unknown

show_operators(CALLS.values(), vars(math).values())
globals().update(CALLS)
register_alloc = registers.register_alloc
register_move = registers.register_move
register_load = registers.register_load
register_store = registers.register_store


def _target() -> Any:
    ctx = nki_ctx_or_none()
    return ctx.target if ctx is not None else Request().resolve().target


def get_nc_version() -> nc_version:
    """NeuronCore generation of the kernel's target, or of the default one outside of a kernel."""
    return nc_version(_target().nc_version)


def get_nc_sub_version() -> int:
    """Silicon revision of the target; the first one (0) is modelled."""
    return 0


def __getattr__(name: str) -> Any:
    raise missing("nki.isa", name, __all__)


__all__ = [
    "NkiInstruction", "NkiValidationError", "VirtualRegister", "dge_mode", "dma_engine", "engine",
    "get_nc_sub_version", "get_nc_version", "gpsimd_engine", "matmul_perf_mode", "nc_version",
    "oob_mode", "reduce_cmd", "register_alloc",
    "scalar_engine", "tensor_engine", "unknown_engine", "vector_engine", *CALLS,
]  # fmt: skip
