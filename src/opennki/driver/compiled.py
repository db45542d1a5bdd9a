"""The road of one kernel: trace each program of the launch grid, then the forms below.

BIR and the back end are imported when they are first needed, so that ``import nki`` is quick.
"""

from __future__ import annotations

import copy
import hashlib
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from opennki import __version__
from opennki.base import dtypes
from opennki.base.codes import NKI7012, NKI7013, NKI7018
from opennki.base.diag import Diagnostic, NkiError, Severity, fail
from opennki.base.loc import current
from opennki.base.passes import Observe, Stages
from opennki.builder import Codegen, NeuronCodegen, UnrolledCodegen
from opennki.penguin import Function, print_function
from opennki.trace import TraceContext, Traced, check_launch
from opennki.trace.sema.memory_names import with_memory_names

from .arrays import check_results, check_writable, like, to_numpy, write_back
from .observe import record, show_warnings
from .options import LEVELS, Options
from .programs import of_program, programs, tell_apart
from .simulate import Outcome, execute
from .watch import Watch

if TYPE_CHECKING:
    from opennki import birpy, klr
    from opennki.backend.program import Program

FORMS = ("penguin", "klr", "klr-json", "bir", "json", "program")
"""What `Compiled.text` can print."""

_COMMENT = re.compile(r"  // [^\"\n]*$", re.MULTILINE)


@dataclass
class Compiled:
    """A kernel that was traced for given arguments, and what became of it.

    Attributes: kernel, its name; options; traces, one per program of the launch grid. `penguin` or
    `klr`, whichever its front end builds, `bir` and `program` are its forms, made when first asked
    for. observe is told of every stage of making them.
    """

    kernel: str
    options: Options
    traces: list[Traced]
    backend: list[Diagnostic] = field(default_factory=list)
    observe: Observe | None = field(default=None, repr=False, compare=False)

    def __repr__(self) -> str:
        grid = f", grid {'x'.join(map(str, self.options.grid))}" if self.options.grid else ""
        count = sum(sum(trace.function.counts().values()) for trace in self.traces)
        where = f"{self.options.target.aliases[0]}{grid}"
        return f"<compiled {self.kernel} for {where}: {count} instructions>"

    @property
    def penguin(self) -> list[Function]:
        """One Penguin function per program of the launch grid.

        Raises: NKI7013 on the second road, which has none.
        """
        self._built_by("beta3", "penguin")
        return [t.function for t in self.traces if isinstance(t.function, Function)]

    @cached_property
    def klr(self) -> klr.LncKernel:
        """The KLR kernel, with a body per program of the launch grid.

        Raises: NKI7013 on the first road, which has none.
        """
        from opennki.builder.klr_codegen import assemble

        self._built_by("beta2", "klr")
        stages = Stages(self.observe)
        kernel = assemble([(t.function, t.built) for t in self.traces])
        stages.done("assemble", kernel)
        return kernel

    def _built_by(self, frontend: str, form: str) -> None:
        if self.options.frontend != frontend:
            facts = {
                "first": f"the form {form}",
                "second": f"the front end {self.options.frontend}",
            }
            raise fail(NKI7013, current(None), **facts)

    @cached_property
    def bir(self) -> birpy.Module:
        """The BIR module, before allocation."""
        return self._lowered()

    def _lowered(self) -> birpy.Module:
        if self.options.frontend == "beta3":
            from opennki.lower import BirCodeGenLoop

            stages = Stages(self.observe)
            module = BirCodeGenLoop().run_on_module(self.penguin)
            stages.done("lower", module)
            return module
        from opennki.lower.beta2 import KlirToBirCodegen

        lowering = KlirToBirCodegen(self.options.target)
        return lowering.run_on_kernel(self.klr, self.observe)

    @cached_property
    def program(self) -> Program:
        """The allocated and scheduled program.

        Raises: NkiError for what the back end refuses (capacity, addresses, banks).
        """
        from opennki.backend.pipeline import build

        # A module of its own: allocation writes addresses into the one that it is given.
        program, self.backend = build(self._lowered(), self.options.target, self.observe)
        if program is None or any(d.severity is Severity.error for d in self.backend):
            raise NkiError(self.problems)
        return program

    @property
    def scheduled(self) -> Program | None:
        """The program if it was made already."""
        return self.__dict__.get("program")

    @property
    def problems(self) -> list[Diagnostic]:
        """What was found so far on the way to the forms that were asked for."""
        return [d for t in self.traces for d in t.diagnostics] + self.backend

    def text(self, form: str) -> str:
        """The kernel as text.

        Args: form, ``penguin`` on the first road, ``klr`` (an S-expression) or ``klr-json`` on the
            second; on both ``bir``, ``json`` (BIR's) or ``program``.
        Raises: NKI7012 for another form, NKI7013 for one that the road has not; for a program,
            NkiError as `program`.
        """
        if form == "penguin":
            return "\n".join(print_function(fn) for fn in self.penguin)
        return text_of(self, form)

    @cached_property
    def key(self) -> str:
        """A digest of what was compiled: equal for equal instructions, arguments and options.

        Source lines do not count, so a comment added to the kernel changes nothing.
        """
        from opennki import birpy

        options = self.options
        head = f"{__version__} {options.target.name} {options.grid} {options.frontend}\n"
        body = _COMMENT.sub("", birpy.print_module(self.bir))
        return hashlib.sha256((head + body).encode()).hexdigest()

    def run(self, *arrays: Any, level: str | None = None) -> Any:
        """Simulate on arrays that take the places of those that it was compiled for, in order.

        Returns: results as calling the kernel gives them; arrays that it writes are updated.
        Raises: NKI7018 if number, shape or dtype of arrays differ; NKI1049 as calling the kernel
        does; NkiError for traps.
        """
        check_results(self.traces[0], list(arrays))
        outcome = self.outcome(arrays, level)
        record(self, outcome)
        show_warnings(outcome.diagnostics)
        for array, values in outcome.written:
            write_back(array, values)
        return rebuilt(outcome.results, lambda leaf: like(leaf, list(arrays)))

    def outcome(self, arrays: tuple[Any, ...], level: str | None = None) -> Outcome:
        """As `run`, with diagnostics, and without storing into the arrays."""
        bound = copy.copy(self)
        if level is not None and level not in LEVELS:
            raise fail(NKI7012, current(None), option="level", got=level, known=", ".join(LEVELS))
        if (level or self.options.level) == "program":
            bound.__dict__["program"] = self.program
        bound.traces = [replace(t, arrays=self._bound(t, arrays)) for t in self.traces]
        return execute(bound, to_numpy, _print, level)

    def _bound(self, traced: Traced, arrays: tuple[Any, ...]) -> list[tuple[Any, Any]]:
        """The argument tensors with `arrays` as their contents."""
        tensors = [tensor for tensor, _ in traced.arrays]
        want = ", ".join(f"{t.dtype}{list(t.shape)}" for t in tensors) or "none"
        if not all(hasattr(a, "shape") and hasattr(a, "dtype") for a in arrays):
            got = ", ".join(type(a).__name__ for a in arrays)
            raise fail(NKI7018, current(None), kernel=self.kernel, want=want, got=got)
        got = ", ".join(f"{a.dtype}{list(a.shape)}" for a in arrays) or "none"
        fits = len(arrays) == len(tensors) and all(
            tuple(a.shape) == t.shape and _same(a.dtype, t.dtype)
            for a, t in zip(arrays, tensors, strict=True)
        )
        if not fits:
            raise fail(NKI7018, current(None), kernel=self.kernel, want=want, got=got)
        for tensor, array in zip(tensors, arrays, strict=True):
            if tensor.written:
                check_writable(array, tensor.name)
        return list(zip(tensors, arrays, strict=True))


class Lowered(Protocol):
    """A kernel with the forms that both roads, and files of KLR, come to."""

    @property
    def klr(self) -> klr.LncKernel:
        """The KLR kernel."""

    @property
    def bir(self) -> birpy.Module:
        """The BIR module."""

    @property
    def program(self) -> Program:
        """The scheduled program."""


def text_of(kernel: Lowered, form: str) -> str:
    """One form of `kernel` as text. Raises: NKI7012 for what is none."""
    from opennki import birpy

    if form == "klr":
        from opennki.klr import to_sexp

        return to_sexp(kernel.klr)
    if form == "klr-json":
        from opennki.klr import to_json

        return to_json(kernel.klr, indent=1) + "\n"
    if form == "bir":
        return birpy.print_module(kernel.bir)
    if form == "json":
        return birpy.dumps(kernel.bir, indent=2) + "\n"
    if form == "program":
        from opennki.backend.program_text import print_program

        return print_program(kernel.program)
    raise fail(NKI7012, current(None), option="form", got=form, known=", ".join(FORMS))


def _same(given: object, wanted: dtypes.DType) -> bool:
    try:
        return dtypes.dtype(given) == wanted
    except KeyError:
        return False


def _print(line: str) -> None:
    sys.stdout.write(line + "\n")


def rebuilt(results: Any, leaf: Callable[[Any], Any]) -> Any:
    """The nesting of `results` with ``leaf(array)`` in place of every array; None stays None."""
    if isinstance(results, dict):
        return {k: rebuilt(v, leaf) for k, v in results.items()}
    if isinstance(results, list):
        return [rebuilt(v, leaf) for v in results]
    if isinstance(results, tuple):
        items = [rebuilt(v, leaf) for v in results]
        return type(results)(*items) if hasattr(results, "_fields") else tuple(items)
    return None if results is None else leaf(results)


def codegen_of(options: Options) -> type[Codegen]:
    """The forward builder of the road that is taken."""
    if options.frontend == "beta3":
        return UnrolledCodegen if options.unroll else NeuronCodegen
    from opennki.builder.klr_codegen import KlrCodegen

    return KlrCodegen


def compile_kernel(
    fn: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    options: Options,
    watch: Watch | None = None,
) -> Compiled:
    """Trace `fn` on `args` and `kwargs`, once per program of the grid.

    Arrays may be anything with `shape` and `dtype`; their contents do not matter here. `watch` is
    told of every stage of this, and of making the forms.
    Raises: NkiError with everything that is wrong in the first program that is, or across them.
    """
    name = getattr(fn, "__name__", "kernel")
    fn = with_memory_names(fn)
    codegen = codegen_of(options)
    traces = []
    for ids in programs(options.grid):
        ctx = TraceContext(
            fn, options.target, options.grid, ids,
            schedule=options.schedule, dialect=options.dialect,
            codegen=codegen if watch is None else watch.clocked(codegen),
        )  # fmt: skip
        if options.spmd is not None:
            ctx.programs = options.spmd.on(ids)
        with of_program(ids, options.grid):
            traced = ctx.trace_kernel(args, kwargs)
        if watch is not None:
            watch.traced(traced)
        traces.append(traced)
    tell_apart([traced.diagnostics for traced in traces], options.grid)
    check_launch(traces)
    return Compiled(name, options, traces, observe=watch)
