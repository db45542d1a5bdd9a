"""Reference interpreter of Penguin: every tensor in a buffer of its own, in program order."""

from __future__ import annotations

from typing import Any

from opennki.base.affine import AffineExpr
from opennki.ir import Inst, View
from opennki.penguin import Function, Loop, Statement
from opennki.sim.machine import Machine


def run(function: Function, machine: Machine) -> None:
    """Execute `function` on `machine`, whose storages hold the inputs."""
    _body(function.body, machine, {})


def _body(body: list[Statement], machine: Machine, index: dict[str, int]) -> None:
    for item in body:
        if isinstance(item, Inst):
            machine.execute(item if not index else at(item, index))
        elif isinstance(item, Loop):
            for value in item.var.values():
                _body(item.body, machine, {**index, item.var.name: value})
        else:
            _body(item.body, machine, index)


def at(inst: Inst, index: dict[str, int]) -> Inst:
    """`inst` in one trip of its loops: offsets become numbers."""
    values: dict[str, Any] = {}
    changed = False
    for name in inst.spec.order:
        value = getattr(inst, name)
        if isinstance(value, View) and isinstance(value.offset, AffineExpr):
            offset = value.offset.substitute(index)
            value = View(value.tensor, offset, value.shape, value.strides, value.dtype)
            changed = True
        values[name] = value
    if not changed:
        return inst
    return type(inst)(**values, engine=inst.engine, name=inst.name, loc=inst.loc)  # type: ignore[call-arg]
