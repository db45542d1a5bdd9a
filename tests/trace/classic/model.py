"""Kernels of loads, functions and stores at affine places under affine masks, and what they do.

A `Shape` is drawn by hypothesis. It is traced by `kernel`, and `expected` runs every trip and every
element of it by Python.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from hypothesis import strategies as st

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl

ROWS, COLUMNS = 40, 24


@dataclass(frozen=True)
class Affine:
    """``const + sum(loops[k] * i_k) + row * p + column * f``."""

    const: int
    loops: tuple[int, ...]
    row: int = 0
    column: int = 0

    def at(self, indices, p, f):
        total = p * self.row + f * self.column + self.const
        for coeff, index in zip(self.loops, indices, strict=True):
            total = total + index * coeff if coeff else total
        return total


@dataclass(frozen=True)
class Kernel:
    """What one kernel does in the innermost of its loops.

    Attributes: loops, (affine, start, stop, step) of each, outermost first; tile, its shape; grid,
    whether places come from mgrid, which begins at `begin`; src and dst, rows and columns;
    masks, comparisons with 0 by their sign.
    """

    loops: tuple[tuple[bool, int, int, int], ...]
    tile: tuple[int, int]
    grid: bool
    begin: int
    src: tuple[Affine, Affine]
    dst: tuple[Affine, Affine]
    masks: tuple[tuple[str, Affine], ...]

    def indices(self):
        """The indices of all trips, in order."""
        return product(*(range(*bounds) for _, *bounds in self.loops))


COMPARE = {
    "<": lambda a: a < 0, "<=": lambda a: a <= 0, ">": lambda a: a > 0, ">=": lambda a: a >= 0,
    "==": lambda a: a == 0, "0>": lambda a: a < 0, "5>=": lambda a: a + 5 <= 5,
}  # fmt: skip


def traced(spec: Kernel):
    """The kernel of `spec`, of an array (ROWS, COLUMNS)."""

    @nki.jit
    def kernel(x):
        out = nl.ndarray((ROWS, COLUMNS), dtype=x.dtype, buffer=nl.shared_hbm)
        nl.store(out, nl.zeros((ROWS, COLUMNS), dtype=x.dtype, buffer=nl.sbuf))

        def trip(indices):
            rows, columns = spec.tile
            if spec.grid:
                at = nl.mgrid[spec.begin : spec.begin + rows, 0:columns]
                p, f = at.p - spec.begin, at.x
            else:
                p, f = nl.arange(rows)[:, None], nl.arange(columns)[None, :]
            mask = None
            for sign, affine in spec.masks:
                one = COMPARE[sign](affine.at(indices, p, f))
                mask = one if mask is None else mask & one
            tile = nl.load(x[tuple(a.at(indices, p, f) for a in spec.src)], mask=mask)
            tile = nl.multiply(nl.add(tile, 1.0, mask=mask), 2.0, mask=mask)
            nl.store(out[tuple(a.at(indices, p, f) for a in spec.dst)], tile, mask=mask)

        def nest(depth, indices):
            if depth == len(spec.loops):
                trip(indices)
                return
            affine, *bounds = spec.loops[depth]
            for i in (nl.affine_range if affine else nl.sequential_range)(*bounds):
                nest(depth + 1, (*indices, i))

        nest(0, ())
        return out

    return kernel


def expected(spec: Kernel, x):
    """What `spec` gives; None if it leaves its arrays. And whether trips write one place twice."""
    out, twice = np.zeros((ROWS, COLUMNS), x.dtype), False
    writers = {}
    for indices in spec.indices():
        for p, f in np.ndindex(spec.tile):
            if not all(COMPARE[sign](a.at(indices, p, f)) for sign, a in spec.masks):
                continue
            src, dst = (tuple(a.at(indices, p, f) for a in two) for two in (spec.src, spec.dst))
            if not all(0 <= a < n for at in (src, dst) for a, n in zip(at, x.shape, strict=True)):
                return None, False
            out[dst] = (x[src] + 1) * 2
            for k, (affine, *_) in enumerate(spec.loops):
                first = writers.setdefault((dst, indices[:k]), indices[k])
                twice |= affine and first != indices[k]
    return out, twice


@st.composite
def kernels(draw, triangular=True):
    """Kernels of up to three loops, whose places mostly stay inside of their arrays."""
    loops = tuple(
        (draw(st.booleans()), *draw(st.sampled_from(
            [(0, 3, 1), (0, 2, 1), (2, -1, -1), (1, 6, 2), (0, 1, 1), (0, 5, 1)])))
        for _ in range(draw(st.integers(1, 3)))
    )  # fmt: skip
    tile = draw(st.sampled_from([(4, 4), (8, 3), (3, 8), (1, 5), (6, 1)]))
    number = st.integers

    def place(step, size, along):
        coeffs = tuple(draw(st.sampled_from([0, 1, step, step, -1])) for _ in loops)
        steps = {along: draw(st.sampled_from([1, 1, 1, 2, -1]))}
        made = Affine(0, coeffs, **steps)
        values = [
            made.at(i, p, f)
            for i in product(*(range(*b) for _, *b in loops))
            for p, f in ((0, 0), (tile[0] - 1, tile[1] - 1))
        ]
        low, high = min(values), max(values)
        room = max(0, size - 1 - (high - low))
        const = draw(number(-low, -low + room)) + draw(st.sampled_from([0, 0, 0, -2, 3]))
        return Affine(const, coeffs, **steps)

    def mask():
        coeffs = tuple(draw(number(-3, 3)) for _ in loops)
        kind = draw(st.sampled_from("rrccbn" if triangular else "rrccn"))
        row = draw(st.sampled_from([1, -1, 2])) if kind in "rb" else 0
        column = draw(st.sampled_from([1, -1, 3])) if kind in "cb" else 0
        sign = draw(st.sampled_from(sorted(COMPARE)))
        return sign, Affine(draw(number(-6, 6)), coeffs, row, column)

    grid = draw(st.booleans())
    return Kernel(
        loops, tile, grid, draw(number(0, 3)) if grid else 0,
        (place(tile[0], ROWS, "row"), place(tile[1], COLUMNS, "column")),
        (place(tile[0], ROWS, "row"), place(tile[1], COLUMNS, "column")),
        tuple(mask() for _ in range(draw(number(0, 3)))),
    )  # fmt: skip
