"""Results that the kernel writes only in part, and reinterpreted tensors without rounding."""

from __future__ import annotations

import numpy as np
import pytest

import nki
import nki.isa as nisa
import nki.language as nl
from opennki.base.diag import NkiError, NkiWarning

X = np.random.default_rng(0).standard_normal((8, 4)).astype(np.float32)
BFLOAT16 = nl.bfloat16.np


def half(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out[0:4], src=x[0:4])
    return out


def written_half(x):
    return half(x)[0:4]


@pytest.mark.parametrize("step", [False, True])
def test_a_result_written_in_part_warns(step):
    with pytest.warns(NkiWarning, match=r"NKI6001.*16 element.*first at \(4, 0\)"):
        nki.simulate(half, step=step)(X)


@pytest.mark.parametrize("step", [False, True])
def test_a_result_written_in_part_is_an_error_in_strict_mode(step):
    with pytest.raises(NkiError, match="NKI6002"):
        nki.simulate(half, step=step, strict=True)(X)


def test_only_what_is_returned_counts():
    assert np.array_equal(nki.simulate(written_half, strict=True)(X), X[:4])


def bits_of_bfloat16(x):
    t = nl.ndarray(x.shape, dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    out = nl.ndarray(x.shape, dtype=nl.int16, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=t.view(nl.int16))
    return out


def halves_of_float32(x):
    t = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    out = nl.ndarray((8, 8), dtype=nl.bfloat16, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=t.view(nl.bfloat16))
    return out


@pytest.mark.parametrize("level", ["penguin", "bir"])
@pytest.mark.parametrize(
    ("kernel", "want"),
    [
        (bits_of_bfloat16, X.astype(BFLOAT16).view(np.int16)),
        (halves_of_float32, X.view(BFLOAT16).astype(np.float32)),
    ],
    ids=["bfloat16", "float32"],
)
def test_reinterpreting_shows_true_bytes_without_rounding(monkeypatch, kernel, want, level):
    monkeypatch.setenv("NKI_PRECISE_FP", "0")
    assert np.array_equal(nki.simulate(kernel, level=level)(X), want, equal_nan=True)


def test_the_program_is_not_simulated_without_rounding(monkeypatch):
    monkeypatch.setenv("NKI_PRECISE_FP", "0")
    with pytest.raises(NkiError, match="NKI7013"):
        nki.simulate(half, level="program")(X)
