"""Instructions with loop variables replaced by numbers: one trip of the loops around them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opennki.base.affine import AffineExpr
from opennki.ir import Inst, View


def substitute(inst: Inst, values: Mapping[str, int]) -> Inst:
    """`inst` with loop variables in offsets and attributes replaced; itself if it has none.

    Variables without a value stay. A copy has the same engine, name and location, and no `after`.
    """
    fields: dict[str, Any] = {}
    changed = False
    for name in inst.spec.order:
        before = getattr(inst, name)
        fields[name] = after = _value(before, values)
        changed = changed or after is not before
    return copy_of(inst, fields) if changed else inst


def copy_of(inst: Inst, fields: Mapping[str, Any]) -> Inst:
    """A new instruction of the class of `inst` with these fields and its engine, name and loc."""
    made: Inst = type(inst)(**fields, engine=inst.engine, name=inst.name, loc=inst.loc)  # type: ignore[call-arg]
    return made


def _value(value: Any, values: Mapping[str, int]) -> Any:
    if isinstance(value, View):
        if isinstance(value.offset, AffineExpr):
            offset = value.offset.substitute(values)
            return View(value.tensor, offset, value.shape, value.strides, value.dtype)
        return value
    if isinstance(value, AffineExpr):
        return value.substitute(values)
    if isinstance(value, tuple):
        made = tuple([_value(item, values) for item in value])
        same = all(a is b for a, b in zip(made, value, strict=True))
        return value if same else made
    return value
