"""Arithmetic on shapes and strides: inferring, merging and re-walking dimensions."""

from __future__ import annotations

from math import prod

from opennki.base.codes import NKI3020

from .fault import fault


def infer(sizes: tuple[int, ...], total: int) -> tuple[int, ...]:
    """`sizes`, at least one, with one -1 replaced so that the product is `total`."""
    if not sizes or any(n < 1 and n != -1 for n in sizes) or sizes.count(-1) > 1:
        raise fault(NKI3020, got=list(sizes), want=total)
    known = prod(n for n in sizes if n != -1)
    if -1 in sizes and total % known == 0:
        sizes = tuple(total // known if n == -1 else n for n in sizes)
    if prod(sizes) != total:
        raise fault(NKI3020, got=list(sizes), want=total)
    return sizes


def merge(shape: tuple[int, ...], strides: tuple[int, ...]) -> tuple[int, int] | None:
    """The one dimension that walks like these, outermost first; None if there is none."""
    size, step = 1, strides[-1] if strides else 1
    for n, s in reversed(list(zip(shape, strides, strict=True))):
        if n == 1:
            continue
        if size == 1:
            step = s
        elif s != step * size:
            return None
        size *= n
    return size, step


def restride(
    shape: tuple[int, ...], strides: tuple[int, ...], sizes: tuple[int, ...]
) -> tuple[int, ...] | None:
    """Strides that walk the same elements in the same order under `sizes`, if there are any."""
    old = [(n, s) for n, s in zip(shape, strides, strict=True) if n != 1]
    runs: list[list[tuple[int, int]]] = []
    for n, s in old:  # group dimensions that are dense relative to each other
        if runs and runs[-1][-1][1] == s * n:
            runs[-1].append((n, s))
        else:
            runs.append([(n, s)])
    flat = [(prod(n for n, _ in run), run[-1][1]) for run in runs]
    result: list[int] = []
    left = list(reversed(flat))
    room, step = left.pop(0) if left else (1, 1)
    for n in reversed(sizes):
        if n == 1:
            result.append(step)
            continue
        if room == 1 and left:
            room, step = left.pop(0)
        if room % n:
            return None
        result.append(step)
        room //= n
        step *= n
    return tuple(reversed(result)) if room == 1 and not left else None
