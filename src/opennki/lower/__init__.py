"""Routes to BIR. That of KLR, `opennki.lower.beta2`, is imported by who takes it."""

from .beta3 import BirCodeGenLoop
from .internal import (
    BUILT_IN,
    Form,
    InternalKernel,
    InternalKernels,
    KernelCache,
    KernelRequest,
    Registry,
    Tracer,
)
from .rules import RULES
from .table import lift

__all__ = [
    "BUILT_IN", "RULES", "BirCodeGenLoop", "Form", "InternalKernel", "InternalKernels",
    "KernelCache", "KernelRequest", "Registry", "Tracer", "lift",
]  # fmt: skip
