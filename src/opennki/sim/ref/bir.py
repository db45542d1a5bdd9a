"""Reference interpreter of BIR: every memory location in a buffer of its own, in program order.

A BIR instruction is lifted to the instruction of the op table that it means and run by the same
`Machine` as Penguin's; running both proves the lowering.
"""

from __future__ import annotations

from opennki.base.affine import AffineExpr
from opennki.base.codes import NKI9003
from opennki.base.diag import fail
from opennki.birpy import AccessPattern, BasicBlock, Function, Instruction, Loop, MemoryLocation
from opennki.ir import Inst, Role, Space, Tensor, View
from opennki.lower import RULES, lift
from opennki.lower.memlocs import KINDS
from opennki.sim.cores import Steps, Wait, run_alone
from opennki.sim.machine import Machine
from opennki.target import Target

_SPACES = {"SB": Space.sbuf, "PSUM": Space.psum, "DRAM": Space.private_hbm}
_ROLES = {kind: role for role, kind in KINDS.items()}


class Lifter:
    """Lifts the instructions of one function; a memory location becomes one tensor."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self._tensors: dict[str, Tensor] = {}

    def tensor(self, memloc: MemoryLocation) -> Tensor:
        """The tensor that stands for `memloc`."""
        found = self._tensors.get(memloc.name)
        if found is None:
            space = Space.shared_hbm if memloc.shared else _SPACES[memloc.type.name]
            found = self._tensors[memloc.name] = Tensor(
                memloc.name, memloc.shape, memloc.dtype, space,
                address=memloc.address, start_partition=memloc.partition,
                role=_ROLES.get(memloc.kind, Role.internal), data=memloc.data, loc=memloc.loc,
            )  # fmt: skip
        return found

    def view(self, access: AccessPattern) -> View:
        """The view that an access pattern walks."""
        shape = tuple(n for _, n in access.ap)
        strides = tuple(s for s, _ in access.ap)
        return View(self.tensor(access.memloc), access.offset, shape, strides, access.dtype)

    def __call__(self, inst: Instruction) -> Inst:
        """The instruction of the op table that `inst` means.

        Raises: NKI9003 if no class of the op table has this form of the opcode.
        """
        try:
            return lift(inst, self.target, self.view, RULES)
        except KeyError:
            shown = ", ".join(f"{name}={value}" for name, value in inst.attrs.items())
            what = f"{inst.opcode} with {shown or 'no attributes'}"
            instead = "docs/reference/isa.md tells which forms of an opcode are simulated"
            raise fail(NKI9003, inst.loc, what=what, instead=instead) from None


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
        if isinstance(item, Loop):
            for value in item.axis.values():
                for inner in item.blocks:
                    yield from _block(inner, machine, lifter, {**index, item.axis.name: value})
        else:
            inst = lifter(at(item, index) if index else item)
            if inst.alone:
                machine.execute(inst)
            else:
                yield Wait((inst,))


def at(inst: Instruction, index: dict[str, int]) -> Instruction:
    """`inst` in one trip of its loops: offsets and attributes become numbers."""

    def fix(operand: object) -> object:
        if isinstance(operand, AccessPattern) and isinstance(operand.offset, AffineExpr):
            offset = operand.offset.substitute(index)
            return AccessPattern(operand.memloc, offset, operand.ap, operand.dtype)
        if isinstance(operand, AffineExpr):
            return operand.substitute(index)
        return tuple(map(fix, operand)) if isinstance(operand, tuple) else operand

    ins = tuple(fix(o) for o in inst.ins)
    outs = tuple(fix(o) for o in inst.outs)
    attrs = {key: fix(value) for key, value in inst.attrs.items()}
    return Instruction(inst.opcode, inst.engine, inst.name, ins, outs, attrs, inst.loc)  # type: ignore[arg-type]
