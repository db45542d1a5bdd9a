"""`nki.jit` and `nki.simulate`: kernels as callables."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from difflib import get_close_matches
from functools import partial
from importlib import import_module
from time import perf_counter
from types import MethodType
from typing import Any

from opennki.base.codes import NKI1004, NKI1025, NKI1026, NKI5106
from opennki.base.diag import NkiError, fail
from opennki.base.loc import current, without_ours
from opennki.driver import (
    Compiled,
    Options,
    Outcome,
    Request,
    StepMachine,
    Turns,
    codegen_of,
    collect,
    defer,
    execute,
    in_program,
    machines,
    of_program,
    programs,
    rebuilt,
    record,
    show_warnings,
    tell_apart,
    traced,
    unwritten,
)
from opennki.driver.arrays import (
    check_results,
    check_separate,
    check_writable,
    like,
    to_numpy,
    write_back,
)
from opennki.driver.options import known_frontend, known_level, known_version, resolve_target
from opennki.interop import torch_tensors
from opennki.sim import cores
from opennki.sim.cores import Party
from opennki.trace import (
    Edge,
    Stepping,
    TraceContext,
    Traced,
    check_launch,
    edges_of,
    function_of,
    nki_ctx_or_none,
)
from opennki.trace.sema.memory_names import with_memory_names

_JIT_OPTIONS = (
    "mode", "platform_target", "debug_kernel", "show_compiler_tb", "grid", "experimental_flags",
)  # fmt: skip


_SIMULATE_OPTIONS = ("step", "strict", "level", "target", "nki", "frontend")


class Kernel:
    """A kernel: call it with arrays, or choose a launch grid first with ``kernel[n]``.

    Attributes: fn, the decorated function; request, options that its decorator or `simulate` set.
    """

    def __init__(self, fn: Callable[..., Any], request: Request) -> None:
        if not hasattr(function_of(fn), "__code__"):
            raise fail(NKI1025, current(None), got=f"{type(fn).__name__} {fn!r:.60}")
        self.fn = fn
        self.request = request
        functools.update_wrapper(self, fn)
        self.__name__ = getattr(fn, "__name__", "kernel")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the kernel on the simulator, or inline it when called from another kernel.

        Results are of the kind of the arguments: torch if any of them is, else JAX if any is, else
        NumPy. Arguments that the kernel writes are updated when it has finished; when it fails they
        are untouched. In a function that JAX traces the kernel is compiled now and runs when the
        function does.
        Raises: NkiError with every problem that was found.
        """
        ctx = nki_ctx_or_none()
        if ctx is not None:
            if self.request.grid is not None:
                raise ctx.refusal(NKI1026, fn=self.__name__, grid=self.request.grid)
            if self.request.schedule:
                raise ctx.refusal(NKI5106, fn=self.__name__)
            return ctx.inline_function(self.fn, *args, **kwargs)
        try:
            run = torch_tensors.uncompiled(launch)
            return run(self.fn, args, kwargs, self.request.resolve())
        except NkiError as error:
            if self.request.full_traceback:
                raise
            raise error.with_traceback(None) from shown_cause(error.__cause__)

    def __getitem__(self, grid: Any) -> Kernel:
        """The kernel with a launch grid: ``kernel[2]`` runs it on two cores of a logical core."""
        sizes = grid if isinstance(grid, tuple) else (grid,)
        return Kernel(self.fn, changed(self.request, grid=sizes))

    def with_schedule(self, schedule: Any) -> Kernel:
        """The kernel with explicit order between instructions, besides what it had.

        Args: schedule, a list of pairs ``(later, earlier)`` or ``(later, [earlier, ...])`` of the
            names that instructions have by ``name=``.
        Raises: NKI5104 for anything else, NKI5105 for a name beside itself. A name that no
            instruction has (NKI5101) and an order that contradicts the values (NKI5105) are found
            when the kernel is traced.
        """
        edges = edges_of(schedule, current(None))
        return Kernel(self.fn, changed(self.request, schedule=(*self.request.schedule, *edges)))

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """As a method: the instance is the first argument."""
        return self if instance is None else Kernel(MethodType(self.fn, instance), self.request)

    def __reduce__(self) -> tuple[Any, ...]:
        """Kernels are pickled by name, as functions are: that of the function they decorate."""
        fn = self.fn
        if isinstance(fn, MethodType):
            return _bound, (fn.__self__, fn.__name__, self.request)
        module, path = getattr(fn, "__module__", ""), getattr(fn, "__qualname__", "")
        place: Any = sys.modules.get(module)
        for name in path.split("."):
            place = getattr(place, name, None)
        if isinstance(place, Kernel) and place.fn is fn:
            return _named, (module, path, self.request)
        return Kernel, (fn, self.request)

    def __repr__(self) -> str:
        return f"<nki kernel {self.__name__}>"


def _named(module: str, name: str, request: Request) -> Kernel:
    """The kernel of that name with the options `request`."""
    place: Any = import_module(module)
    for part in name.split("."):
        place = getattr(place, part)
    return Kernel(place.fn, request)


def _bound(instance: Any, name: str, request: Request) -> Kernel:
    """The kernel that is the method `name` of `instance`, with the options `request`."""
    method = getattr(instance, name)
    return Kernel(method.fn if isinstance(method, Kernel) else method, request)


def shown_cause(cause: BaseException | None) -> BaseException | None:
    """What the kernel's own Python raised, without our frames; None for endless recursion."""
    if cause is None or isinstance(cause, RecursionError):
        return None
    return cause.with_traceback(without_ours(cause.__traceback__))


def changed(request: Request, **changes: Any) -> Request:
    """`request` with other options."""
    fields = {name: getattr(request, name) for name in request.__dataclass_fields__}
    return Request(**{**fields, **changes})


def jit(fn: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Make a kernel of a function.

    Args: fn, the function (absent when options are given: ``@nki.jit(grid=2)``); options:
        platform_target, what to compile for; grid, launch grid; show_compiler_tb, keep our own
        frames in tracebacks; mode, debug_kernel and experimental_flags choose how a device runs a
        kernel and have no meaning here, where every kernel is simulated.
    Raises: NKI1004 for any other keyword.
    """
    if fn is None:
        return lambda decorated: jit(decorated, **options)
    for name in options:
        if name not in _JIT_OPTIONS:
            raise unknown_option("nki.jit", name, _JIT_OPTIONS)
    schedule: tuple[Edge, ...] = ()
    if isinstance(fn, Kernel):
        schedule, fn = fn.request.schedule, fn.fn
    request = Request(
        target=options.get("platform_target"),
        grid=options.get("grid"),
        full_traceback=bool(options.get("show_compiler_tb", False)),
        schedule=schedule,
    )
    return Kernel(fn, request)


def unknown_option(fn: str, name: str, known: tuple[str, ...]) -> NkiError:
    """The error for a keyword that `fn` does not have."""
    close = ", ".join(get_close_matches(name, known, 1))
    return fail(NKI1004, current(None), name=name, fn=fn, known=", ".join(known), close=close)


def simulate(
    kernel: Callable[..., Any], *, step: bool = False, strict: bool = False,
    level: str | None = None, target: str | None = None, nki: str | None = None,
    frontend: str | None = None, **unknown: Any,
) -> Kernel:  # fmt: skip
    """The kernel as a callable that runs on the simulator.

    Args: kernel, decorated or plain function, perhaps with a grid (``kernel[2]``); step, run every
        instruction as soon as it is traced, so that print() and debuggers show values; strict,
        reading memory that nothing wrote is an error; level, which form to run (penguin, bir,
        program; the default is program); target, what to compile for; nki, the language version
        that the kernel is written in, which is then taken at its word (without it, what earlier
        versions had is accepted with a warning); frontend, the route to BIR (beta2 by KLR, beta3
        by Penguin).
    Raises: NKI1004 for any other keyword, NKI7012 for a level or a front end, NKI1023 for a target
        and NKI7019 for a version that do not exist.
    """
    for name in unknown:
        raise unknown_option("nki.simulate", name, _SIMULATE_OPTIONS)
    if level is not None:
        known_level(level)
    if target is not None:
        resolve_target(target)
    if nki is not None:
        known_version(nki)
    if frontend is not None:
        known_frontend(frontend)
    made = kernel if isinstance(kernel, Kernel) else Kernel(kernel, Request())
    changes: dict[str, Any] = {"step": step, "strict": strict, "level": level, "nki": nki}
    if frontend is not None:
        changes["frontend"] = frontend
    if target is not None:
        changes["target"] = target
    return Kernel(made.fn, changed(made.request, **changes))


def launch(
    fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], options: Options
) -> Any:
    """Compile and run one call; the whole of what calling a kernel means."""
    start = perf_counter()
    contexts, traces = _trace(fn, args, kwargs, options)
    callers = [array for _, array in traces[0].arrays]
    for tensor, array in traces[0].arrays:
        if tensor.written:
            check_writable(array, tensor.name)
    check_separate([(tensor.name, array, tensor.written) for tensor, array in traces[0].arrays])
    compiled = Compiled(getattr(fn, "__name__", "kernel"), options, traces)
    if traced(callers):
        show_warnings(compiled.problems)
        return defer(compiled)
    check_results(traces[0], callers)
    if all(c.stepper is not None for c in contexts):
        outcome = _stepped(contexts, traces, perf_counter() - start, options)
    else:
        outcome = execute(compiled, to_numpy, _print)
    record(compiled, outcome)
    show_warnings(compiled.problems + outcome.diagnostics)
    for array, values in outcome.written:
        write_back(array, values)
    return rebuilt(outcome.results, lambda leaf: like(leaf, callers))


def _trace(
    fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], options: Options
) -> tuple[list[TraceContext], list[Traced]]:
    fn = with_memory_names(fn)
    launched = programs(options.grid)
    hardware = machines(options, len(launched), _print)
    in_turns = options.step and len(launched) > 1
    contexts, parties, turns = [], [], []
    for core, (ids, (memory, machine)) in enumerate(zip(launched, hardware, strict=True)):
        turn: Turns[Traced] = Turns()
        stepper = partial(
            StepMachine, memory=memory, machine=machine, to_numpy=to_numpy,
            turns=turn if in_turns else None,
        )  # fmt: skip
        ctx = TraceContext(
            fn, options.target, options.grid, ids, Stepping(stepper, options.step),
            options.schedule, options.dialect, codegen_of(options),
        )  # fmt: skip
        if options.spmd is not None:
            ctx.programs = options.spmd.on(ids)
        contexts.append(ctx)
        turns.append(turn)
        steps = turn.steps(partial(ctx.trace_kernel, args, kwargs))
        parties.append(Party(0, core, machine, in_program(steps, ids, options.grid)))
    if in_turns:
        cores.run(parties)
        traces = [turn.value for turn in turns]
    else:
        traces = []
        for ids, ctx in zip(launched, contexts, strict=True):
            with of_program(ids, options.grid):
                traces.append(ctx.trace_kernel(args, kwargs))
    tell_apart([traced.diagnostics for traced in traces], options.grid)
    check_launch(traces)
    return contexts, traces


def _stepped(
    contexts: list[TraceContext], traces: list[Traced], seconds: float, options: Options
) -> Outcome:
    """What instructions left that ran while they were traced."""
    machines = [c.stepper for c in contexts]
    told = [m.machine.diagnostics for m in machines]  # type: ignore[union-attr]
    tell_apart(told, options.grid)
    found = [d for one in told for d in one]
    memories = [m.memory for m in machines]  # type: ignore[union-attr]
    found += unwritten(traces[0], memories[0], options.strict)
    return Outcome(*collect(traces, memories), found, seconds)


def _print(line: str) -> None:
    sys.stdout.write(line + "\n")
