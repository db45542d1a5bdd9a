"""The road of one kernel: trace each program of the launch grid, then the forms below."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any

from opennki import birpy
from opennki.backend.pipeline import build
from opennki.backend.program import Program
from opennki.base.diag import Diagnostic, NkiError, Severity
from opennki.lower import BirCodeGenLoop
from opennki.penguin import Function
from opennki.trace import TraceContext, Traced

from .options import Options


@dataclass
class Compiled:
    """A kernel that was traced for given arguments, and what became of it.

    Attributes: kernel, its name; options; traces, one per program of the launch grid. `penguin`,
    `bir` and `program` are its forms, made when first asked for.
    """

    kernel: str
    options: Options
    traces: list[Traced]
    backend: list[Diagnostic] = field(default_factory=list)

    @property
    def penguin(self) -> list[Function]:
        """One Penguin function per program of the launch grid."""
        return [t.function for t in self.traces]

    @cached_property
    def bir(self) -> birpy.Module:
        """The BIR module, before allocation."""
        return BirCodeGenLoop().run_on_module(self.penguin)

    @cached_property
    def program(self) -> Program:
        """The allocated and scheduled program.

        Raises: NkiError for what the back end refuses (capacity, addresses, banks).
        """
        program, self.backend = build(self.bir, self.options.target)
        if program is None or any(d.severity is Severity.error for d in self.backend):
            raise NkiError(self.problems)
        return program

    @property
    def problems(self) -> list[Diagnostic]:
        """What was found so far on the way to the forms that were asked for."""
        return [d for t in self.traces for d in t.diagnostics] + self.backend


def compile_kernel(
    fn: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any], options: Options
) -> Compiled:
    """Trace `fn` on `args` and `kwargs`, once per program of the grid.

    Arrays may be anything with `shape` and `dtype`; their contents do not matter here.
    Raises: NkiError with everything that is wrong in the first program that is.
    """
    name = getattr(fn, "__name__", "kernel")
    traces = []
    for ids in programs(options.grid):
        ctx = TraceContext(fn, options.target, options.grid, ids)
        traces.append(ctx.trace_kernel(args, kwargs))
    return Compiled(name, options, traces)


def programs(grid: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Indices of every program of a grid, in order; one empty index without a grid."""
    return list(product(*(range(n) for n in grid)))
