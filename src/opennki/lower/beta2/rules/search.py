"""The eight largest values, where values are, and replacing them."""

from __future__ import annotations

from typing import Any, Final

from opennki import klr
from opennki.birpy import Instruction
from opennki.isa.enums import Engine
from opennki.lower.beta2.site import Site

from .operands import single


def _max8(op: klr.Max8, at: Site) -> Instruction:
    return at.make("Max", Engine.DVE, single(at, op.src), single(at, op.dst), {})


def _find_index8(op: klr.FindIndex8, at: Site) -> Instruction:
    ins = single(at, op.src, op.vals)
    return at.make("MaxIndex", Engine.DVE, ins, single(at, op.dst), {})


def _match_replace8(op: klr.MatchReplace8, at: Site) -> Instruction:
    """An instruction that also writes positions has an opcode of its own."""
    opcode = "MatchReplace" if op.dstIdx is None else "MaxIndexAndMatchReplace"
    attrs = {"imm_value": at.immediate(op.replaceValue).value}
    ins = single(at, op.src, op.vals)
    return at.make(opcode, Engine.DVE, ins, single(at, op.dst, op.dstIdx), attrs)


RULES: Final[dict[str, Any]] = {
    "max8": _max8, "findIndex8": _find_index8, "matchReplace8": _match_replace8,
}  # fmt: skip
