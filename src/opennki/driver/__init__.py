"""The only place that knows the whole road from a kernel to its results."""

from .check import diagnose, distinct
from .compiled import FORMS, Compiled, compile_kernel, programs, rebuilt
from .kernels import KernelFile, KernelLike, existing, imported, is_kernel, parameters, requesting
from .kernels import split as split_path
from .observe import Run, observed, record
from .options import LEVELS, Options, Request, defaults
from .simulate import Outcome, StepMachine, collect, execute
from .specs import ArraySpec, as_argument

__all__ = [
    "FORMS", "LEVELS", "ArraySpec", "Compiled", "KernelFile", "KernelLike", "Options", "Outcome",
    "Request", "Run", "StepMachine", "as_argument", "collect", "compile_kernel", "defaults",
    "diagnose", "distinct", "execute", "existing", "imported", "is_kernel", "observed",
    "parameters", "programs", "rebuilt", "record", "requesting", "split_path",
]  # fmt: skip
