"""Gathers: BIR has the number of valid indices; how many elements each stands for follows."""

from __future__ import annotations

from typing import Any, Final

from opennki.birpy import Instruction
from opennki.ir import Inst
from opennki.isa.gather import IndirectCopy
from opennki.lower.table import Attrs, Fields, Rule


def _attrs(inst: IndirectCopy) -> Attrs:
    return {"num_valid_indices": inst.count}


def _key(inst: IndirectCopy) -> object:
    return inst.count


def _lift(inst: Instruction, fields: Fields) -> Fields:
    """Raises: KeyError for a destination that is no multiple of the number of indices."""
    count: Any = inst.attrs["num_valid_indices"]
    each, rest = divmod(fields["dst"].free_size, count) if count else (0, 1)
    if rest:
        raise KeyError("num_valid_indices")
    return fields | {"num_elem_per_idx": each, "num_valid_indices": count}


RULES: Final[dict[type[Inst], Rule]] = {IndirectCopy: Rule(attrs=_attrs, key=_key, lift=_lift)}
