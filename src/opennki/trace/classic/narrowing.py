"""Replacing a loop index in statements that were traced with it: what narrowing a loop comes to."""

from __future__ import annotations

from typing import Any

from opennki.base.affine import AffineExpr
from opennki.ir import Index, IndirectView, Inst, View, changed

Base = int | AffineExpr


def put_in(body: list[Any], name: str, value: Base) -> None:
    """Replace the loop index `name` in all operands and attributes of the statements `body`."""
    for item in body:
        if not isinstance(item, Inst):
            put_in(item.body, name, value)
            continue
        for field in item.spec.order:
            before = getattr(item, field)
            after = _value(before, name, value)
            if after is not before:
                setattr(item, field, after)


def replaced(base: Base, name: str, value: Base) -> Base:
    """`base` with `value` for the loop index `name`; itself if it has none."""
    if isinstance(base, int) or all(var.name != name for var, _ in base.terms):
        return base
    total: Base = base.const
    for var, coeff in base.terms:
        term = value * coeff if var.name == name else AffineExpr.of(var, coeff)
        total = term + total if isinstance(term, AffineExpr) else total + term
    return total if isinstance(total, int) or total.terms else total.const


def _value(before: Any, name: str, value: Base) -> Any:
    if isinstance(before, View):
        return _view(before, name, value)
    if isinstance(before, AffineExpr):
        return replaced(before, name, value)
    if isinstance(before, tuple):
        after = tuple([_value(item, name, value) for item in before])
        return before if all(a is b for a, b in zip(before, after, strict=True)) else after
    return before


def _view(view: View, name: str, value: Base) -> View:
    index = view.index
    if index is not None:
        source = _view(index.source, name, value)
        if source is not index.source:
            index = Index(source, index.stride, index.limit, index.vector, index.snake)
            parts = (view.tensor, view.offset, view.shape, view.strides, view.dtype)
            view = IndirectView(*parts, index)
    offset = replaced(view.offset, name, value)
    return view if offset is view.offset else changed(view, offset=offset)
