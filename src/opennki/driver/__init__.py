"""The only place that knows the whole road from a kernel to its results."""

from .compiled import Compiled, compile_kernel, programs
from .options import Options, Request
from .simulate import Outcome, StepMachine, collect, execute

__all__ = [
    "Compiled", "Options", "Outcome", "Request", "StepMachine", "collect", "compile_kernel",
    "execute", "programs",
]  # fmt: skip
