"""Names of `nki` and `nki.compiler` in earlier versions: decorators, and ways of calling a kernel.

They chose how a device runs, measures or compiles a kernel. Here every kernel is simulated, so that
what is left of them is the kernel.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, NoReturn

from opennki.base.codes import NKI7030
from opennki.base.diag import NkiError, diagnostic, fail
from opennki.base.loc import current
from opennki.driver import Request, show_warnings
from opennki.target import removed
from opennki.trace import nki_ctx_or_none
from opennki.trace.earlier import gone, use
from opennki.trace.sema.control import no_reorder

from .jit import Kernel, jit, simulate
from .jit import unknown_option as unknown
from .missing import missing

_MEASURING = (
    "warmup", "iters", "device_count", "save_neff_name", "save_trace_name", "artifacts_dir",
    "additional_compile_opt", "working_directory", "overwrite", "profile_nth", "num_execs",
)  # fmt: skip


class NotMeasured(NkiError, AttributeError):
    """The diagnostic for a time that only a device can give; an AttributeError too."""


class MeasuredKernel(Kernel):
    """A kernel under `nki.benchmark` or `nki.profile`: it is simulated, and not measured."""

    @property
    def benchmark_result(self) -> NoReturn:
        """Raises: NKI7030, because there is no device that was timed."""
        raise NotMeasured(fail(NKI7030, current(None), kernel=self.__name__).diagnostics)


def _tell(module: str, name: str) -> None:
    """Warn of a name that the language no longer has, or refuse it if a version was chosen."""
    change = removed(module)[name]
    if nki_ctx_or_none() is not None:
        use(change)
        return
    dialect = Request().resolve().dialect
    if dialect.has(change):
        return
    found = diagnostic(gone(change, dialect), current(None, 3))
    if dialect.chosen:
        raise NkiError([found])
    show_warnings([found])


def _measured(name: str, kernel: Any, options: dict[str, Any]) -> Any:
    _tell("nki", name)
    for option in options:
        if option not in _MEASURING:
            raise unknown(f"nki.{name}", option, _MEASURING)
    if kernel is None:
        return _measure
    return _measure(kernel)


def _measure(kernel: Any) -> MeasuredKernel:
    made = kernel if isinstance(kernel, Kernel) else jit(kernel)
    return MeasuredKernel(made.fn, made.request)


def benchmark(kernel: Any = None, **options: Any) -> Any:
    """The kernel, which is simulated; options say how a device measures, and have no meaning here.

    Raises: NKI1004 for an option that it never had.
    """
    return _measured("benchmark", kernel, options)


def profile(kernel: Any = None, **options: Any) -> Any:
    """As `benchmark`."""
    return _measured("profile", kernel, options)


def baremetal(kernel: Any = None, **options: Any) -> Any:
    """As `benchmark`."""
    return _measured("baremetal", kernel, options)


def trace(kernel: Any) -> Kernel:
    """The kernel, as `nki.jit` makes it."""
    _tell("nki", "trace")
    made: Kernel = kernel if isinstance(kernel, Kernel) else jit(kernel)
    return made


def simulate_kernel(kernel: Any, *args: Any, **kwargs: Any) -> Any:
    """Run `kernel` on the simulator: ``nki.simulate(kernel)(*args, **kwargs)``."""
    _tell("nki", "simulate_kernel")
    return simulate(kernel)(*args, **kwargs)


def cpu_simulate(kernel: Any) -> Kernel:
    """The kernel as a callable that runs on the simulator, as `nki.simulate` makes it."""
    _tell("nki", "cpu_simulate")
    return simulate(kernel)


def _decorator(name: str) -> Callable[..., Any]:
    """A decorator that leaves the function as it is: it steered a stage that this compiler lacks.

    It may be called with the option log_level first; raises NKI1004 for any other.
    """

    def decorate(fn: Callable[..., Any] | None = None, **options: Any) -> Any:
        _tell("nki.compiler", name)
        for option in options:
            if option != "log_level":
                raise unknown(f"nki.compiler.{name}", option, ("log_level",))
        return (lambda decorated: decorated) if fn is None else fn

    return decorate


def _no_reorder() -> AbstractContextManager[None]:
    """`nl.no_reorder`."""
    _tell("nki.compiler", "no_reorder")
    return no_reorder()


TOOLS: dict[str, Callable[..., Any]] = {
    "benchmark": benchmark, "profile": profile, "baremetal": baremetal, "trace": trace,
    "simulate_kernel": simulate_kernel, "cpu_simulate": cpu_simulate,
}  # fmt: skip
COMPILER: dict[str, Callable[..., Any]] = {
    **{
        name: _decorator(name)
        for name in ("skip_middle_end_transformations", "enable_stack_allocator",
                     "force_auto_alloc")
    },
    "no_reorder": _no_reorder,
}  # fmt: skip


def tool(name: str) -> Any:
    """Attribute `name` of `nki`, besides what the module has."""
    if name in TOOLS:
        return TOOLS[name]
    raise missing("nki", name, ("jit", "simulate", "language", "isa", "typing", "collectives"))


def compiler(name: str) -> Any:
    """Attribute `name` of `nki.compiler`."""
    if name in COMPILER:
        return COMPILER[name]
    raise missing("nki.compiler", name, tuple(COMPILER))
