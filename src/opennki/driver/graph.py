"""The road of functions that have graph ops: from Penguin to BIR, to a program, and to results.

Nothing is traced here but the internal kernels that graph ops become calls of.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from opennki.base.codes import NKI4015, NKI7012, NKI7013, NKI7018
from opennki.base.diag import Diagnostic, NkiError, Severity, fail
from opennki.base.loc import current
from opennki.penguin import Function, print_function, verify
from opennki.sim import cores
from opennki.sim.cores import Party, Steps
from opennki.sim.machine import Machine
from opennki.sim.memory import Memory
from opennki.sim.ref import penguin

from .check import distinct, never_written
from .internal import KernelTracer
from .observe import show_warnings
from .options import LEVELS, Options
from .simulate import machines

if TYPE_CHECKING:
    from opennki import birpy
    from opennki.backend.program import Program
    from opennki.lower.internal import KernelCache, Registry

Array = NDArray[Any]


@dataclass
class CompiledGraph:
    """Functions with graph ops, one for each core, and what becomes of them.

    Attributes: penguin, the functions; options; prebuilt, whether BIR stores kernels in the calls;
    registry, of internal kernels, None for the built-in one; cache, of traced kernels, None until
    one is needed; backend, what the back end found. `bir`, `expanded` and `program` are made when
    first asked for.
    """

    penguin: Sequence[Function]
    options: Options
    prebuilt: bool = False
    registry: Registry | None = None
    cache: KernelCache | None = None
    backend: list[Diagnostic] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._tracer = KernelTracer(self.options)

    @cached_property
    def bir(self) -> birpy.Module:
        """The BIR module, with calls of kernels. Raises: NkiError for what has no kernel."""
        return self._lowered()

    def _lowered(self) -> birpy.Module:
        from opennki.lower import BUILT_IN, BirCodeGenLoop, Form, InternalKernels, KernelCache

        if self.cache is None:
            self.cache = KernelCache()
        registry = BUILT_IN if self.registry is None else self.registry
        form = Form.prebuilt if self.prebuilt else Form.readable
        kernels = InternalKernels(self._tracer, registry, form, self.cache)
        return BirCodeGenLoop(kernels).run_on_module(self.penguin)

    @cached_property
    def expanded(self) -> birpy.Module:
        """The BIR module without calls: storages are those of the back end, before allocation."""
        from opennki.backend.inline_kernels import inline_kernels

        return inline_kernels(self.bir)

    @cached_property
    def program(self) -> Program:
        """The allocated and scheduled program. Raises: NkiError for what the back end refuses."""
        from opennki.backend.pipeline import build

        # A module of its own: allocation writes addresses into the one that it is given.
        program, self.backend = build(self._lowered(), self.options.target)
        if program is None or any(d.severity is Severity.error for d in self.backend):
            raise NkiError(self.problems)
        return program

    @property
    def problems(self) -> list[Diagnostic]:
        """What was found so far on the way to the forms that were asked for."""
        return [*self._tracer.problems, *self.backend]

    def text(self, form: str) -> str:
        """The functions as text: ``penguin``, ``bir``, ``json`` or ``program``.

        Raises: NKI7012 for another form; NkiError as the form does.
        """
        from opennki import birpy

        if form == "penguin":
            return "\n".join(print_function(fn) for fn in self.penguin)
        if form == "bir":
            return birpy.print_module(self.bir)
        if form == "json":
            return birpy.dumps(self.bir, indent=2) + "\n"
        if form == "program":
            return str(self.program)
        known = "penguin, bir, json, program"
        raise fail(NKI7012, current(None), option="form", got=form, known=known)

    def run(self, arrays: Mapping[str, Array], level: str | None = None) -> list[dict[str, Array]]:
        """Simulate on `arrays`, by the names of arguments; the results of each core by name.

        Args: level, which form to run (None: the options'). What the simulator notices is warned
        of, and what kernels print is printed.
        Raises: NKI7012 for a level, NKI7018 for arrays that are not the arguments; NkiError for
        traps and for what compiling down to the level refuses.
        """
        level = level or self.options.level
        if level not in LEVELS:
            raise fail(NKI7012, current(None), option="level", got=level, known=", ".join(LEVELS))
        self._check(arrays)
        hardware = machines(self.options, len(self.penguin), _print)
        parties = []
        for core, (function, (memory, machine)) in enumerate(
            zip(self.penguin, hardware, strict=True)
        ):
            for name in function.args:
                memory.find(function.tensors[name], filled=True).fill(arrays[name])
            parties.append(Party(0, core, machine, self._steps(level, core, machine, memory)))
        cores.run(parties)
        show_warnings([d for party in parties for d in party.machine.diagnostics])
        return [
            {name: memory.find(fn.tensors[name]).values() for name in fn.results}
            for fn, (memory, _) in zip(self.penguin, hardware, strict=True)
        ]

    def _steps(self, level: str, core: int, machine: Machine, memory: Memory) -> Steps:
        if level == "penguin":
            return penguin.steps(self.penguin[core], machine)
        from opennki.sim.ref import bir, program

        if level == "bir":
            return bir.steps(self.expanded.functions[core], self.options.target, machine)
        return program.steps(self.program, core, machine, memory)

    def _check(self, arrays: Mapping[str, Array]) -> None:
        """Raises NKI7018 for arrays that are not the arguments of the functions."""
        tensors = {name: fn.tensors[name] for fn in self.penguin for name in fn.args}
        want = {name: f"{t.dtype}{list(t.shape)}" for name, t in tensors.items()}
        got = {name: f"{a.dtype}{list(a.shape)}" for name, a in arrays.items()}
        if want != got:
            shown = [", ".join(f"{n}: {text}" for n, text in one.items()) for one in (want, got)]
            kernel = self.penguin[0].name
            raise fail(NKI7018, current(None), kernel=kernel, want=shown[0], got=shown[1] or "none")


def _print(line: str) -> None:
    sys.stdout.write(line + "\n")


def compile_functions(
    functions: Sequence[Function], options: Options, *, prebuilt: bool = False,
    registry: Registry | None = None, cache: KernelCache | None = None,
) -> CompiledGraph:  # fmt: skip
    """Functions of a launch, one for each core, on their road; they are verified.

    Args: see `CompiledGraph`. Raises: NkiError with every rule of Penguin that they break; NKI7013
    for a function that is not for the options' target, NKI4015 for one of another launch.
    """
    for core, fn in enumerate(functions):
        if fn.target != options.target:
            one, other = f"`{fn.name}`, which is for {fn.target.title},", options.target.title
            raise fail(NKI7013, current(None), first=one, second=f"the target {other}")
        got, wanted = f"core {fn.core} of {fn.cores}", f"core {core} of {len(functions)}"
        if got != wanted:
            field = f"the place of `{fn.name}` in its launch"
            raise fail(NKI4015, current(None), field=field, got=got, allowed=wanted)
    found = [d for fn in functions for d in verify(fn) if d.severity is Severity.error]
    if found:
        raise NkiError(found)
    return CompiledGraph(functions, options, prebuilt, registry, cache)


def check_functions(
    functions: Sequence[Function], options: Options, *, registry: Registry | None = None
) -> list[Diagnostic]:
    """Problems on the road of functions up to allocation, in source order, each once."""
    from opennki.backend.pipeline import build

    try:
        compiled = compile_functions(functions, options, registry=registry)
        _, found = build(compiled.bir, options.target, until="ALLOCATED")
    except NkiError as error:
        return distinct(error.diagnostics)
    unwritten = [d for fn in functions for d in never_written(fn)]
    return distinct(compiled.problems + unwritten + found)
