"""Front door 1: kernels traced by partial evaluation."""

from .arguments import arrays_of, function_of, signature_of
from .context import Stepper, Stepping, TraceContext
from .launch import Traced, check_launch
from .nki_ctx import nki_ctx, nki_ctx_or_none
from .plain import is_array, plain_int
from .schedule import Edge, edges_of
from .values import DynamicSlice, NkiTensor

__all__ = [
    "DynamicSlice", "Edge", "NkiTensor", "Stepper", "Stepping", "TraceContext", "Traced",
    "arrays_of", "check_launch", "edges_of", "function_of", "is_array", "nki_ctx",
    "nki_ctx_or_none", "plain_int", "signature_of",
]  # fmt: skip
