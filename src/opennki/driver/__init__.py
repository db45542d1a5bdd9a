"""The only place that knows the whole road from a kernel to its results."""

from .check import check_file, diagnose, distinct, require
from .compiled import FORMS, Compiled, compile_kernel, programs, rebuilt, same_shared
from .kernels import KernelFile, KernelLike, existing, imported, is_kernel, parameters, requesting
from .kernels import split as split_path
from .observe import Run, observed, record, show_warnings
from .options import LEVELS, NKI_VERSIONS, Options, Request, defaults, known_version
from .simulate import Outcome, StepMachine, collect, execute, unwritten
from .specs import ArraySpec, as_argument

__all__ = [
    "FORMS", "LEVELS", "NKI_VERSIONS", "ArraySpec", "Compiled", "KernelFile", "KernelLike",
    "Options", "Outcome", "Request", "Run", "StepMachine", "as_argument", "check_file", "collect",
    "compile_kernel", "defaults", "diagnose", "distinct", "execute", "existing", "imported",
    "is_kernel", "known_version", "observed", "parameters", "programs", "rebuilt", "record",
    "requesting", "require", "same_shared", "show_warnings", "split_path", "unwritten",
]  # fmt: skip
