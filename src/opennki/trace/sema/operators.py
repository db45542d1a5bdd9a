"""Names that are only operators: `average`, `bypass`, `prelu`. They are passed as ``op=``."""

from __future__ import annotations

from typing import Any, NoReturn

from opennki.base.codes import NKI1028
from opennki.isa.enums import ActFunc, AluOp
from opennki.trace.fault import fault

from .marks import nki_function


@nki_function(alu=AluOp.average)
def average(*operands: Any) -> NoReturn:
    """Mean of two numbers, as an operator."""
    raise fault(NKI1028, name="average", use="op=nl.average")


@nki_function(alu=AluOp.bypass)
def bypass(*operands: Any) -> NoReturn:
    """The first number, as an operator: a stage that does nothing."""
    raise fault(NKI1028, name="bypass", use="op0=nl.bypass")


@nki_function(act=ActFunc.Prelu)
def prelu(*operands: Any) -> NoReturn:
    """The number where positive, else the number times a slope, as an operator."""
    raise fault(NKI1028, name="prelu", use="op=nl.prelu")
