"""Item assignment, and tensors in conditions: what public kernels of 0.3 write."""

from __future__ import annotations

import numpy as np
import pytest

import nki
import nki.isa as nisa
import nki.language as nl
from opennki import NkiWarning
from opennki.base.diag import NkiError


@nki.jit
def halves(x, bias):
    out = nl.ndarray(x.shape, x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray(x.shape, x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    if bias:
        nisa.tensor_scalar(dst=t, data=t, op0=nl.add, operand0=1.0)
    u = nl.ndarray(x.shape, x.dtype, buffer=nl.sbuf)
    u[:, 0:32] = t[:, 32:64]
    u[:, 32:64] = t[:, 0:32]
    out[...] = u
    return out


def test_tiles_are_stored_and_arguments_tested(rng: np.random.Generator):
    x = rng.standard_normal((128, 64)).astype(np.float32)
    with pytest.warns(NkiWarning) as caught:
        result = nki.simulate(halves)(x, x)
    want = np.concatenate([x[:, 32:], x[:, :32]], axis=1) + np.float32(1)
    np.testing.assert_array_equal(result, want)
    found = [str(one.message) for one in caught]
    assert sum("NKI1061" in text for text in found) == 1
    assert sum("NKI1060" in text and "tensor_copy" in text for text in found) == 2
    assert sum("NKI1060" in text and "dma_copy" in text for text in found) == 1


def test_none_is_no_argument(rng: np.random.Generator):
    x = rng.standard_normal((128, 64)).astype(np.float32)
    with pytest.warns(NkiWarning, match="NKI1060"):
        result = nki.simulate(halves)(x, None)
    np.testing.assert_array_equal(result, np.concatenate([x[:, 32:], x[:, :32]], axis=1))


def test_a_tile_that_may_be_none_is_tested_by_its_truth(rng: np.random.Generator):
    def added(to, tile):
        if tile:
            nisa.tensor_tensor(to, to, tile, op=nl.add)

    def kernel(x, *, size):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        t = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x)
        added(t, None)
        added(t[0:size, 0:1], t[0:size, 1:2])
        nisa.dma_copy(dst=out, src=t)
        return out

    x = rng.standard_normal((2, 2)).astype(np.float32)
    with pytest.warns(NkiWarning, match="NKI1061"):
        result = nki.simulate(kernel)(x, size=2)
    np.testing.assert_array_equal(result, np.stack([x[:, 0] + x[:, 1], x[:, 1]], axis=1))
    with pytest.raises(NkiError, match="NKI1002"):
        nki.simulate(kernel)(x, size=1)
