"""Running a compiled kernel on arrays, at any of its levels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from opennki.backend.program import Program
from opennki.base.codes import NKI6001, NKI6002
from opennki.base.diag import Diagnostic, NkiError, diagnostic, problem
from opennki.birpy import Module
from opennki.ir import Inst, Tensor, View
from opennki.penguin import Function
from opennki.sim.machine import Machine
from opennki.sim.machine import Options as MachineOptions
from opennki.sim.memory import FULL, Memory, Storage
from opennki.sim.ref import bir as bir_level
from opennki.sim.ref import penguin as penguin_level
from opennki.sim.ref import program as program_level
from opennki.trace import NkiTensor, Traced

from .options import Options

Array = NDArray[Any]
ToNumpy = Callable[[Any, str], Array]


@dataclass
class Outcome:
    """What a run gives.

    Attributes: results, the kernel's results as NumPy arrays in its own nesting; written, the
    caller's arrays that the kernel wrote with their new contents; diagnostics, what was noticed;
    seconds, wall time of the simulation.
    """

    results: Any
    written: list[tuple[Any, Array]] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    seconds: float = 0.0


class Forms(Protocol):
    """What a run needs of a compiled kernel: its name, options, arrays, and forms."""

    kernel: str
    options: Options
    traces: list[Traced]

    @property
    def penguin(self) -> list[Function]:
        """One function per program of the launch."""

    @property
    def bir(self) -> Module:
        """One module with a function per program."""

    @property
    def program(self) -> Program:
        """The scheduled program."""

    @property
    def scheduled(self) -> Program | None:
        """The scheduled program if it was made."""

    @property
    def problems(self) -> list[Diagnostic]:
        """What was found so far."""


def execute(
    compiled: Forms, to_numpy: ToNumpy, printer: Callable[[str], None], level: str | None = None
) -> Outcome:
    """Run every program of the launch, one after the other, on copies of the caller's arrays.

    Args: to_numpy, caller's array -> NumPy array of the tensor's dtype; printer, sink of
        device_print; level, which form to run (None: the options').
    Raises: NkiError for traps, and for what compiling down to the level refuses.
    """
    options = compiled.options
    shared: dict[str, Storage] = {}
    memories = []
    found: list[Diagnostic] = []
    runner = _LEVELS[level or options.level](compiled)
    start = perf_counter()
    for index, traced in enumerate(compiled.traces):
        memory = Memory(options.precise, shared if len(compiled.traces) > 1 else None)
        _load(memory, traced.arrays, to_numpy)
        machine = Machine(memory.find, machine_options(options))
        machine.printer = on_core(printer, index, len(compiled.traces))
        runner(index, machine, memory)
        found += machine.diagnostics
        memories.append(memory)
        for store in shared.values():
            store.next_core()
    seconds = perf_counter() - start
    found += unwritten(compiled.traces[0], memories[0], options.strict)
    return Outcome(*collect(compiled.traces, memories), found, seconds)


def on_core(printer: Callable[[str], None], core: int, cores: int) -> Callable[[str], None]:
    """`printer`, with the number of the core before each line if there are several."""
    return printer if cores == 1 else lambda line: printer(f"[core {core}] {line}")


Runner = Callable[[int, Machine, Memory], None]


def _penguin(compiled: Forms) -> Runner:
    return lambda index, machine, memory: penguin_level.run(compiled.penguin[index], machine)


def _bir(compiled: Forms) -> Runner:
    target = compiled.options.target
    functions = compiled.bir.functions
    return lambda index, machine, memory: bir_level.run(functions[index], target, machine)


def _program(compiled: Forms) -> Runner:
    program = compiled.program
    return lambda index, machine, memory: program_level.run(program, index, machine, memory)


_LEVELS: dict[str, Callable[[Forms], Runner]] = {
    "penguin": _penguin, "bir": _bir, "program": _program,
}  # fmt: skip


def _load(memory: Memory, arrays: list[tuple[Tensor, Any]], to_numpy: ToNumpy) -> None:
    for tensor, array in arrays:
        store = memory.find(tensor, filled=True)
        if store.written is not None:
            store.fill(to_numpy(array, tensor.name))


def collect(
    traces: Sequence[Traced], memories: Sequence[Memory]
) -> tuple[Any, list[tuple[Any, Array]]]:
    """Results of the first program, and the inputs that any program wrote."""
    first, memory = traces[0], memories[0]

    def leaf(view: NkiTensor) -> Array:
        store = memory.find(view.tensor)
        window = store.window(view.const_offset, view.shape, view.strides, view.dtype)
        return _public(np.array(window), view)

    results = None if first.results is None else first.results.rebuild(leaf)
    written = []
    for traced, held in zip(traces, memories, strict=True):
        for tensor, array in traced.arrays:
            if tensor.written:
                written.append((array, held.find(tensor).values()))
    return results, written


def unwritten(traced: Traced, memory: Memory, strict: bool) -> list[Diagnostic]:
    """A warning for every result of which no instruction has written all.

    Raises: NkiError (NKI6002) instead if `strict`.
    """
    found = []
    for view in () if traced.results is None else traced.results.leaves:
        tensor, store = view.tensor, memory.find(view.tensor)
        marks = store.marks(view.const_offset, view.shape, view.strides, view.dtype)
        if marks is None:
            continue
        missing = np.argwhere(marks != FULL[marks.dtype.itemsize])
        if len(missing):
            facts = {"tensor": tensor.name, "element": missing[0].tolist(), "count": len(missing)}
            code = NKI6002 if strict else NKI6001
            one = problem(code, inst="the caller", operand=tensor.name, **facts)
            found.append(diagnostic(one, tensor.loc))
    if strict and found:
        raise NkiError(found)
    return found


def _public(array: Array, view: View) -> Array:
    return array.view(np.bool_) if view.dtype == "bool" else array


def machine_options(options: Options) -> MachineOptions:
    """What the simulator needs to know of the compilation's options."""
    any_writer = options.target.has("accumulate_any")
    return MachineOptions(options.precise, options.strict, any_writer)


class StepMachine:
    """Runs instructions while they are traced, so that the kernel's Python can show values.

    Programs of one launch have a machine each, and the same `shared` storages (None: one program).
    """

    def __init__(
        self, arrays: list[tuple[Tensor, Any]], options: Options, to_numpy: ToNumpy,
        printer: Callable[[str], None], shared: dict[str, Storage] | None = None,
    ) -> None:  # fmt: skip
        for store in (shared or {}).values():
            store.next_core()
        self.memory = Memory(options.precise, shared)
        _load(self.memory, arrays, to_numpy)
        self.machine = Machine(self.memory.find, machine_options(options))
        self.machine.printer = printer

    def execute(self, inst: Inst) -> None:
        """Run one instruction."""
        self.machine.execute(inst)

    def values(self, view: View) -> Array:
        """The present contents of a view."""
        return self.machine.values(view)
