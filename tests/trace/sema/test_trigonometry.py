"""Sine, cosine, tangent, arctangent, and rounding: accurate where the tables alone are not."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import opennki.api.language as nl

REDUCTION = 3e-7  # two float32 roundings of an argument of at most pi


@pytest.mark.parametrize("reach", [1, 10, 1e3, 4e5])
@pytest.mark.parametrize(("name", "want"), [("sin", np.sin), ("cos", np.cos)])
def test_sine_and_cosine_over_many_turns(run, rng, name, want, reach):
    x = rng.uniform(-reach, reach, (128, 64)).astype(np.float32)
    got = run(getattr(nl, name), x)
    np.testing.assert_allclose(got, want(x.astype(np.float64)), rtol=0, atol=REDUCTION)


@pytest.mark.parametrize("name", ["sin", "cos"])
def test_enormous_arguments_stay_between_minus_one_and_one(run, name):
    x = np.array([[1e7, -1e10, 1e20, 3e38]], np.float32)
    assert np.all(np.abs(run(getattr(nl, name), x)) <= 1)


def test_the_argument_that_the_engine_gets_wrong(run):
    x = np.array([[9.0, -9.0, np.pi, 0.0]], np.float32)
    np.testing.assert_allclose(run(nl.sin, x), np.sin(x), rtol=0, atol=REDUCTION)


def test_sine_of_nan_is_nan(run):
    np.testing.assert_array_equal(run(nl.sin, np.array([[np.nan, 0]], np.float32)), [[np.nan, 0]])


def test_tangent(run, rng):
    x = rng.uniform(-1.4, 1.4, (64, 32)).astype(np.float32) + np.float32(np.pi) * 5
    # a relative error of the cosine by its distance from the pole, cos(1.4) = 0.17
    np.testing.assert_allclose(run(nl.tan, x), np.tan(x.astype(np.float64)), rtol=4e-6, atol=1e-6)


def test_arctangent_of_all_magnitudes(run):
    x = np.array([[0, 0.3, -0.3, 1, -1, 1.0001, 2, -50, 1e10, -3e38, np.inf]], np.float32)
    np.testing.assert_allclose(run(nl.arctan, x), np.arctan(x), rtol=3e-7)


def test_bfloat16_arguments_and_results(run, rng):
    x = rng.uniform(-9, 9, (32, 32)).astype(ml_dtypes.bfloat16)
    got = run(nl.sin, x)
    assert got.dtype == x.dtype
    want = np.sin(x.astype(np.float64))
    np.testing.assert_allclose(got.astype(np.float64), want, rtol=2.0**-8, atol=REDUCTION)


def test_instructions(opcodes):
    x = np.ones((4, 4), np.float32)
    assert opcodes(nl.sin, x) == {
        "tensor_scalar": 2, "scalar_tensor_tensor": 5, "activation": 1
    }  # fmt: skip
    assert opcodes(nl.cos, x) == {
        "tensor_scalar": 3, "scalar_tensor_tensor": 3, "activation": 1
    }  # fmt: skip
    assert sum(opcodes(nl.tan, x).values()) == 13
    assert sum(opcodes(nl.arctan, x).values()) == 9


@pytest.mark.parametrize(
    ("name", "want"), [("floor", np.floor), ("ceil", np.ceil), ("trunc", np.trunc)]
)
@pytest.mark.parametrize("dtype", [np.float32, ml_dtypes.bfloat16, np.float16])
def test_rounding_to_one_side(run, opcodes, rng, name, want, dtype):
    x = rng.uniform(-1000, 1000, (64, 32))
    x[:, :8] = rng.uniform(-1, 1, (64, 8))
    x[:, 8:12] = [3.2, -3.7, 5, -5]
    x = x.astype(dtype)
    got = run(getattr(nl, name), x).astype(np.float32)
    np.testing.assert_array_equal(got, want(x.astype(np.float32)))
    assert opcodes(getattr(nl, name), x) == {"tensor_scalar": 1, "scalar_tensor_tensor": 1}


def test_large_numbers_and_integers_are_already_round(run, opcodes):
    x = np.array([[2.0**23 + 1, -(2.0**30), 2.0**-149, -(2.0**-149)]], np.float32)
    np.testing.assert_array_equal(run(nl.floor, x), np.floor(x))
    np.testing.assert_array_equal(run(nl.ceil, x), np.ceil(x))
    whole = np.arange(8, dtype=np.int32).reshape(2, 4)
    np.testing.assert_array_equal(run(nl.floor, whole), whole)
    assert opcodes(nl.floor, whole) == {"tensor_copy": 1}


def test_rounding_what_is_in_psum(run, rng):
    x, y = rng.standard_normal((2, 8, 8), dtype=np.float32)
    got = run(lambda a, b: nl.floor(nl.matmul(a, b, transpose_x=True)), x, y)
    np.testing.assert_array_equal(got, np.floor(x.T.astype(np.float64) @ y))


@pytest.mark.parametrize("name", ["floor", "ceil", "trunc"])
@pytest.mark.parametrize("target", ["trn1", "trn2", "trn3"])
def test_what_has_no_fraction_stays_what_it_is(run, name, target):
    edge = 2.0**23
    x = np.array(
        [[np.inf, -np.inf, np.nan, edge - 0.5, 0.5 - edge, edge + 1, -edge - 1, 1e30, 1e-30]],
        np.float32,
    )
    np.testing.assert_array_equal(run(getattr(nl, name), x, target=target), getattr(np, name)(x))
