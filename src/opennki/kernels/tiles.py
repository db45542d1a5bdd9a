"""What the kernels of this package share: tiles, loads, stores, transposes.

A tile has rows in partitions and columns in the free dimension. All functions are called while a
kernel is traced.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from opennki.api import isa, language

nisa: Any = isa  # its calls are made from the op table
nl: Any = language

ROWS: Final = 128
"""Rows of a tile: partitions, and rows and columns of the PE array."""

BANK: Final = 512
"""Columns of float32 in a PSUM bank, and what the PE array moves past its rows at once."""

View = Any
"""A view or tile of the kernel (`NkiTensor`)."""


def spans(size: int, step: int) -> Iterator[tuple[int, int]]:
    """``(start, length)`` of the pieces of `step` that `size` consists of; the last may be less."""
    for start in range(0, size, step):
        yield start, min(step, size - start)


def tile(rows: int, columns: int, dtype: Any = None, *, psum: bool = False) -> View:
    """A new tile in SBUF, or in PSUM; float32 unless a dtype is given."""
    buffer = nl.psum if psum else nl.sbuf
    return nl.ndarray((rows, columns), dtype=dtype or nl.float32, buffer=buffer)


def load(src: View) -> View:
    """A tile with the contents of `src`, (rows, columns) in HBM."""
    made = tile(src.shape[0], src.shape[1], src.dtype)
    nisa.dma_copy(dst=made, src=src)
    return made


def store(dst: View, values: View) -> None:
    """Write a tile to `dst` in HBM, rounded to its dtype."""
    if values.dtype != dst.dtype:
        narrow = tile(values.shape[0], values.shape[1], dst.dtype)
        nisa.tensor_copy(dst=narrow, src=values)
        values = narrow
    nisa.dma_copy(dst=dst, src=values)


def transposed(data: View, into: View) -> None:
    """Store the transpose of a tile, at most 128 by 128, into the tile `into`."""
    turned = tile(data.shape[1], data.shape[0], data.dtype, psum=True)
    nisa.nc_transpose(dst=turned, data=data, engine=nisa.engine.tensor)
    nisa.tensor_copy(dst=into, src=turned)


def load_transposed(src: View) -> list[View]:
    """The transpose of `src`, (rows, columns) in HBM, with 128 columns of it in each tile."""
    rows, columns = src.shape
    made = [tile(width, rows, src.dtype) for _, width in spans(columns, ROWS)]
    for row, height in spans(rows, ROWS):
        piece = load(src[row : row + height])
        for turned, (column, width) in zip(made, spans(columns, ROWS), strict=True):
            transposed(piece[:, column : column + width], turned[:, row : row + height])
    return made
