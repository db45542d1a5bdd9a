"""Registers: what a register is set to is an integer, on the wire too."""

from __future__ import annotations

from typing import Final

from opennki.base.dtypes import int32
from opennki.birpy import Immediate
from opennki.ir import Inst, View
from opennki.isa.registers import RegisterMove
from opennki.lower.table import Rule


def _inputs(inst: RegisterMove) -> tuple[object, ...]:
    value = inst.src
    return (value if isinstance(value, View) else Immediate(int32, value),)


RULES: Final[dict[type[Inst], Rule]] = {RegisterMove: Rule(inputs=_inputs)}
