"""`nki.benchmark`, `nki.profile` and `nki.baremetal`: kernels that were measured on a device.

Here they are simulated, once a call. What is reported is the simulator's wall time, and said to be.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from opennki.api.jit import Kernel, unknown_option
from opennki.base.codes import NKI1007, NKI1127, NKI1128, NKI7030
from opennki.base.diag import Code, diagnostic, fail, problem
from opennki.base.loc import current
from opennki.driver import observed, record, show_warnings
from opennki.trace import plain_int

_COUNTS = ("warmup", "iters", "device_count", "profile_nth", "num_execs")
_FILES = ("save_neff_name", "save_trace_name", "artifacts_dir", "working_directory")

OPTIONS = {
    "benchmark": (
        "warmup", "iters", "device_count", "save_neff_name", "save_trace_name",
        "additional_compile_opt",
    ),
    "profile": (
        "working_directory", "save_neff_name", "save_trace_name", "additional_compile_opt",
        "overwrite", "profile_nth", "num_execs",
    ),
    "baremetal": (
        "save_neff_name", "save_trace_name", "additional_compile_opt", "artifacts_dir",
    ),
}  # fmt: skip
"""Options that each takes. Source: NKI 0.1 API reference."""


class Latency:
    """Times of the runs of a kernel, in microseconds: here, of its one simulation."""

    def __init__(self, kernel: str, seconds: float) -> None:
        self._kernel = kernel
        self._microseconds = seconds * 1e6

    def get_latency_percentile(self, percentile: Any) -> float:
        """The time that `percentile` of 100 runs do not exceed, in microseconds.

        All are one, as a kernel is simulated once. Warns: NKI1128, that it is the simulator's.
        """
        _warn(NKI1128, kernel=self._kernel)
        return self._microseconds


class Result:
    """``kernel.benchmark_result``. Attributes: nc_latency, times as a core would report them."""

    def __init__(self, kernel: str, seconds: float) -> None:
        self.nc_latency = Latency(kernel, seconds)


class MeasuredKernel(Kernel):
    """A kernel that reports how long it took. Its options are those of `OPTIONS`."""

    options: dict[str, Any]
    _result: Result | None = None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the kernel once. Warns: NKI1127 for every file that only a device can give."""
        for option in _FILES:
            if self.options.get(option) is not None:
                _warn(NKI1127, option=option, got=self.options[option], kernel=self.__name__)
        with observed() as runs:
            results = super().__call__(*args, **kwargs)
        for run in runs:
            record(run.compiled, run.outcome)
            self._result = Result(self.__name__, run.outcome.seconds)
        return results

    def __getitem__(self, grid: Any) -> MeasuredKernel:
        """The kernel with a launch grid."""
        return measured(super().__getitem__(grid), self.options)

    @property
    def benchmark_result(self) -> Result:
        """Times of the last call. Raises: NKI7030 before the first."""
        if self._result is None:
            raise fail(NKI7030, current(None), kernel=self.__name__)
        return self._result


def measured(kernel: Kernel, options: dict[str, Any]) -> MeasuredKernel:
    """`kernel` as one that reports how long it took."""
    made = MeasuredKernel(kernel.fn, kernel.request)
    made.options = options
    return made


def checked(name: str, options: dict[str, Any]) -> dict[str, Any]:
    """The options of ``nki.<name>``.

    Raises: NKI1004 for one that it does not have, NKI1007 for a count that is none.
    """
    for option, value in options.items():
        if option not in OPTIONS[name]:
            raise unknown_option(f"nki.{name}", option, OPTIONS[name])
        count = plain_int(value)
        if option in _COUNTS and (count is None or count < 0):
            facts = {"fn": f"nki.{name}", "expected": "a number of runs", "got": repr(value)}
            raise fail(NKI1007, current(None), name=option, **facts)
    return options


def _warn(code: Code, **facts: Any) -> None:
    show_warnings([diagnostic(problem(code, **facts), current(None))])


def decorator(name: str, make: Callable[..., Kernel]) -> Callable[..., Any]:
    """``nki.benchmark`` and the others: of a function or kernel, or of options first."""

    def decorate(kernel: Any = None, **options: Any) -> Any:
        known = checked(name, options)
        if kernel is None:
            return lambda fn: measured(make(fn), known)
        return measured(make(kernel), known)

    decorate.__name__ = decorate.__qualname__ = name
    decorate.__doc__ = f"A kernel as `nki.{name}` makes it; see `OPTIONS` for what it takes."
    return decorate
