"""Parts of tiles that engines can walk: they count along a few free dimensions at once.

Index expressions make tiles of any number of dimensions. Neighbours that follow each other in all
operands become one; of what is still too much, an instruction does one step of the shortest.
Source: NKI 0.1 programming guide, tiles of any rank. Model: the order of the steps is ours.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

from opennki.trace.context import TraceContext

from .tiles import ClassicTensor, Shape, Window


def pieces(
    ctx: TraceContext, views: Sequence[ClassicTensor]
) -> Iterator[tuple[ClassicTensor, ...]]:  # fmt: skip
    """The same parts of all `views`, which have one shape or one element per partition.

    One part, `views` themselves, if they do not walk more dimensions than the target can.
    """
    limit = ctx.target.ap_dims - 1
    if all(_walked(view) <= limit for view in views):
        yield tuple(views)
        return
    shape = max((view.shape for view in views), key=len)
    groups = _groups(shape, [view for view in views if view.shape == shape])
    sizes = [_size(shape, group) for group in groups]
    stepped = sorted(range(len(groups)), key=lambda k: sizes[k])[: max(0, len(groups) - limit)]
    for steps in product(*(range(sizes[k]) for k in stepped)):
        at = dict(zip(stepped, steps, strict=True))
        yield tuple(_part(view, shape, groups, at) for view in views)


def _walked(view: ClassicTensor) -> int:
    return sum(size > 1 for size in view.shape[1:])


def _size(shape: Shape, group: Sequence[int]) -> int:
    total = 1
    for dim in group:
        total *= shape[dim]
    return total


def _groups(shape: Shape, views: Sequence[ClassicTensor]) -> list[list[int]]:
    """Free dimensions of more than one element, those together that are one in all `views`."""
    groups: list[list[int]] = []
    for dim in range(1, len(shape)):
        if shape[dim] == 1:
            continue
        if groups and all(
            view.strides[groups[-1][-1]] == view.strides[dim] * shape[dim] for view in views
        ):
            groups[-1].append(dim)
        else:
            groups.append([dim])
    return groups


def _part(
    view: ClassicTensor, shape: Shape, groups: list[list[int]], at: dict[int, int]
) -> ClassicTensor:  # fmt: skip
    """The part of a view at one step; a view with one element per partition stays."""
    if view.shape != shape:
        return view
    offset: Any = view.offset
    sizes, strides = [shape[0]], [view.strides[0]]
    for k, group in enumerate(groups):
        stride = view.strides[group[-1]]
        if k in at:
            offset = offset + at[k] * stride
        else:
            sizes.append(_size(shape, group))
            strides.append(stride)
    return Window(view.tensor, offset, tuple(sizes), tuple(strides), view.dtype)
