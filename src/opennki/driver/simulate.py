"""Running a compiled kernel on arrays, at any of its levels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from opennki.base.codes import NKI1099, NKI6001, NKI6002, NKI6023
from opennki.base.diag import Diagnostic, NkiError, diagnostic, fail, problem
from opennki.ir import Inst, Recorded, Tensor, View
from opennki.penguin import Function
from opennki.penguin.passes.unroll_loops import instructions
from opennki.sim import cores
from opennki.sim.cores import Party, Steps
from opennki.sim.machine import Machine
from opennki.sim.memory import Memory, Storage
from opennki.sim.notices import Options as MachineOptions
from opennki.sim.ref import penguin
from opennki.sim.uses import FULL
from opennki.trace import NkiTensor, Traced

from .options import Options
from .programs import in_program, on_rank, programs, tell_apart, tell_ranks_apart
from .turns import Turns

if TYPE_CHECKING:
    from opennki.backend.program import Program
    from opennki.birpy import Module

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
    """Run all programs of the launch, side by side, on copies of the caller's arrays.

    Args: to_numpy, caller's array -> NumPy array of the tensor's dtype; printer, sink of
        device_print; level, which form to run (None: the options').
    Raises: NkiError for traps, and for what compiling down to the level refuses.
    """
    arrays = [[array for _, array in compiled.traces[0].arrays]]
    (outcome,) = execute_ranks(compiled, arrays, to_numpy, printer, level)
    return outcome


def execute_ranks(
    compiled: Forms, arrays: Sequence[Sequence[Any]], to_numpy: ToNumpy,
    printer: Callable[[str], None], level: str | None = None,
) -> list[Outcome]:  # fmt: skip
    """As `execute`, on one rank for each list of `arrays`; what each rank gives.

    What several ranks are warned of is told of the first of them.
    Raises: NKI2707 for groups of ranks that are not those of the launch.
    """
    options = compiled.options
    check_ranks(compiled.traces, len(arrays))
    level, expanded = _affordable(compiled, level)
    runner = _LEVELS[level](compiled)
    start = perf_counter()
    parties, ranks = [], []
    for rank, given in enumerate(arrays):
        traces = [_on_rank(traced, given) for traced in compiled.traces]
        name = f"rank {rank}" if len(arrays) > 1 else ""
        hardware = machines(options, len(traces), printer, name)
        parts = zip(traces, programs(options.grid), hardware, strict=True)
        for core, (traced, ids, (memory, machine)) in enumerate(parts):
            _load(memory, traced.arrays, to_numpy)
            steps = in_program(runner(core, machine, memory), ids, options.grid)
            parties.append(Party(rank, core, machine, on_rank(steps, rank, len(arrays))))
        ranks.append((traces, [memory for memory, _ in hardware]))
    try:
        cores.run(parties)
    except NkiError as error:  # what was noticed before may be why
        before = [d for p in parties for d in p.machine.diagnostics if d not in error.diagnostics]
        raise NkiError([*error.diagnostics, *before]) from error.__cause__
    seconds = perf_counter() - start
    noticed = []
    for rank, (traces, memories) in enumerate(ranks):
        own = [party.machine.diagnostics for party in parties if party.rank == rank]
        tell_apart(own, options.grid)
        unset = unwritten(traces[0], memories[0], options.strict)
        noticed.append([*(d for one in own for d in one), *unset, *expanded])
    tell_ranks_apart(noticed)
    told: set[tuple[str, object]] = set()
    outcomes = []
    for (traces, memories), found in zip(ranks, noticed, strict=True):
        new = [d for d in found if (d.code.id, d.loc) not in told]
        told.update((d.code.id, d.loc) for d in found)
        outcomes.append(Outcome(*collect(traces, memories), new, seconds))
    return outcomes


MOST_INSTRUCTIONS = 500_000
"""How many instructions a program may be expanded to unless the caller asks for it.

Model: scheduling them takes about a minute and a gigabyte.
"""


def _affordable(compiled: Forms, level: str | None) -> tuple[str, list[Diagnostic]]:
    """The level to run, and a word on it (NKI1099) if it is not the usual one.

    Loops stay loops at the level penguin, while a program has the instructions of all trips.
    """
    options = compiled.options
    if level is not None or options.asked or options.frontend == "beta2":
        return level or options.level, []
    count = max(instructions(function.body) for function in compiled.penguin)
    if options.level != "program" or count <= MOST_INSTRUCTIONS:
        return options.level, []
    found = problem(NKI1099, kernel=compiled.kernel, count=count, most=MOST_INSTRUCTIONS)
    return "penguin", [diagnostic(found, compiled.traces[0].loc)]


def _on_rank(traced: Traced, arrays: Sequence[Any]) -> Traced:
    """`traced` with the arrays of one rank."""
    tensors = [tensor for tensor, _ in traced.arrays]
    return replace(traced, arrays=list(zip(tensors, arrays, strict=True)))


def check_ranks(traces: Sequence[Traced], ranks: int) -> None:
    """Raises NkiError for every instruction that needs other ranks than those of the launch."""
    found: dict[tuple[str, object], Diagnostic] = {}
    for traced in traces:
        for inst in traced.function.instructions():
            if not inst.alone:
                for one in inst.check_ranks(ranks):
                    found.setdefault((one.code.id, inst.loc), diagnostic(one, inst.loc))
    if found:
        raise NkiError(found.values())


def machines(
    options: Options, count: int, printer: Callable[[str], None], rank: str = ""
) -> list[tuple[Memory, Machine]]:
    """Memory and machine of each of the `count` cores of a rank, which has that name."""
    shared: dict[str, Storage] | None = {} if count > 1 else None
    made = []
    for core in range(count):
        memory = Memory(options.precise, shared)
        machine = Machine(memory.find, core, options=machine_options(options))
        names = [rank, f"core {core}" if count > 1 else ""]
        machine.printer = _named(printer, " ".join(filter(None, names)))
        made.append((memory, machine))
    return made


def _named(printer: Callable[[str], None], place: str) -> Callable[[str], None]:
    """`printer`, with where a line comes from before it, if there are several places."""
    return (lambda line: printer(f"[{place}] {line}")) if place else printer


Runner = Callable[[int, Machine, Memory], Steps]


def _penguin(compiled: Forms) -> Runner:
    return lambda index, machine, memory: penguin.steps(compiled.penguin[index], machine)


def _bir(compiled: Forms) -> Runner:
    from opennki.sim.ref import bir  # when first needed, as in `compiled`

    target = compiled.options.target
    functions = compiled.bir.functions
    return lambda index, machine, memory: bir.steps(functions[index], target, machine)


def _program(compiled: Forms) -> Runner:
    from opennki.sim.ref import program

    form = compiled.program
    return lambda index, machine, memory: program.steps(form, index, machine, memory)


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
            how = ", with nisa.memset or by covering all of it"
            one = problem(code, inst="the caller", operand=tensor.name, how=how, **facts)
            found.append(diagnostic(one, tensor.loc))
    if strict and found:
        raise NkiError(found)
    return found


def _public(array: Array, view: View) -> Array:
    return array.view(np.bool_) if view.dtype == "bool" else array


def machine_options(options: Options) -> MachineOptions:
    """What the simulator needs to know of the compilation's options."""
    any_writer = options.target.has("accumulate_any")
    return MachineOptions(options.precise, options.strict, any_writer, options.max_trips)


class StepMachine:
    """Runs instructions while they are traced, so that the kernel's Python can show values.

    Programs of one launch have one each.
    """

    def __init__(
        self,
        arrays: list[tuple[Tensor, Any]],
        memory: Memory,
        machine: Machine,
        to_numpy: ToNumpy,
        turns: Turns[Traced] | None = None,
    ) -> None:
        """Args: turns, what lets the other programs run; None where they are not stepped."""
        self.memory = memory
        self.machine = machine
        self.turns = turns
        _load(memory, arrays, to_numpy)

    def execute(self, statement: Recorded) -> None:
        """Run one instruction, or one run-time loop.

        Raises: NKI6023 if it waits for a program that is not being stepped.
        """
        if self.turns is not None:
            self.turns.check()
        for wait in penguin.body([statement], self.machine, {}):
            for inst in wait.insts:
                self._together(inst)

    def _together(self, inst: Inst) -> None:
        """Run an instruction that waits for others."""
        for found in inst.check_ranks(1):
            raise NkiError([diagnostic(found, inst.loc)])
        core = self.machine.core
        if inst.company(0, core).places == ((0, core),):
            cores.together({(0, core): (self.machine, inst)})
        elif self.turns is not None:
            self.turns.wait(inst)
        else:
            raise fail(NKI6023, inst.loc, inst=inst.spec.label)

    def values(self, view: View) -> Array:
        """The present contents of a view."""
        return self.machine.values(view)
