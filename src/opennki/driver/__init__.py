"""The only place that knows the whole road from a kernel to its results."""

from .check import check_file, diagnose, distinct, require
from .compiled import FORMS, Compiled, compile_kernel, rebuilt
from .deferred import defer, traced
from .kernels import KernelFile, KernelLike, existing, imported, is_kernel, parameters, requesting
from .kernels import split as split_path
from .observe import Run, observed, record, show_warnings
from .options import LEVELS, NKI_VERSIONS, Options, Request, defaults, known_version
from .programs import in_program, of_program, programs, tell_apart
from .simulate import Outcome, StepMachine, collect, execute, execute_ranks, machines, unwritten
from .specs import SHORT_DTYPES, ArraySpec, as_argument
from .turns import Turns

__all__ = [
    "FORMS", "LEVELS", "NKI_VERSIONS", "SHORT_DTYPES", "ArraySpec", "Compiled", "KernelFile",
    "KernelLike", "Options", "Outcome", "Request", "Run", "StepMachine", "Turns", "as_argument",
    "check_file", "collect", "compile_kernel", "defaults", "defer", "diagnose", "distinct",
    "execute", "execute_ranks", "existing", "imported", "in_program", "is_kernel", "known_version",
    "machines", "observed", "of_program", "parameters", "programs", "rebuilt", "record",
    "requesting", "require", "show_warnings", "split_path", "tell_apart", "traced", "unwritten",
]  # fmt: skip
