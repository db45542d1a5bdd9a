"""The only place that knows the whole road from a kernel to its results."""

from .check import check_file, diagnose, distinct, require
from .compiled import FORMS, Compiled, codegen_of, compile_kernel, rebuilt
from .counts import COUNTED
from .deferred import defer, traced
from .graph import CompiledGraph, check_functions, compile_functions
from .kernels import (
    KernelFile,
    KernelLike,
    existing,
    imported,
    is_kernel,
    parameters,
    python_file,
    requesting,
)
from .kernels import split as split_path
from .klr_files import KlrSource, LoweredKlr, is_klr, read_klr, save_constants, save_klr
from .levels import Chosen, chosen
from .observe import Run, observed, record, show_warnings
from .options import FRONTENDS, LEVELS, NKI_VERSIONS, Options, Request, defaults, known_version
from .programs import in_program, of_program, programs, tell_apart
from .roads import DEPTHS, Compared, compare_roads
from .simulate import Outcome, StepMachine, collect, execute, execute_ranks, machines, unwritten
from .specs import SHORT_DTYPES, ArraySpec, as_argument
from .stages import StagesOfRoad, measure
from .turns import Turns
from .watch import Measured, Watch

__all__ = [
    "COUNTED",
    "DEPTHS",
    "FORMS",
    "FRONTENDS",
    "LEVELS",
    "NKI_VERSIONS",
    "SHORT_DTYPES",
    "ArraySpec",
    "Chosen",
    "Compared",
    "Compiled",
    "CompiledGraph",
    "KernelFile",
    "KernelLike",
    "KlrSource",
    "LoweredKlr",
    "Measured",
    "Options",
    "Outcome",
    "Request",
    "Run",
    "StagesOfRoad",
    "StepMachine",
    "Turns",
    "Watch",
    "as_argument",
    "check_file",
    "check_functions",
    "chosen",
    "codegen_of",
    "collect",
    "compare_roads",
    "compile_functions",
    "compile_kernel",
    "defaults",
    "defer",
    "diagnose",
    "distinct",
    "execute",
    "execute_ranks",
    "existing",
    "imported",
    "in_program",
    "is_kernel",
    "is_klr",
    "known_version",
    "machines",
    "measure",
    "observed",
    "of_program",
    "parameters",
    "programs",
    "python_file",
    "read_klr",
    "rebuilt",
    "record",
    "requesting",
    "require",
    "save_constants",
    "save_klr",
    "show_warnings",
    "split_path",
    "tell_apart",
    "traced",
    "unwritten",
]  # fmt: skip
