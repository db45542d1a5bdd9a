"""Instructions with loop variables replaced by numbers: one trip of the loops around them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opennki.base.affine import AffineExpr
from opennki.ir import Index, IndirectView, Inst, View, changed


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


def put(fields: dict[str, Any], name: str, value: Any) -> None:
    """Replace the operand `name` in `fields`, perhaps one of a list: ``srcs[1]``."""
    field, _, number = name.rstrip("]").partition("[")
    if number:
        several = list(fields[field])
        several[int(number)] = value
        fields[field] = tuple(several)
    else:
        fields[field] = value


def _view(view: View, values: Mapping[str, int]) -> View:
    index = view.index
    if index is not None:
        source = _view(index.source, values)
        if source is not index.source:
            index = Index(source, index.stride, index.limit, index.vector, index.snake)
            view = IndirectView(
                view.tensor, view.offset, view.shape, view.strides, view.dtype, index
            )
    if isinstance(view.offset, AffineExpr):
        return changed(view, offset=view.offset.substitute(values))
    return view


def _value(value: Any, values: Mapping[str, int]) -> Any:
    if isinstance(value, View):
        return _view(value, values)
    if isinstance(value, AffineExpr):
        return value.substitute(values)
    if isinstance(value, tuple):
        made = tuple([_value(item, values) for item in value])
        same = all(a is b for a, b in zip(made, value, strict=True))
        return value if same else made
    return value
