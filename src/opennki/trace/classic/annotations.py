"""Shapes that a kernel writes beside its names: ``t: nt.tensor[128, 512] = nl.load(x)``.

Python does not evaluate such annotations of local names, so they are read from the source text:
numbers, and names and attributes that exist where the annotation is.
"""

from __future__ import annotations

import ast
from functools import lru_cache
from types import FrameType
from typing import Any

from opennki.base.codes import NKI3041
from opennki.base.loc import user_frame
from opennki.trace.fault import fault
from opennki.trace.loops import source_text
from opennki.trace.names import assigned_name
from opennki.trace.plain import plain_int

Shape = tuple[int, ...]


def check_annotation(shape: Shape) -> None:
    """Raises: NKI3041 if a tile of `shape` is about to be bound to a name of another shape."""
    frame = user_frame(2)
    if frame is None:
        return
    found = _annotated(frame.f_code.co_filename).get(frame.f_lineno)
    if found is None or found[0] != assigned_name():
        return
    want = tuple(_number(size, frame) for size in found[1])
    if None not in want and want != shape:
        raise fault(NKI3041, name=found[0], got=list(shape), want=list(want))


@lru_cache(maxsize=64)
def _annotated(file: str) -> dict[int, tuple[str, list[ast.expr]]]:
    """Of every line of an assignment with a shape beside it: the name and the sizes."""
    try:
        tree = ast.parse(source_text(file))
    except (SyntaxError, ValueError):
        return {}
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            sizes = _sizes(node.annotation)
            if sizes is not None:
                for line in range(node.lineno, (node.end_lineno or node.lineno) + 1):
                    found[line] = node.target.id, sizes
    return found


def _sizes(annotation: ast.expr) -> list[ast.expr] | None:
    """The sizes in ``tensor[...]``, however that is imported; None for another annotation."""
    if not isinstance(annotation, ast.Subscript):
        return None
    base = annotation.value
    name = base.attr if isinstance(base, ast.Attribute) else getattr(base, "id", "")
    if name != "tensor":
        return None
    inside = annotation.slice
    return list(inside.elts) if isinstance(inside, ast.Tuple) else [inside]


def _number(size: ast.expr, frame: FrameType) -> int | None:
    """A size that is a number, a name or an attribute; None if it is not known."""
    return plain_int(_value(size, frame))


def _value(node: ast.expr, frame: FrameType) -> Any:
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        return frame.f_locals.get(node.id, frame.f_globals.get(node.id))
    if isinstance(node, ast.Attribute):
        return getattr(_value(node.value, frame), node.attr, None)
    return None
