"""Searches: BIR has two opcodes for replacing, one of which also writes positions."""

from __future__ import annotations

from typing import Final

from opennki.ir import Inst
from opennki.isa.search import MaxIndexAndMatchReplace, SundaMatchReplace8
from opennki.lower.table import Rule


def _opcode(inst: SundaMatchReplace8) -> str:
    both = MaxIndexAndMatchReplace.spec.bir
    return SundaMatchReplace8.spec.bir if inst.dst_idx is None else both


RULES: Final[dict[type[Inst], Rule]] = {SundaMatchReplace8: Rule(opcode=_opcode)}
