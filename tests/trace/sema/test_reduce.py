"""Reductions, softmax, rms_norm: shapes, values against NumPy, instructions, refusals."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import opennki.api.isa as nisa
import opennki.api.language as nl

BF16 = ml_dtypes.bfloat16
SUM_OF_64 = 64 * 2.0**-24  # float32 additions of 64 terms

FOLDS = {
    "sum": np.sum, "max": np.max, "min": np.min, "mean": np.mean, "prod": np.prod,
}  # fmt: skip


@pytest.mark.parametrize("name", FOLDS)
@pytest.mark.parametrize("keepdims", [False, True])
def test_over_the_last_axis(run, rng, name, keepdims):
    x = rng.uniform(0.9, 1.1, (32, 64)).astype(np.float32)
    got = run(lambda t: getattr(nl, name)(t, axis=1, keepdims=keepdims), x)
    assert got.shape == (32, 1)
    np.testing.assert_allclose(got, FOLDS[name](x, axis=1, keepdims=True), rtol=SUM_OF_64)


@pytest.mark.parametrize("name", FOLDS)
@pytest.mark.parametrize(
    ("axis", "keepdims", "shape"),
    [
        ([3, 4], False, (8, 2, 3)), ([3, 4], True, (8, 2, 3, 1, 1)), (-1, False, (8, 2, 3, 2)),
        ((1, 2, 3, 4), False, (8, 1)), ([4, 3], False, (8, 2, 3)), (4, True, (8, 2, 3, 2, 1)),
    ],
)  # fmt: skip
def test_over_several_axes(run, rng, name, axis, keepdims, shape):
    x = rng.uniform(0.5, 1.5, (8, 2, 3, 2, 4)).astype(np.float32)
    axes = tuple(axis) if isinstance(axis, list) else axis
    got = run(lambda t: getattr(nl, name)(t, axis=axis, keepdims=keepdims), x)
    assert got.shape == shape
    np.testing.assert_allclose(got, FOLDS[name](x, axis=axes).reshape(shape), rtol=SUM_OF_64)


def test_bfloat16_is_summed_in_float32(run, opcodes):
    x = np.full((4, 512), 1.0, BF16)
    np.testing.assert_array_equal(run(lambda t: nl.sum(t, axis=1), x), np.full((4, 1), 512, BF16))
    assert run(lambda t: nl.sum(t, axis=1, dtype=nl.float32), x).dtype == np.float32
    assert opcodes(lambda t: nl.sum(t, axis=1), x) == {"tensor_reduce": 1}
    assert opcodes(lambda t: nl.mean(t, axis=1), x) == {"tensor_reduce": 1, "tensor_scalar": 1}


def test_variance(run, rng):
    x = (rng.standard_normal((16, 4, 32)) + 100).astype(np.float32)
    got = run(lambda t: nl.var(t, axis=2), x)
    assert got.shape == (16, 4, 1)
    want = np.var(x.astype(np.float64), axis=2, keepdims=True)
    np.testing.assert_allclose(got, want, rtol=1e-5)  # the mean of 100 rounds to 4e-6
    assert run(lambda t: nl.var(t, axis=[1, 2], keepdims=True), x).shape == (16, 1, 1)


def test_all(run):
    x = np.array([[1, 2, 3], [1, 0, 3], [0, 0, 0]], np.float32)
    np.testing.assert_array_equal(run(lambda t: nl.all(t, axis=1), x), [[1], [0], [0]])
    one = np.array([[5.0], [0.0]], np.float32)
    np.testing.assert_array_equal(run(lambda t: nl.all(t, axis=1), one), [[1], [0]])


@pytest.mark.parametrize("target", ["trn1", "trn2", "trn3"])
def test_softmax_over_all_free_dimensions(run, opcodes, rng, target):
    x = rng.uniform(-50, 50, (64, 64)).astype(np.float32)
    e = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    want = e / e.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(run(nl.softmax, x, target=target), want, rtol=1e-5, atol=1e-30)
    assert opcodes(nl.softmax, x, target=target) == {
        "tensor_reduce": 1, "activation_reduce": 1, "reciprocal": 1, "tensor_scalar": 1,
    }  # fmt: skip


def test_softmax_over_some_free_dimensions(run, rng):
    x = rng.standard_normal((8, 3, 16)).astype(np.float32)
    e = np.exp(x.astype(np.float64))
    got = run(lambda t: nl.softmax(t, axis=-1), x)
    np.testing.assert_allclose(got, e / e.sum(axis=-1, keepdims=True), rtol=1e-5)
    got = run(lambda t: nl.softmax(t, axis=[1, 2]), x)
    np.testing.assert_allclose(got, e / e.sum(axis=(1, 2), keepdims=True), rtol=1e-5)


@pytest.mark.parametrize("inner", [None, nl.bfloat16])
def test_rms_norm(run, rng, inner):
    x = rng.standard_normal((16, 64)).astype(np.float32)
    w = rng.standard_normal((16, 64)).astype(np.float32)
    got = run(lambda a, b: nl.rms_norm(a, b, axis=1, n=64, compute_dtype=inner), x, w)
    want = x / np.sqrt((x * x).mean(axis=1, keepdims=True) + 1e-6) * w
    tolerance = 1e-5 if inner is None else 3 * 2.0**-8  # three values are rounded to bfloat16
    np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize(
    ("axis", "code"),
    [(0, "NKI2401"), ((0, 1), "NKI2401"), (1, "NKI2402"), ((1, 3), "NKI2403"), (5, "NKI2403"),
     ((2, 2), "NKI2403"), ((), "NKI1007"), (1.0, "NKI1007"), (None, "NKI1007"), ("x", "NKI1007")],
)  # fmt: skip
def test_axes_that_cannot_be_folded(refused, axis, code):
    def kernel(a):
        nl.sum(nl.load(a), axis=axis)
        return a

    found = refused(kernel, np.ones((4, 3, 2), np.float32))
    assert found.code.id == code
    assert "nl.sum" in found.message or code in ("NKI2402", "NKI2403")


def test_arguments_of_rms_norm(refused):
    def kernel(a, n=64, w=None):
        t = nl.load(a)
        nl.rms_norm(t, t if w is None else t[:, 0:2], axis=1, n=n)
        return a

    x = np.ones((4, 8), np.float32)
    assert refused(lambda a: kernel(a, n=0), x).code.id == "NKI1007"
    assert refused(lambda a: kernel(a, n=8, w=1), x).code.id == "NKI2127"
    assert refused(lambda a: nl.mean(nl.load(a), axis=1, keepdims=3), x).code.id == "NKI1007"


def test_max_as_an_operator(run, rng):
    def function(t):
        top = nl.ndarray((8, 1), t.dtype)
        nisa.tensor_reduce(top, op=nl.max, data=t, axis=1)
        return top

    x = rng.standard_normal((8, 16)).astype(np.float32)
    np.testing.assert_array_equal(run(function, x), x.max(axis=1, keepdims=True))
