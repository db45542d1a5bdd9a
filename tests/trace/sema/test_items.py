"""Item assignment, and tensors in conditions: what public kernels of 0.3 write."""

from __future__ import annotations

import numpy as np
import pytest

import nki
import nki.isa as nisa
import nki.language as nl
from opennki import NkiWarning


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
