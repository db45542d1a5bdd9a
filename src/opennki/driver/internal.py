"""Finds internal kernels by name and traces them: what `lower` may not do itself."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from importlib import import_module
from math import prod
from typing import TYPE_CHECKING

from opennki.base.codes import NKI2810
from opennki.base.diag import Diagnostic, fail
from opennki.target import NEWEST, Dialect

from .compiled import compile_kernel
from .kernels import KernelLike, is_kernel
from .options import Options, normal_grid, resolve_target
from .specs import ArraySpec

if TYPE_CHECKING:
    from opennki.lower.internal import KernelRequest, TracedKernel


@dataclass
class KernelTracer:
    """Traces internal kernels with the front end of `options`; a `Tracer` of `lower`.

    Attributes: options, of the compilation; problems, warnings about kernels so far.
    """

    options: Options
    problems: list[Diagnostic] = field(default_factory=list)

    @property
    def frontend(self) -> str:
        """The route that kernels take to BIR."""
        return self.options.frontend

    def trace(self, request: KernelRequest) -> TracedKernel:
        """See `Tracer`. Raises: NKI2810 if there is no such kernel, NkiError for what it does."""
        from opennki.lower.internal import TracedKernel  # when first needed, as in `compiled`

        kernel = found(request)
        version = kernel.request.nki
        options = replace(
            self.options, target=request.target,
            grid=normal_grid(kernel.request.grid) or _grid(request.cores),
            schedule=kernel.request.schedule, step=False,
            dialect=Dialect(version, chosen=True) if version else NEWEST,
        )  # fmt: skip
        arrays = tuple([ArraySpec(shape, dtype) for shape, dtype in request.arrays])
        compiled = compile_kernel(kernel.fn, arrays, request.arguments, options)
        self.problems.extend(compiled.problems)
        if self.frontend == "beta3":
            return TracedKernel(compiled.bir)
        from opennki.lower.beta2.stored import FORMAT, to_binary

        return TracedKernel(compiled.bir, FORMAT, lambda: to_binary(compiled.klr))


def _grid(cores: int) -> tuple[int, ...]:
    """The launch grid of a kernel that names none."""
    return (cores,) if cores > 1 else ()


def found(request: KernelRequest) -> KernelLike:
    """The kernel that a request names. Raises: NKI2810 if there is none, or it does not fit."""
    place = request.kernel.kernel_func
    facts = {"name": request.kernel.name, "place": place}
    module, colon, name = place.partition(":")
    if not (module and colon and name):
        raise fail(NKI2810, request.loc, why="which is not of the form module:function", **facts)
    try:
        home = import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not (module == error.name or module.startswith(error.name + ".")):
            raise
        raise fail(NKI2810, request.loc, why=f"and there is no {error.name}", **facts) from None
    kernel: object = getattr(home, name, None)
    if kernel is None:
        raise fail(NKI2810, request.loc, why=f"and {module} has no {name}", **facts)
    why = _unfit(kernel, request) if is_kernel(kernel) else "which nki.jit does not decorate"
    if why or not is_kernel(kernel):
        raise fail(NKI2810, request.loc, why=why, **facts)
    return kernel


def _unfit(kernel: KernelLike, request: KernelRequest) -> str:
    """What a kernel's decorator asks for that the caller cannot give."""
    wanted = kernel.request
    if wanted.target is not None and resolve_target(wanted.target) != request.target:
        title = resolve_target(wanted.target).title
        return f"which is for {title}, and the function for {request.target.title}"
    if wanted.grid is not None and prod(normal_grid(wanted.grid)) != request.cores:
        grid = normal_grid(wanted.grid)
        return f"whose launch grid is {grid}, and it is called on {request.cores} core(s)"
    return ""
