"""Reference interpreter of Penguin: every tensor in a buffer of its own, in program order."""

from __future__ import annotations

from opennki.ir import Inst
from opennki.penguin import Function, Loop, Statement, substitute
from opennki.sim.machine import Machine


def run(function: Function, machine: Machine) -> None:
    """Execute `function` on `machine`, whose storages hold the inputs."""
    _body(function.body, machine, {})


def _body(body: list[Statement], machine: Machine, index: dict[str, int]) -> None:
    for item in body:
        if isinstance(item, Inst):
            machine.execute(substitute(item, index) if index else item)
        elif isinstance(item, Loop):
            for value in item.var.values():
                _body(item.body, machine, {**index, item.var.name: value})
        else:
            _body(item.body, machine, index)
