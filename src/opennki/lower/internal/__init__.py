"""Internal kernels: what graph ops are lowered to."""

from .cache import KernelCache, key_of
from .calls import CallLowering, Form, InternalKernels
from .registry import BUILT_IN, InternalKernel, KernelRequest, Registry, TracedKernel, Tracer

__all__ = [
    "BUILT_IN", "CallLowering", "Form", "InternalKernel", "InternalKernels", "KernelCache",
    "KernelRequest", "Registry", "TracedKernel", "Tracer", "key_of",
]  # fmt: skip
