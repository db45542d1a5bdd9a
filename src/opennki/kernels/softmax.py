"""Softmax along any dimension."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod
from typing import Any, Final

from opennki.api import jit

from .tiles import ROWS, View, load, nisa, nl, spans, store, tile

CHUNK: Final = 2048
"""Columns that one instruction works on."""

RESIDENT: Final = 8192
"""Columns of a row that stay in SBUF; longer rows are read once more for each step."""


@jit
def softmax(src: Any, axis: int = -1) -> Any:
    """``exp(src - max) / sum`` along `axis`.

    Args: src, of any shape and size. Returns: an array like it.
    """
    out = nl.ndarray(src.shape, dtype=src.dtype, buffer=nl.shared_hbm)
    for rows, results in zip(planes(src, axis), planes(out, axis), strict=True):
        for row, height in spans(rows.shape[0], ROWS):
            block = slice(row, row + height)
            softmax_rows(results[block], rows[block])
    return out


def planes(x: View, axis: int) -> list[View]:
    """`x` as matrices whose rows run along `axis`."""
    axis %= len(x.shape)
    outer, size, inner = prod(x.shape[:axis]), x.shape[axis], prod(x.shape[axis + 1 :])
    if inner == 1:
        return [x.reshape((outer, size))]
    slabs = x.reshape((outer, size, inner))
    return [slabs[index].permute((1, 0)) for index in range(outer)]


def softmax_rows(dst: View, src: View) -> None:
    """Softmax of each row of at most 128."""
    height, columns = src.shape
    chunks = [slice(at, at + width) for at, width in spans(columns, CHUNK)]
    tiles = [load(src[:, chunk]) for chunk in chunks] if columns <= RESIDENT else []
    low = minus_largest(tiles or (load(src[:, chunk]) for chunk in chunks), height)
    total, powers = tile(height, 1), []
    for index, chunk in enumerate(chunks):
        data = tiles[index] if tiles else load(src[:, chunk])
        powers.append(exponentials(data, low, total, first=index == 0))
    nisa.reciprocal(dst=total, data=total)
    for index, chunk in enumerate(chunks):
        power = powers[index]
        if not tiles:
            power = exponentials(load(src[:, chunk]), low)
        result = tile(height, power.shape[1], dst.dtype)
        nisa.tensor_scalar(dst=result, data=power, op0=nl.multiply, operand0=total)
        store(dst[:, chunk], result)


def minus_largest(tiles: Iterable[View], height: int) -> View:
    """The largest element of each row, with its sign changed."""
    low = tile(height, 1)
    for index, data in enumerate(tiles):
        found = low if index == 0 else tile(height, 1)
        nisa.tensor_reduce(dst=found, op=nl.maximum, data=data, axis=1, negate=True)
        if index:
            nisa.tensor_tensor(dst=low, data1=low, data2=found, op=nl.minimum)
    return low


def exponentials(data: View, low: View, total: View = None, *, first: bool = True) -> View:
    """``exp(data + low)``, whose sums along rows become, or are added to, `total`, if given."""
    powers = tile(data.shape[0], data.shape[1])
    if total is None:
        nisa.activation(dst=powers, op=nl.exp, data=data, bias=low)
        return powers
    added = total if first else tile(data.shape[0], 1)
    nisa.activation_reduce(
        dst=powers, op=nl.exp, data=data, bias=low, reduce_op=nl.add, reduce_res=added
    )
    if not first:
        nisa.tensor_tensor(dst=total, data1=total, data2=added, op=nl.add)
    return powers
