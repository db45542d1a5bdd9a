"""Registers and branches. Adding 0 to a register is BIR's move from one to another."""

from __future__ import annotations

from typing import Any, Final

from opennki import klr
from opennki.base.dtypes import int32
from opennki.birpy import Immediate, Instruction
from opennki.isa.enums import Engine
from opennki.lower.beta2.enums import ALU, BRANCHES
from opennki.lower.beta2.site import Site

_BY_REGISTER: Final = frozenset(op for op in klr.BrCmpOp if op.klr.endswith("_reg"))


def _move(op: klr.RegisterMove, at: Site) -> Instruction:
    number = Immediate(int32, op.imm)
    return at.make("RegisterMove", Engine.ALL, [number], [at.register(op.dst)], {})


def _alu(op: klr.RegisterAluOp, at: Site) -> Instruction:
    src, dst = at.register(op.src), at.register(op.dst)
    if op.op is klr.AluOp.add and op.imm == 0:
        return at.make("RegisterMove", Engine.ALL, [src], [dst], {})
    number = Immediate(int32, op.imm)
    return at.make("RegisterAlu", Engine.ALL, [src, number], [dst], {"op": ALU[op.op]})


def _load(op: klr.TensorLoad, at: Site) -> Instruction:
    return at.make("TensorLoad", Engine.ALL, [at.view(op.src)], [at.register(op.dst)], {})


def _store(op: klr.TensorStore, at: Site) -> Instruction:
    return at.make("TensorSave", Engine.ALL, [at.register(op.src)], [at.view(op.dst)], {})


def _branch(op: klr.CmpBranch, at: Site) -> Instruction:
    if op.op is klr.BrCmpOp.always:
        return at.make("UnconditionalBranch", Engine.ALL, [], [], {"target": op.trueLabel})
    right = at.register(op.reg2) if op.op in _BY_REGISTER else Immediate(int32, op.imm)
    attrs = {
        "comp_op": BRANCHES[op.op], "on_true": op.trueLabel, "on_false": op.falseLabel,
        "opennki_begins": at.begins.get(op.falseLabel, ()),
    }  # fmt: skip
    return at.make("CompareAndBranch", Engine.ALL, [at.register(op.reg1), right], [], attrs)


RULES: Final[dict[str, Any]] = {
    "registerMove": _move, "registerAluOp": _alu, "tensorLoad": _load, "tensorStore": _store,
    "cmpBranch": _branch,
}  # fmt: skip
