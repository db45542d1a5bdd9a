"""A gated perceptron of two layers.

Tokens are taken 128 at a time. The first products are computed transposed, (inner, tokens): that is
what the second product needs, whose sum is over the inner dimension.
"""

from __future__ import annotations

from math import prod
from typing import Any, Final

from opennki.api import jit

from .tiles import BANK, ROWS, View, load, load_transposed, nisa, nl, spans, store, tile

MAX_HIDDEN: Final = 8192
MAX_INNER: Final = 16384
"""Sizes for which a block of tokens and what becomes of it fit in SBUF."""


@jit
def mlp(src: Any, gate: Any, up: Any, down: Any, activation: str = "silu") -> Any:
    """``(activation(src @ gate) * (src @ up)) @ down`` on the last dimension.

    Args: src, (..., tokens, hidden); gate and up, (hidden, inner); down, (inner, hidden), hidden at
        most 8192 and inner at most 16384; activation, name of a function of `nki.language`.
    Returns: an array like src.
    """
    hidden, columns = gate.shape
    assert hidden <= MAX_HIDDEN, f"the hidden size is {hidden} > {MAX_HIDDEN}"
    assert columns <= MAX_INNER, f"the inner size is {columns} > {MAX_INNER}"
    out = nl.ndarray(src.shape, dtype=src.dtype, buffer=nl.shared_hbm)
    flat = prod(src.shape[:-1]), src.shape[-1]
    rows, results = src.reshape(flat), out.reshape(flat)
    for row, height in spans(flat[0], ROWS):
        block = slice(row, row + height)
        turned = load_transposed(rows[block])
        inner = [
            gated(turned, gate[:, at : at + width], up[:, at : at + width], activation)
            for at, width in spans(columns, ROWS)
        ]
        project(results[block], inner, down)
    return out


def gated(src: list[View], gate: View, up: View, activation: str) -> View:
    """``activation(src @ gate) * (src @ up)``, transposed, for at most 128 inner columns."""
    opened, other = product(gate, src), product(up, src)
    width, tokens = opened.shape
    scale = tile(width, tokens)
    nisa.activation(dst=scale, op=getattr(nl, activation), data=opened)
    result = tile(width, tokens, src[0].dtype)
    nisa.tensor_tensor(dst=result, data1=scale, data2=other, op=nl.multiply)
    return result


def product(weight: View, src: list[View]) -> View:
    """``weight.T @ src`` in PSUM: (columns of weight, tokens); `src` in tiles of 128 rows."""
    summed = tile(weight.shape[1], src[0].shape[1], psum=True)
    for index, piece in enumerate(src):
        start = index * ROWS
        part = load(weight[start : start + piece.shape[0]])
        nisa.nc_matmul(dst=summed, stationary=part, moving=piece, accumulate=index > 0)
    return summed


def project(out: View, inner: list[View], down: View) -> None:
    """Write ``inner.T @ down``; `inner` in tiles of 128 rows."""
    for column, width in spans(down.shape[1], BANK):
        columns = slice(column, column + width)
        summed = tile(out.shape[0], width, psum=True)
        for index, piece in enumerate(inner):
            start = index * ROWS
            part = load(down[start : start + piece.shape[0], columns])
            nisa.nc_matmul(dst=summed, stationary=piece, moving=part, accumulate=index > 0)
        result = tile(out.shape[0], width, out.dtype)
        nisa.tensor_copy(dst=result, src=summed)
        store(out[:, columns], result)
