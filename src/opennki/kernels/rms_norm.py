"""RMS normalisation of rows."""

from __future__ import annotations

from math import prod
from typing import Any, Final

from opennki.api import jit

from .tiles import ROWS, View, load, nisa, nl, spans, store, tile

CHUNK: Final = 2048
"""Columns that one instruction works on."""

RESIDENT: Final = 8192
"""Columns of rows and weights that stay in SBUF; of more, chunks are read when they are used."""


@jit
def rms_norm(src: Any, weight: Any, eps: float = 1e-6) -> Any:
    """``src / sqrt(mean(src ** 2) + eps) * weight`` along the last dimension.

    Args: src, of any shape and size; weight, (last size of src,). Returns: an array like src.
    """
    out = nl.ndarray(src.shape, dtype=src.dtype, buffer=nl.shared_hbm)
    flat = prod(src.shape[:-1]), src.shape[-1]
    rows, results = src.reshape(flat), out.reshape(flat)
    most = min(ROWS, rows.shape[0])
    small = tile(most, 1)
    nisa.memset(dst=small, value=eps)
    kept = flat[1] <= RESIDENT
    weights = [row_of(weight, chunk, most) for chunk in chunks(flat[1])] if kept else []
    for row, height in spans(rows.shape[0], ROWS):
        block = slice(row, row + height)
        scale_rows(results[block], rows[block], weight, weights, small[0:height])
    return out


def chunks(columns: int) -> list[slice]:
    """The columns, in pieces of `CHUNK`."""
    return [slice(at, at + width) for at, width in spans(columns, CHUNK)]


def row_of(weight: View, chunk: slice, height: int) -> View:
    """A tile with the weights of some columns in each of its rows."""
    return load(weight[chunk].expand_dim(0).broadcast(0, height))


def scale_rows(dst: View, src: View, weight: View, weights: list[View], small: View) -> None:
    """Normalise each row of at most 128; `weights` are those that are in SBUF, perhaps none."""
    height, columns = src.shape
    pieces = chunks(columns)
    tiles = [load(src[:, chunk]) for chunk in pieces] if weights else []
    scale = tile(height, 1)
    for index, chunk in enumerate(pieces):
        data = tiles[index] if tiles else load(src[:, chunk])
        squares, added = tile(height, data.shape[1]), tile(height, 1) if index else scale
        nisa.activation_reduce(
            dst=squares, op=nl.square, data=data, reduce_op=nl.add, reduce_res=added
        )
        if index:
            nisa.tensor_tensor(dst=scale, data1=scale, data2=added, op=nl.add)
    nisa.activation(dst=scale, op=nl.rsqrt, data=scale, scale=1 / columns, bias=small)
    for index, chunk in enumerate(pieces):
        data = tiles[index] if tiles else load(src[:, chunk])
        factor = weights[index][0:height] if weights else row_of(weight, chunk, height)
        result = tile(height, data.shape[1], dst.dtype)
        nisa.scalar_tensor_tensor(
            dst=result, data=data, op0=nl.multiply, operand0=scale, op1=nl.multiply,
            operand1=factor,
        )  # fmt: skip
        store(dst[:, chunk], result)
