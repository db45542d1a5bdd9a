"""Single-rule violations: legal instructions with one thing made wrong, and the code that says so.

What can be wrong follows from the declarations: memories, dtypes, limits, shapes, engines.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from opennki.base import dtypes
from opennki.base.codes import (
    NKI2101,
    NKI2102,
    NKI2103,
    NKI2104,
    NKI2105,
    NKI2106,
    NKI2107,
    NKI2108,
    NKI2109,
    NKI2110,
    NKI2111,
    NKI2112,
    NKI2113,
    NKI2121,
)
from opennki.base.diag import Code
from opennki.ir import Inst, Operand, Space, Tensor, View
from opennki.ir.shapes import BY_DMA
from opennki.isa.enums import Engine
from opennki.penguin.substitute import copy_of, put
from opennki.target import TARGETS, Target


@dataclass(frozen=True)
class Violation:
    """An instruction that breaks a rule on a target.

    Attributes: what was made wrong; inst; target; codes, one of which must be among its problems.
    """

    what: str
    inst: Inst
    target: Target
    codes: tuple[Code, ...]


def violations(inst: Inst, target: Target) -> Iterator[Violation]:
    """Every violation that can be made of the legal instruction `inst` by one change."""
    spec = inst.spec
    for operand, view in inst.views():
        for what, bad, *codes in _views(inst, operand, view, target):
            changed = _with(inst, operand.name, bad)
            yield Violation(f"{operand.name}: {what}", changed, target, tuple(codes))
        if not operand.number and not operand.many:
            yield Violation(
                f"{operand.name}: a number", _with(inst, operand.name, 1.0), target, (NKI2121,)
            )
    for engine in Engine:
        if engine not in (*spec.engines, Engine.UNASSIGNED):
            wrong = copy_of(inst, _fields(inst))
            wrong.engine = engine
            yield Violation(f"on {engine.nki}", wrong, target, (NKI2113,))
    for older in TARGETS:
        if older.order < spec.since:
            yield Violation(f"on {older.name}", inst, older, (NKI2108,))


def _fields(inst: Inst) -> dict[str, Any]:
    return {name: getattr(inst, name) for name in inst.spec.order}


def _with(inst: Inst, name: str, value: object) -> Inst:
    fields = _fields(inst)
    put(fields, name, value)
    return copy_of(inst, fields)


def _whole(view: View, shape: tuple[int, ...], **changes: Any) -> View:
    """The view of a new tensor of `shape`, otherwise like `view`."""
    space = changes.get("space", view.space)
    return View.whole(Tensor("wrong", shape, changes.get("dtype", view.dtype), space))


Bad = tuple[Any, ...]
"""What was made wrong, the view, and the codes."""


def _views(inst: Inst, operand: Operand, view: View, target: Target) -> Iterator[Bad]:
    for space in Space:
        if space not in operand.spaces:
            yield f"in {space}", _whole(view, view.shape, space=space), NKI2105
    for dtype in dtypes.ALL:
        if operand.dtypes is not None and dtype not in operand.dtypes:
            yield f"is {dtype}", _whole(view, view.shape, dtype=dtype), NKI2106
    if view.space.on_chip:
        yield from _layouts(inst, view, target)
    yield from _sizes(inst, operand, view)


def _layouts(inst: Inst, view: View, target: Target) -> Iterator[Bad]:
    """Windows that no on-chip access can have."""
    many = (target.partitions + 1, *view.shape[1:])
    yield "too many partitions", _whole(view, many), NKI2104
    yield "one dimension", _whole(view, (view.shape[0],)), NKI2109
    deep = (view.shape[0], *[2] * target.ap_dims)
    yield "too many dimensions", _whole(view, deep), NKI2110
    if view.shape[0] > 1:
        strides = (2 * view.row, *view.strides[1:])
        skipping = View(view.tensor, view.offset, view.shape, strides, view.dtype)
        yield "every other partition", skipping, NKI2111
    if inst.spec.bir not in BY_DMA:
        row = view.row
        tensor = Tensor("wrong", (target.partitions, row), view.dtype, view.space)
        shifted = View(tensor, row + view.free_offset, view.shape, view.strides, view.dtype)
        yield "starts at partition 1", shifted, NKI2112


def _sizes(inst: Inst, operand: Operand, view: View) -> Iterator[Bad]:
    """Sizes that differ from those of another operand with the same word, or from a number."""
    used: dict[str, int] = {}
    for other, _ in inst.views():
        for word in {w for w in other.shape[:2] if w not in ("*", "...")}:
            used[word] = used.get(word, 0) + 1
    for index, (word, code) in enumerate(zip(operand.shape[:2], (NKI2101, NKI2102), strict=False)):
        if word in ("*", "..."):
            continue
        number = view.shape[0]
        shape = (number, 2 * view.free_size) if index else (number - 1 or 2, *view.shape[1:])
        if word.isdigit():
            yield f"{word} elements doubled", _whole(view, shape), NKI2107
        elif used[word] > 1:
            yield f"another {word}", _whole(view, shape), code, NKI2103
