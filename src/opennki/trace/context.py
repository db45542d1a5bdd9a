"""`TraceContext`: one kernel being traced by partial evaluation.

Python runs; calls of NKI functions become instructions of `function`. The context holds what those
calls need: the builder, the target, the launch grid, names, and the problems found so far.
"""

from __future__ import annotations

import gc
import inspect
import operator
import os
import pdb
import sys
from bdb import BdbQuit
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from math import prod
from types import CodeType, ModuleType
from typing import Any, ClassVar, Protocol

from opennki.base import dtypes
from opennki.base.codes import (
    NKI1010,
    NKI1011,
    NKI1012,
    NKI1021,
    NKI1062,
    NKI1090,
    NKI3006,
)  # fmt: skip
from opennki.base.diag import (
    Code,
    Diagnostic,
    NkiError,
    Problem,
    Severity,
    diagnostic,
    problem,
)
from opennki.base.loc import SrcLoc, current, short_path
from opennki.builder import Codegen, NeuronCodegen
from opennki.ir import Inst, Recorded, Role, Space, Tensor, View, describe, register
from opennki.target import NEWEST, Change, Dialect, Target

from .arguments import ResultTree, bind, cast, function_of, signature_of, unbound, with_tensors
from .classic.grid import Programs
from .classic.loops import SymbolicLoops
from .classic.parameters import parameter_problems
from .classic.tiles import covering as classic_covering
from .launch import Traced, unscheduled, unwritten
from .loops import LoopStack
from .names import assigned_name, definition_line, loop_values, return_line
from .nki_ctx import global_ctx
from .registers import VirtualRegister
from .schedule import Edge, attach, settle
from .translate import translate
from .values import NkiTensor, covering

_NUMBER = "pass a number instead (to jax.jit a static argument), or give it dimensions"
LIBRARIES = ("numpy", "math", "opennki", "nki", "neuronxcc", "ml_dtypes")
"""Modules whose functions run concretely when a kernel calls them through `TraceContext.call`."""


class Stepper(Protocol):
    """Executes statements while they are traced (step mode)."""

    def execute(self, statement: Recorded) -> None:
        """Run one instruction, or one run-time loop with its complete body."""

    def values(self, view: View) -> Any:
        """The present contents of a view as an array."""


MakeStepper = Callable[[list[tuple[Tensor, Any]]], Stepper]


@dataclass(frozen=True)
class Stepping:
    """How a kernel can be run while it is traced: who does it, and whether from the start."""

    make: MakeStepper
    at_once: bool


@dataclass
class Scope:
    """A kernel or a function that was inlined into it."""

    kind: str
    name: str


class TraceContext:
    """State of one trace.

    Attributes: target; grid, sizes of the launch grid; ids, this program's index on each axis;
    programs, of the first generation, which one core may run several of, or None;
    builder, of the road that is taken; function, its record; diagnostics; scopes, innermost last;
    verified, signatures of calls that broke no rule; refused_sizes, windows that a refused call
    should have written (see `sema.bind`); dialect, the language version; told, what of earlier
    versions was warned of; loops, the run-time loops that are open; symbolic, loops of the first
    generation whose body is being traced; destination, what the next function that returns a tile
    writes instead of a new one, or None.
    """

    global_ctx = global_ctx
    _verified: ClassVar[dict[tuple[Target, Dialect], dict[Any, Any]]] = {}

    def __init__(
        self,
        fn: Callable[..., Any],
        target: Target,
        grid: tuple[int, ...] = (),
        ids: tuple[int, ...] = (),
        stepping: Stepping | None = None,
        schedule: Sequence[Edge] = (),
        dialect: Dialect = NEWEST,
        codegen: type[Codegen] = NeuronCodegen,
    ) -> None:
        self.target = target
        self.grid = grid
        self.ids = ids
        self.programs: Programs | None = None
        self.kernel_code: CodeType | None = getattr(function_of(fn), "__code__", None)
        name, place = getattr(fn, "__name__", "kernel"), (_linear(ids, grid), prod(grid))
        self.builder = codegen.begin(name, target, place, self.kernel_code)
        self.function = self.builder.function
        self.diagnostics: list[Diagnostic] = []
        self.scopes: list[Scope] = [Scope("kernel", self.function.name)]
        self.dialect = dialect
        self.told: set[tuple[Change, SrcLoc]] = set()
        self.verified = self._verified.setdefault((target, dialect), {})
        self.arrays: list[tuple[Tensor, Any]] = []
        self.refused_sizes: set[tuple[Tensor, tuple[int, ...]]] = set()
        self.loops = LoopStack(self)
        self.symbolic = SymbolicLoops(self)
        self.destination: NkiTensor | None = None
        self._cover = classic_covering if dialect.classic else covering
        self.stepper: Stepper | None = None
        self._stepping = stepping
        self._schedule = schedule
        self._fn = fn
        self._taken: dict[str, int] = {}

    # ---- the road ----------------------------------------------------------------------------

    def trace_kernel(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Traced:
        """Run the kernel on `args` and `kwargs` and return what it built.

        Raises: NkiError with every error that was found, in source order.
        """
        token = global_ctx.set(self)
        debugger = sys.breakpointhook = _Debugger(sys.breakpointhook)
        collecting = gc.isenabled()
        gc.disable()
        try:
            results = self._run(args, kwargs)
        except BdbQuit:  # the user left the debugger
            raise
        except NkiError as error:
            self.diagnostics.extend(d for d in error.diagnostics if d not in self.diagnostics)
            raise self._error(error) from error.__cause__
        except Exception as error:
            found = translate(error, self.kernel_code, self.loop_notes)
            self.diagnostics.extend(found.diagnostics)
            raise self._error(found) from error
        finally:
            debugger.remove()
            if collecting:
                gc.enable()
            global_ctx.reset(token)
            for tensor in self.function.tensors.values():
                tensor.retire()
        loc = self._kernel_loc()
        traced = Traced(self.function, self.arrays, results, self.diagnostics, loc)
        if not any(d.severity is Severity.error for d in self.diagnostics):
            traced.unscheduled = attach(self._schedule, self.builder.named)
            self.diagnostics.extend(settle(self.function, self._schedule))
        traced.names = tuple(self.builder.named)
        traced.idle = tuple(self.symbolic.idle)
        if prod(self.grid) == 1:  # of a launch of many only all programs together can tell
            self.diagnostics.extend([*unwritten([traced]), *unscheduled([traced])])
        if any(d.severity is Severity.error for d in self.diagnostics):
            raise NkiError(self.diagnostics)
        traced.built = self.builder.finish()
        return traced

    def _error(self, error: NkiError) -> NkiError:
        """`error` with everything that was found before it."""
        NkiError.__init__(error, self.diagnostics)  # keeps the class of the user's error
        return error

    def _run(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> ResultTree | None:
        fn, args, kwargs = unbound(self._fn, args, kwargs)
        bound = bind(fn, args, kwargs, self.refusal)
        values = {k: with_tensors(k, v, self._input, self.refusal) for k, v in bound.items()}
        positional, keywords = _as_call(fn, values)
        if self._stepping is not None and self._stepping.at_once:
            self.step()
        call = partial(fn, *positional, **keywords)
        value = call() if self.programs is None else self.programs.run(call, self._refused_result)
        results = self._finish(value)
        self.loops.finish()
        if self.dialect.classic:
            arguments = [tensor for tensor, _ in self.arrays]
            end = _return_loc(self._kernel_loc(), self.kernel_code)
            self.diagnostics += parameter_problems(self._fn, self.function, arguments, end)
        return results

    def _finish(self, value: Any) -> ResultTree | None:
        if value is None:
            return None
        results = ResultTree(value, self._refused_result)
        for view in results.leaves:
            tensor = view.tensor
            if tensor in self.symbolic.homes:
                raise self._refused_result(NKI1090, **self.symbolic.gone(tensor))
            if tensor.retired:
                raise self._refused_result(NKI1062, name=tensor.name, thing="tensor")
            if tensor.role is Role.internal:
                tensor.role = Role.output
            if tensor.name not in self.function.results:
                self.function.results.append(tensor.name)
        return results

    def call(self, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Call `fn` from inside the kernel, by the three gates.

        NKI functions and functions marked ``__nki_dont_trace__`` or defined in a library module run
        as they are; everything else is inlined with a scope of its own.
        """
        if hasattr(fn, "__nki_function__") or getattr(fn, "__nki_dont_trace__", False):
            return fn(*args, **kwargs)
        module = getattr(fn, "__module__", None) or ""
        if module.partition(".")[0] in LIBRARIES or isinstance(fn, ModuleType):
            return fn(*args, **kwargs)
        return self.inline_function(fn, *args, **kwargs)

    def inline_function(self, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Run `fn` in a function scope; its instructions become the kernel's."""
        with self.scope("function", getattr(fn, "__name__", "function")):
            return fn(*args, **kwargs)

    @contextmanager
    def scope(self, kind: str, name: str) -> Iterator[Scope]:
        """A nested scope."""
        entered = Scope(kind, name)
        self.scopes.append(entered)
        try:
            yield entered
        finally:
            self.scopes.pop()

    def get_cur_scope(self) -> Scope:
        """The innermost scope."""
        return self.scopes[-1]

    # ---- tensors -----------------------------------------------------------------------------

    def _input(self, name: str, array: Any) -> NkiTensor:
        try:
            shape = tuple(map(operator.index, array.shape))
        except (TypeError, RuntimeError):
            why = "its shape is no tuple of integers"
            raise self.refusal(NKI1010, name=name, got=type(array).__name__, why=why) from None
        try:
            dtype = dtypes.dtype(array.dtype)
        except KeyError:
            facts = {"name": name, "dtype": array.dtype, "cast": cast(name, array)}
            raise self.refusal(NKI1011, **facts) from None
        if dtype in (dtypes.int64, dtypes.uint64):
            raise self.refusal(NKI1011, name=name, dtype=dtype, cast=cast(name, array))
        if not shape:
            got, why = f"{type(array).__name__} without dimensions", _NUMBER
            raise self.refusal(NKI1010, name=name, got=got, why=why)
        if 0 in shape:
            raise self.refusal(NKI1012, name=name, shape=list(shape))
        space = Space.shared_hbm if prod(self.grid) > 1 else Space.private_hbm
        tensor = Tensor(
            self.unique(name), shape, dtype, space, role=Role.input, loc=self._kernel_loc()
        )
        self.function.tensors[tensor.name] = tensor
        self.function.args.append(tensor.name)
        self.arrays.append((tensor, array))
        return self._cover(tensor)

    def new_tensor(self, tensor: Tensor) -> NkiTensor:
        """Register `tensor` and return the value that covers it."""
        self.function.tensors[tensor.name] = tensor
        if self.loops.open:
            self.loops.made(tensor)
        if self.symbolic.bodies:
            self.symbolic.made(tensor)
        return self._cover(tensor)

    def new_register(self, kind: str = "register", *, frozen: bool = False) -> VirtualRegister:
        """A register, named after the variable that it is assigned to."""
        made = register(self.unique(assigned_name() or kind), self.loc())
        self.function.tensors[made.name] = made
        return VirtualRegister(made, frozen)

    def tensor_name(self, given: str, kind: str) -> str:
        """Name for a new tensor: the author's, else that of the variable it is assigned to.

        Raises: NKI3006 if the author's name is taken; the first generation numbers it.
        """
        if given and not (self.dialect.classic and given in self._taken):
            if given in self._taken:
                made = self.function.tensors.get(given)
                raise self.refusal(NKI3006, name=given, other=made.loc if made else "another place")
            self._taken[given] = 0
            return given
        return self.unique(given or assigned_name() or kind)

    def unique(self, stem: str) -> str:
        """`stem`, or `stem` with the first number that makes it unique in the function."""
        count = self._taken.get(stem)
        if count is None:
            self._taken[stem] = 0
            return stem
        while True:
            count += 1
            name = f"{stem}.{count}"
            if name not in self._taken:
                self._taken[stem] = count
                self._taken[name] = 0
                return name

    # ---- grid --------------------------------------------------------------------------------

    def program_id(self, axis: int) -> int:
        """Index of this program on `axis` of the grid; 0 on axis 0 of a launch without a grid."""
        index = _on_grid(self, axis)
        ids = self.ids if self.programs is None else self.programs.ids
        return ids[index] if ids else 0

    def num_programs(self, axis: int) -> int:
        """Size of the grid on `axis`."""
        index = _on_grid(self, axis)
        return self.sizes[index] if self.sizes else 1

    @property
    def sizes(self) -> tuple[int, ...]:
        """The launch grid as programs see it."""
        return self.grid if self.programs is None else self.programs.sizes

    # ---- problems ----------------------------------------------------------------------------

    def refusal(self, code: Code, **facts: object) -> NkiError:
        """An error at the user's present line, to be raised by the caller."""
        return NkiError([diagnostic(problem(code, **facts), self.loc(), notes=self.loop_notes())])  # type: ignore[arg-type]

    def _refused_result(self, code: Code, **facts: object) -> NkiError:
        """An error about what the kernel returns, at its only `return`, else at the kernel."""
        loc = _return_loc(self._kernel_loc(), self.kernel_code)
        return NkiError([diagnostic(problem(code, **facts), loc)])  # type: ignore[arg-type]

    def report(self, found: Problem, loc: SrcLoc, inst: Inst | None = None) -> None:
        """Record a problem and go on."""
        operands = []
        if inst is not None:
            operands = [(o.name, f"{describe(v)}, {_origin(v.tensor)}") for o, v in inst.views()]
        self.diagnostics.append(diagnostic(found, loc, operands, self.loop_notes()))

    def loc(self) -> SrcLoc:
        """The user's present line with the chain of calls from the kernel."""
        found = current(self.kernel_code)
        return found if found.line else self._kernel_loc()

    def loop_notes(self) -> list[str]:
        """One note per enclosing ``for`` with the present value of its variable; the program."""
        notes = loop_values(self.kernel_code)
        if self.programs is not None and len(self.programs.todo) > 1:
            notes.append(f"in program {self.programs.ids} of the grid {self.programs.sizes}")
        return notes

    def _kernel_loc(self) -> SrcLoc:
        code = self.kernel_code
        if code is None:
            return current(None)
        return SrcLoc(code.co_filename, definition_line(code), function=code.co_name)

    # ---- step mode ---------------------------------------------------------------------------

    def step(self) -> None:
        """From here on execute every instruction as soon as it is traced; catch up first."""
        if self.stepper is not None or self._stepping is None:
            return
        self.stepper = self._stepping.make(self.arrays)
        unfinished: Any = self.loops.open[0].loop if self.loops.open else None
        if self.symbolic.open:
            unfinished = next(iter(self.symbolic.open.values())).loop
        for statement in self.function.body:
            if statement is not unfinished:
                self.stepper.execute(statement)
        if self.loops.open:  # the body of a run-time loop does not run before it is complete
            self.loops.observe(self.stepper.execute)
        else:
            self.builder.observer = self.stepper.execute

    def peek(self, view: View) -> Any:
        """Contents of `view` in step mode, else None."""
        return None if self.stepper is None else self.stepper.values(view)


def _origin(tensor: Tensor) -> str:
    """Where a tensor comes from, as told beside an operand."""
    if tensor.role is Role.input:
        return f"parameter `{tensor.name}`"
    return f"allocated at {short_path(tensor.loc.file)}:{tensor.loc.line}"


class _Debugger:
    """What ``breakpoint()`` does in a kernel: run what was traced so far, then debug.

    Kernels that are traced on several threads at once put theirs on top of each other, in any
    order; `hook` is what was there before.
    """

    def __init__(self, hook: Callable[..., Any]) -> None:
        self.hook = hook
        self.removed = False

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        ctx = global_ctx.get()
        if ctx is not None:
            ctx.step()
        hook = self.hook
        while isinstance(hook, _Debugger):
            hook = hook.hook
        if hook is sys.__breakpointhook__ and not os.environ.get("PYTHONBREAKPOINT"):
            return pdb.Pdb().set_trace(sys._getframe(1))
        return hook(*args, **kwargs)

    def remove(self) -> None:
        """Put back what was there before the first of those that are no longer used."""
        self.removed = True
        while isinstance(sys.breakpointhook, _Debugger) and sys.breakpointhook.removed:
            sys.breakpointhook = sys.breakpointhook.hook


def _return_loc(kernel: SrcLoc, code: CodeType | None) -> SrcLoc:
    """The only `return` of the kernel that is defined at `kernel`, else that place."""
    line = return_line(code)
    return SrcLoc(kernel.file, line, function=kernel.function) if line else kernel


def _on_grid(ctx: TraceContext, axis: int) -> int:
    """`axis`, which must be one of the launch grid. Raises: NKI1021."""
    if not 0 <= axis < max(1, len(ctx.sizes)):
        grid = f"the launch grid is {ctx.sizes}" if ctx.sizes else "there is no launch grid"
        raise ctx.refusal(NKI1021, axis=axis, grid=grid)
    return axis


def _linear(ids: tuple[int, ...], grid: tuple[int, ...]) -> int:
    index = 0
    for i, n in zip(ids, grid, strict=True):
        index = index * n + i
    return index


def _as_call(fn: Callable[..., Any], values: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """Positional and keyword arguments that give `fn` these parameter values."""
    positional: list[Any] = []
    keywords: dict[str, Any] = {}
    for name, param in signature_of(fn).parameters.items():
        if name not in values:
            continue
        if param.kind is inspect.Parameter.VAR_POSITIONAL:
            positional.extend(values[name])
        elif param.kind is inspect.Parameter.VAR_KEYWORD:
            keywords.update(values[name])
        elif param.kind is inspect.Parameter.KEYWORD_ONLY:
            keywords[name] = values[name]
        else:
            positional.append(values[name])
    return positional, keywords
