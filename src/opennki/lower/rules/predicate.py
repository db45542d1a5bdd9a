"""Predicated copies: one BIR instruction with or without a value for the other case."""

from __future__ import annotations

from typing import Final

from opennki.ir import Inst
from opennki.isa.predicate import TensorCopyPredicated
from opennki.lower.table import Attrs, Rule


def _attrs(inst: TensorCopyPredicated) -> Attrs:
    return {"reverse_pred": inst.reverse_pred}


RULES: Final[dict[type[Inst], Rule]] = {
    TensorCopyPredicated: Rule(ins=("predicate", "src"), attrs=_attrs)
}
