"""The kernels of `opennki.kernels` against float64, beyond one tile, on every target with NKI."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import nki
import opennki
from opennki.base.diag import NkiError
from opennki.kernels import attention, mlp, rms_norm, softmax

Array = np.ndarray[Any, Any]
F32, BF16 = np.dtype(np.float32), np.dtype(ml_dtypes.bfloat16)
EPS = {F32: 2.0**-24, BF16: 2.0**-9}
"""Half a unit in the last place of 1."""

dtypes = pytest.mark.parametrize("dtype", [F32, BF16], ids=str)


def random(rng: np.random.Generator, *shape: int, dtype: np.dtype[Any]) -> Array:
    return rng.standard_normal(shape).astype(dtype)


def error(
    kernel: Callable[..., Any], want: Array, *args: Any, target: str = "trn2", **kw: Any
) -> float:
    """The largest difference of a result from what it should be."""
    got = nki.simulate(kernel, target=target)(*args, **kw)
    assert (got.shape, got.dtype) == (want.shape, args[0].dtype)
    return float(np.abs(got.astype(np.float64) - want).max())


# ---- softmax -----------------------------------------------------------------------------------


def exact_softmax(x: Array, axis: int) -> Array:
    wide = x.astype(np.float64)
    powers = np.exp(wide - wide.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


@dtypes
@pytest.mark.parametrize(
    ("shape", "axis"),
    [((130, 300), -1), ((3, 40, 70), 1), ((600,), 0), ((2, 2, 129), 2), ((5, 3000), 1)],
)
def test_softmax(shape, axis, dtype, rng):
    x = 5 * random(rng, *shape, dtype=dtype)
    # At most 1, rounded once to the dtype; exponents of up to 40 in float32 have an error of 2^-19.
    assert error(softmax, exact_softmax(x, axis), x, axis) <= EPS[dtype] + 2.0**-19


def test_softmax_of_rows_that_do_not_stay_on_chip(rng):
    x = 5 * random(rng, 2, 9000, dtype=F32)
    assert error(softmax, exact_softmax(x, 1), x) <= 2.0**-19


def test_softmax_takes_large_numbers():
    x = np.float32([[1e30, -1e30, 0, 1e30], [-3e38, 3e38, 0, 0]])
    got = nki.simulate(softmax, target="trn2")(x)
    assert got.tolist() == [[0.5, 0, 0, 0.5], [0, 1, 0, 0]]


# ---- rms_norm ----------------------------------------------------------------------------------


@dtypes
@pytest.mark.parametrize("shape", [(130, 300), (2, 3, 2500), (2, 9000), (7,)])
def test_rms_norm(shape, dtype, rng):
    x, weight = random(rng, *shape, dtype=dtype), random(rng, shape[-1], dtype=dtype)
    wide = x.astype(np.float64)
    want = wide / np.sqrt((wide**2).mean(axis=-1, keepdims=True) + 1e-5) * weight.astype(float)
    # Relative to results below 16: one rounding to the dtype, a few of float32.
    assert np.abs(want).max() < 16
    assert error(rms_norm, want, x, weight, 1e-5) <= 16 * (EPS[dtype] + 4 * EPS[F32])


# ---- attention ---------------------------------------------------------------------------------


def exact_attention(q: Array, k: Array, v: Array, causal: bool, scale: float | None) -> Array:
    q, k, v = (x.astype(np.float64) for x in (q, k, v))
    scores = q @ np.swapaxes(k, -1, -2) * (q.shape[-1] ** -0.5 if scale is None else scale)
    if causal:
        scores = np.where(np.tri(*scores.shape[-2:], dtype=bool), scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True) @ v


ATTENTION = [
    ((200, 64), 200, 64, True, None),
    ((128, 32), 700, 48, False, None),
    ((2, 130, 160), 300, 200, False, -0.1),
    ((2, 2, 20, 16), 20, 16, True, 0.5),
    ((1100, 16), 1100, 16, True, None),
]
# Averages of values of about 1. float32: sums of up to 160 products and 1100 weights. bfloat16:
# weights and result are rounded, of which the first makes an error of a few units in an average.
ATTENTION_LIMIT = {F32: 1e-5, BF16: 2.0**-5}


@dtypes
@pytest.mark.parametrize(("shape", "keys", "width", "causal", "scale"), ATTENTION)
def test_attention(shape, keys, width, causal, scale, dtype, rng):
    q = random(rng, *shape, dtype=dtype)
    k = random(rng, *shape[:-2], keys, shape[-1], dtype=dtype)
    v = random(rng, *shape[:-2], keys, width, dtype=dtype)
    want = exact_attention(q, k, v, causal, scale)
    assert error(attention, want, q, k, v, causal, scale) <= ATTENTION_LIMIT[dtype]


def test_attention_reads_keys_again_that_do_not_stay_on_chip(rng, monkeypatch):
    q, k, v = (random(rng, 300, 16, dtype=F32) for _ in range(3))
    kept = nki.simulate(attention, target="trn2")(q, k, v)
    module = sys.modules["opennki.kernels.attention"]  # its name in the package is the kernel's
    monkeypatch.setattr(module, "RESIDENT_BYTES", 0)
    assert nki.simulate(attention, target="trn2")(q, k, v).tobytes() == kept.tobytes()


# ---- mlp ---------------------------------------------------------------------------------------

ERF = np.vectorize(math.erf)
GATES: dict[str, Callable[[Array], Array]] = {
    "silu": lambda x: x / (1 + np.exp(-x)),
    "gelu": lambda x: x / 2 * (1 + ERF(x / np.sqrt(2))),
    "relu": lambda x: np.maximum(x, 0),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
}


@dtypes
@pytest.mark.parametrize(
    ("tokens", "hidden", "inner", "gate"),
    [((130,), 200, 150, "silu"), ((5,), 600, 130, "gelu"), ((2, 3), 8, 300, "relu"),
     ((1,), 130, 4, "sigmoid")],
)  # fmt: skip
def test_mlp(tokens, hidden, inner, gate, dtype, rng):
    x = random(rng, *tokens, hidden, dtype=dtype)
    up, down = random(rng, hidden, inner, dtype=F32), random(rng, inner, hidden, dtype=F32)
    weights = [
        (up / hidden**0.5).astype(dtype), (up[::-1] / hidden**0.5).astype(dtype),
        (down / inner**0.5).astype(dtype),
    ]  # fmt: skip
    g, u, d = (w.astype(np.float64) for w in weights)
    wide = x.astype(np.float64)
    want = (GATES[gate](wide @ g) * (wide @ u)) @ d
    # Results are below 16. bfloat16: the inner values are rounded, and so is the result; float32:
    # sums of up to 600 products.
    assert np.abs(want).max() < 16
    assert error(mlp, want, x, *weights, activation=gate) <= 16 * 2 * EPS[dtype] + 1e-5


# ---- all of them -------------------------------------------------------------------------------


@pytest.mark.parametrize("target", ["trn1", "trn2", "trn3"])
def test_every_target(target, rng):
    x, w = random(rng, 130, 40, dtype=F32), random(rng, 40, 40, dtype=F32)
    assert error(softmax, exact_softmax(x, 1), x, target=target) <= 2.0**-19
    want = exact_attention(x, x, x, True, None)
    assert error(attention, want, x, x, x, True, target=target) <= ATTENTION_LIMIT[F32]
    wide, wide_w = x.astype(float) / 40, w.astype(float)
    want = (GATES["silu"](wide @ wide_w) * (wide @ wide_w)) @ wide_w
    assert error(mlp, want, x / 40, w, w, w, target=target) <= 1e-5
    want = wide / np.sqrt((wide**2).mean(axis=1, keepdims=True) + 1e-6) * wide_w[0]
    assert error(rms_norm, want, x / 40, w[0], target=target) <= 1e-5


def test_a_mistake_is_shown_in_the_kernels_own_lines():
    """Kernels that come with opennki are kernels like any other: their lines are not hidden."""
    x = np.zeros((4, 8), np.float32)
    with pytest.raises(NkiError) as caught:
        nki.simulate(mlp, target="trn2")(x, x.T, x.T, x, activation="add")
    files = [loc.file.rpartition("/")[2] for loc in caught.value.diagnostics[0].loc.chain()]
    assert files == ["mlp.py"] * 3


@pytest.mark.parametrize(
    ("kernel", "shapes", "words"),
    [
        (attention, [(2, 4097), (2, 4097), (2, 8)], "a query has 4097 > 4096 elements"),
        (attention, [(2, 8), (2, 8), (2, 513)], "a value has 513 > 512 elements"),
        (mlp, [(2, 8193), (8193, 4), (8193, 4), (4, 8193)], "the hidden size is 8193 > 8192"),
        (mlp, [(2, 4), (4, 16385), (4, 16385), (16385, 4)], "the inner size is 16385 > 16384"),
    ],
)  # fmt: skip
def test_sizes_that_do_not_fit_are_refused(kernel, shapes, words):
    with pytest.raises(NkiError, match=words):
        opennki.compile(kernel, *(np.zeros(shape, np.float32) for shape in shapes))


@pytest.mark.parametrize("target", ["trn1", "trn2", "trn3"])
@pytest.mark.parametrize(
    ("kernel", "shapes"),
    [
        (attention, [(130, 4096), (1100, 4096), (1100, 512)]),
        (attention, [(130, 128), (6000, 128), (6000, 128)]),
        (softmax, [(130, 8192)]), (rms_norm, [(130, 8192), (8192,)]),
        (mlp, [(128, 8192), (8192, 16384), (8192, 16384), (16384, 8192)]),
    ],
)  # fmt: skip
def test_the_largest_sizes_fit_on_chip(kernel, shapes, target):
    arrays = [opennki.ArraySpec(shape, np.float32) for shape in shapes]
    assert opennki.check(kernel, *arrays, target=target) == []
