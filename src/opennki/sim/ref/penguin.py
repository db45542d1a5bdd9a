"""Reference interpreter of Penguin: every tensor in a buffer of its own, in program order."""

from __future__ import annotations

from opennki.ir import Inst
from opennki.penguin import DynamicLoop, Function, Loop, Statement, While, substitute
from opennki.sim.cores import Steps, Wait, run_alone
from opennki.sim.machine import Machine
from opennki.sim.trips import counted, span, while_set


def run(function: Function, machine: Machine) -> None:
    """Execute `function` on `machine`, whose storages hold the inputs."""
    run_alone(machine, steps(function, machine))


def steps(function: Function, machine: Machine) -> Steps:
    """Execute `function` as one core of several."""
    yield from body(function.body, machine, {})


def body(statements: list[Statement], machine: Machine, index: dict[str, int]) -> Steps:
    """Execute statements; `index` has the variables of rolled loops around them.

    Raises: NKI6026 for a run-time loop that does not end.
    """
    for item in statements:
        if isinstance(item, Inst):
            inst = substitute(item, index) if index else item
            if inst.alone:
                machine.execute(inst)
            else:
                yield Wait((inst,))
        elif isinstance(item, Loop):
            for value in item.var.values():
                yield from body(item.body, machine, {**index, item.var.name: value})
        elif isinstance(item, DynamicLoop):
            trips = span(machine, item.start, item.stop, item.step, item.loc)
            for _ in counted(machine, item.register, trips, item.new):
                yield from body(item.body, machine, index)
        elif isinstance(item, While):
            for _ in while_set(machine, item.condition, item.loc, item.new):
                yield from body(item.body, machine, index)
        else:
            yield from body(item.body, machine, index)
