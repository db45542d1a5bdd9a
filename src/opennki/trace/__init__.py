"""Front door 1: kernels traced by partial evaluation."""

from .context import Stepper, TraceContext, Traced
from .nki_ctx import nki_ctx, nki_ctx_or_none
from .values import DynamicSlice, NkiTensor

__all__ = [
    "DynamicSlice", "NkiTensor", "Stepper", "TraceContext", "Traced", "nki_ctx", "nki_ctx_or_none",
]  # fmt: skip
