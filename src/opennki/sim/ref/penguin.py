"""Reference interpreter of Penguin: every tensor in a buffer of its own, in program order."""

from __future__ import annotations

from opennki.ir import Inst
from opennki.penguin import Function, Loop, Statement, substitute
from opennki.sim.cores import Steps, Wait, run_alone
from opennki.sim.machine import Machine


def run(function: Function, machine: Machine) -> None:
    """Execute `function` on `machine`, whose storages hold the inputs."""
    run_alone(machine, steps(function, machine))


def steps(function: Function, machine: Machine) -> Steps:
    """Execute `function` as one core of several."""
    yield from _body(function.body, machine, {})


def _body(body: list[Statement], machine: Machine, index: dict[str, int]) -> Steps:
    for item in body:
        if isinstance(item, Inst):
            inst = substitute(item, index) if index else item
            if inst.alone:
                machine.execute(inst)
            else:
                yield Wait((inst,))
        elif isinstance(item, Loop):
            for value in item.var.values():
                yield from _body(item.body, machine, {**index, item.var.name: value})
        else:
            yield from _body(item.body, machine, index)
