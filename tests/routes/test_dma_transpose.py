"""Transposes in DMA queues, from HBM and from SBUF, of every rank, at every level."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import nki
import nki.isa as nisa
import nki.language as nl
from opennki.testing.programs import RUNNERS


@nki.jit
def there_and_back(x):
    """(first, ..., last) to (last, ..., first) in SBUF, what is computed there, and back again."""
    first, *between, last = x.shape
    turned = nl.ndarray((last, *between, first), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_transpose(dst=turned, src=x)
    doubled = nl.ndarray(turned.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.tensor_tensor(dst=doubled, data1=turned, data2=turned, op=nl.add)
    back = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_transpose(dst=back, src=doubled)
    results = [nl.ndarray(t.shape, dtype=x.dtype, buffer=nl.shared_hbm) for t in (turned, back)]
    nisa.dma_copy(dst=results[0], src=turned)
    nisa.dma_copy(dst=results[1], src=back)
    return results[0], results[1]


@pytest.mark.parametrize("level", RUNNERS)
@pytest.mark.parametrize("target", ["trn1", "trn2", "trn3"])
@pytest.mark.parametrize("shape", [(128, 128), (5, 48), (16, 3, 40), (8, 2, 5, 24)])
@pytest.mark.parametrize("dtype", [np.float32, ml_dtypes.bfloat16])
def test_transfers_wait_for_what_they_read(level, target, shape, dtype, rng):
    x = rng.integers(-99, 99, shape).astype(dtype)
    turned, back = nki.simulate(there_and_back, target=target, level=level)(x)
    np.testing.assert_array_equal(turned, np.swapaxes(x, 0, -1))
    np.testing.assert_array_equal(back, x + x)


@nki.jit
def row_blocks(x):
    """The transpose of (rows, 128), 16 rows at a time by hardware."""
    rows, columns = x.shape
    turned = nl.ndarray((columns, rows), dtype=x.dtype, buffer=nl.sbuf)
    for first in range(0, rows, 16):
        nisa.dma_transpose(
            dst=turned[:, first : first + 16], src=x[first : first + 16, :], axes=(1, 0),
            dge_mode=nisa.dge_mode.hwdge,
        )  # fmt: skip
    out = nl.ndarray(turned.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=turned)
    return out


@pytest.mark.parametrize("level", RUNNERS)
@pytest.mark.parametrize("target", ["trn2", "trn3"])
def test_hardware_transposes_by_blocks_keep_bits(level, target, rng):
    bits = rng.integers(0, 2**16, (64, 128), np.uint16)  # NaN with all payloads among them
    got = nki.simulate(row_blocks, target=target, level=level)(bits.view(ml_dtypes.bfloat16))
    np.testing.assert_array_equal(got.view(np.uint16), bits.T)
