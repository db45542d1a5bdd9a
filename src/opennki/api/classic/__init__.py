"""The first generation of the language: what kernels import as `neuronxcc.nki`."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from typing import Any, NoReturn

from opennki.api.jit import Kernel, changed, unknown_option
from opennki.api.typing import tensor
from opennki.base.codes import NKI7012
from opennki.base.diag import fail
from opennki.base.loc import current
from opennki.driver import Request

from .measuring import OPTIONS, checked, decorator, measured

__all__ = [
    "baremetal", "benchmark", "jit", "profile", "simulate_kernel", "tensor", "trace",
]  # fmt: skip

_MISSING = "neuronxcc.nki{} has no {}: it is not there yet, or never was"
MODES = ("auto", "baremetal", "benchmark", "jax", "profile", "simulation", "torchxla", "trace")
"""How kernels could be run. Source: NKI 0.1 API reference, nki.jit."""

DEFAULT = "trn1"
"""Target of kernels that name none. Source: NKI 0.1 API reference, nki.jit."""

_JIT_OPTIONS = (
    "platform_target", "grid", "kernel_return", "debug_kernel", "show_compiler_tb",
    "experimental_flags", "additional_compile_opt",
)  # fmt: skip


def jit(fn: Callable[..., Any] | None = None, mode: str = "auto", **kwargs: Any) -> Any:
    """Make a kernel of a function.

    Args: mode, how it is run: here all are simulated, and ``benchmark``, ``profile`` and
        ``baremetal`` make kernels as the functions of these names do, whose options they take;
        kwargs, platform_target, what to compile for; grid; show_compiler_tb, keep our own frames
        in tracebacks; kernel_return, whether results are returned, which the kernel itself says;
        the others steer the first compiler and have no meaning here.
    Raises: NKI7012 for a mode, NKI1004 for a keyword that does not exist.
    """
    if mode not in MODES:
        raise fail(NKI7012, current(None), option="mode", got=mode, known=", ".join(MODES))
    own = {k: v for k, v in kwargs.items() if k in OPTIONS.get(mode, ()) and k not in _JIT_OPTIONS}
    for name in kwargs:
        if name not in _JIT_OPTIONS and name not in own:
            raise unknown_option("nki.jit", name, _JIT_OPTIONS)
    if fn is None:
        return lambda decorated: jit(decorated, mode, **kwargs)
    request = Request(
        target=kwargs.get("platform_target"), grid=kwargs.get("grid"), classic=True,
        default_target=DEFAULT, full_traceback=bool(kwargs.get("show_compiler_tb", False)),
    )  # fmt: skip
    if isinstance(fn, Kernel) and fn.request.classic:
        request = changed(
            request, target=request.target or fn.request.target,
            grid=request.grid if request.grid is not None else fn.request.grid,
        )  # fmt: skip
    kernel = Kernel(fn.fn if isinstance(fn, Kernel) else fn, request)
    return measured(kernel, checked(mode, own)) if mode in OPTIONS else kernel


benchmark = decorator("benchmark", jit)
profile = decorator("profile", jit)
baremetal = decorator("baremetal", jit)


def trace(fn: Callable[..., Any] | None = None, **kwargs: Any) -> Any:
    """As `jit`: a kernel that is simulated, or inlined into the kernel that calls it."""
    return jit(fn, "trace", **kwargs)


def simulate_kernel(kernel: Any, *args: Any, **kwargs: Any) -> Any:
    """Run a kernel, with or without a grid, on arrays; what it returns."""
    made = kernel if isinstance(kernel, Kernel) else jit(kernel)
    return made(*args, **kwargs)


def missing(module: str, name: str, known: Any = ()) -> AttributeError:
    """The error for a name that a module of the first generation does not have here."""
    text = _MISSING.format(module, name)
    close = get_close_matches(name, known, 1)
    return AttributeError(f"{text}; did you mean {close[0]}?" if close else text)


def __getattr__(name: str) -> NoReturn:
    raise missing("", name, __all__)
