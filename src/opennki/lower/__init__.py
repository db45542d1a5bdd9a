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
    TracedKernel,
    Tracer,
)
from .lifter import Lifter, instruction_problems
from .rules import RULES
from .table import lift

__all__ = [
    "BUILT_IN", "RULES", "BirCodeGenLoop", "Form", "InternalKernel", "InternalKernels",
    "KernelCache", "KernelRequest", "Lifter", "Registry", "TracedKernel", "Tracer",
    "instruction_problems", "lift",
]  # fmt: skip
