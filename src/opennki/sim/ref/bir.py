"""Reference interpreter of BIR: every memory location in a buffer of its own, in program order.

A BIR instruction is lifted to the instruction of the op table that it means and run by the same
`Machine` as Penguin's; running both proves the lowering.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from opennki.base.affine import AffineExpr
from opennki.birpy import (
    AccessPattern,
    BasicBlock,
    DynamicLoop,
    Function,
    Instruction,
    Loop,
    MemoryLocation,
    While,
)
from opennki.ir import Tensor
from opennki.lower import Lifter
from opennki.sim.cores import Steps, Wait, run_alone
from opennki.sim.machine import Machine
from opennki.sim.trips import counted, span, while_set
from opennki.target import Target


def run(function: Function, target: Target, machine: Machine) -> None:
    """Execute `function` on `machine`, whose storages hold the inputs."""
    run_alone(machine, steps(function, target, machine))


def steps(function: Function, target: Target, machine: Machine) -> Steps:
    """Execute `function` as one core of several."""
    lifter = Lifter(target)
    for block in function.blocks:
        yield from _block(block, machine, lifter, {})


def _block(block: BasicBlock, machine: Machine, lifter: Lifter, index: dict[str, int]) -> Steps:
    for item in block.instructions:
        if isinstance(item, Instruction):
            inst = lifter(at(item, index) if index else item)
            if inst.alone:
                machine.execute(inst)
            else:
                yield Wait((inst,))
        elif isinstance(item, Loop):
            for value in item.axis.values():
                for inner in item.blocks:
                    yield from _block(inner, machine, lifter, {**index, item.axis.name: value})
        else:
            for _ in trips(item, machine, lifter):
                for inner in item.blocks:
                    yield from _block(inner, machine, lifter, index)


def trips(loop: DynamicLoop | While, machine: Machine, lifter: Lifter) -> Iterator[int]:
    """The trips of a run-time loop, with its register set for each. Raises: NKI6026."""
    new = [lifter.tensor(memloc) for memloc in loop.new]
    if isinstance(loop, While):
        return while_set(machine, lifter.tensor(loop.condition), loop.loc, new)

    def end(value: int | MemoryLocation) -> int | Tensor:
        return value if isinstance(value, int) else lifter.tensor(value)

    numbers = span(machine, end(loop.start), end(loop.stop), loop.step, loop.loc)
    return counted(machine, lifter.tensor(loop.register), numbers, new)


def at(inst: Instruction, index: dict[str, int]) -> Instruction:
    """`inst` in one trip of its loops: offsets and attributes become numbers."""

    def access(arg: AccessPattern) -> AccessPattern:
        offset, found = arg.offset, arg.index
        if isinstance(offset, AffineExpr):
            offset = offset.substitute(index)
        if found is not None:
            found = replace(found, source=access(found.source))
        return AccessPattern(arg.memloc, offset, arg.ap, arg.dtype, found)

    def fix(operand: object) -> object:
        if isinstance(operand, AccessPattern):
            return access(operand)
        if isinstance(operand, AffineExpr):
            return operand.substitute(index)
        return tuple(map(fix, operand)) if isinstance(operand, tuple) else operand

    ins = tuple(fix(o) for o in inst.ins)
    outs = tuple(fix(o) for o in inst.outs)
    attrs = {key: fix(value) for key, value in inst.attrs.items()}
    return Instruction(inst.opcode, inst.engine, inst.name, ins, outs, attrs, inst.loc)  # type: ignore[arg-type]
