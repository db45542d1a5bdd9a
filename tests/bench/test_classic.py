"""Budgets of loops of the first generation: what tracing and lowering them take does not grow.

As in `test_speed`, budgets are ratios to a calibration loop run in the same process.
"""

from __future__ import annotations

import numpy as np
import pytest

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
from opennki.driver.compiled import compile_kernel
from opennki.penguin.passes.unroll_loops import instructions

from .test_speed import SLACK, STEP_US, _best

BUDGET_US = 500_000
"""For a product of 4096 x 4096 x 4096, traced and lowered."""


def product_of(rows, columns, depth):
    """A tiled matrix product in affine loops."""

    @nki.jit
    def kernel(a, b):
        out = nl.ndarray((a.shape[1], b.shape[1]), dtype=a.dtype, buffer=nl.shared_hbm)
        p, f = nl.arange(rows)[:, None], nl.arange(columns)[None, :]
        for m in nl.affine_range(-(-a.shape[1] // rows)):
            for n in nl.affine_range(-(-b.shape[1] // columns)):
                total = nl.zeros((rows, columns), nl.float32, buffer=nl.psum)
                for k in nl.affine_range(a.shape[0] // depth):
                    at = slice(k * depth, (k + 1) * depth)
                    left = nl.load(a[at, m * rows : (m + 1) * rows])
                    right = nl.load(b[at, n * columns : (n + 1) * columns])
                    total += nisa.nc_matmul(left, right)
                inside = (m * rows + p < out.shape[0]) & (n * columns + f < out.shape[1])
                nl.store(out[m * rows + p, n * columns + f], total, mask=inside)
        return out

    return kernel


def lowered(kernel, size):
    array = np.broadcast_to(np.float32(0), (size, size))
    made = compile_kernel(kernel.fn, (array, array), {}, kernel.request.resolve())
    assert made.bir.functions
    return made


@pytest.mark.parametrize("tile", [(128, 512, 128), (32, 64, 32), (16, 16, 16)], ids=str)
def test_a_large_product_is_traced_and_lowered_within_budget(tile, record_property):
    kernel = product_of(*tile)
    count = instructions(lowered(kernel, 4096).penguin[0].body)
    assert count > 3 * np.prod([4096 // n for n in tile])
    ratio = _best(lambda: lowered(kernel, 4096))
    record_property("steps", ratio)
    assert ratio < BUDGET_US / STEP_US * SLACK


def test_cost_does_not_grow_with_trips(record_property):
    kernel = product_of(16, 16, 16)
    growth = _best(lambda: lowered(kernel, 8192)) / _best(lambda: lowered(kernel, 256))
    record_property("growth", growth)
    assert growth < 1.5 * SLACK
