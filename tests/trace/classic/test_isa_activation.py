"""Functions of the scalar engine in the first generation."""

from __future__ import annotations

import numpy as np
import pytest

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl

F32_SUM = {"rtol": 1e-6}  # 16 numbers, added in another order


def stored(tile):
    out = nl.ndarray(tile.shape, dtype=tile.dtype, buffer=nl.shared_hbm)
    nl.store(out, tile)
    return out


@nki.jit
def squares(a, bias, scale):
    x, b, s = nl.load(a), nl.load(bias), nl.load(scale)
    return (
        stored(nisa.activation(op=np.square, data=x, bias=b, scale=2.0)),
        stored(nisa.activation(nl.copy, x, scale=s, dtype=nl.int32)),
        stored(nisa.activation(np.abs, x, buffer=nl.psum)),
    )


def test_operators_of_numpy_are_functions(road):
    a = np.arange(32 * 16, dtype=np.float32).reshape(32, 16) % 9 - 4
    bias, scale = (np.arange(32, dtype=np.float32).reshape(32, 1) % n for n in (3, 4))
    square, scaled, absolute = squares(a, bias, scale)
    np.testing.assert_array_equal(square, (a * 2 + bias) ** 2)
    assert scaled.dtype == np.int32
    np.testing.assert_array_equal(scaled, a * scale)
    np.testing.assert_array_equal(absolute, abs(a))


@nki.jit
def summed(a):
    x = nl.load(a)
    total = nl.ndarray((32, 1), nl.float32)
    twice = nl.ndarray((32, 1), nl.float32)
    _, i_f = nl.mgrid[0:32, 0:16]
    nisa.activation_reduce(nl.square, x, reduce_op=np.sum, reduce_res=total)
    nisa.activation(
        nl.copy, x, reduce_op=nl.add, reduce_res=twice, reduce_cmd=nisa.reduce_cmd.reset_reduce,
    )  # fmt: skip
    nisa.activation(
        nl.copy, x, reduce_op=np.add, reduce_res=twice, reduce_cmd=nisa.reduce_cmd.reduce,
        mask=i_f < 4,
    )  # fmt: skip
    return stored(total), stored(twice)


def test_sums_go_to_reduce_res(road, rng):
    a = rng.random((32, 16), np.float32)
    squares_, twice = summed(a)
    np.testing.assert_allclose(squares_, (a * a).sum(axis=1, keepdims=True), **F32_SUM)
    want = a.sum(axis=1, keepdims=True) + a[:, :4].sum(axis=1, keepdims=True)
    np.testing.assert_allclose(twice, want, **F32_SUM)


def test_what_is_no_function_is_refused(told):
    def kernel(a):
        return stored(nisa.activation(np.cosh, nl.load(a)))

    (text,) = told(kernel, np.ones((16, 8), np.float32))
    assert text == (
        "NKI1007: `op` of `nki.isa.activation` must be an activation function of nki.language such "
        "as nl.exp, and is the NumPy function np.cosh"
    )


@pytest.mark.parametrize("buffer", ["psum", nl.shared_hbm])
def test_results_are_on_chip(told, buffer):
    def kernel(a):
        return stored(nisa.activation(nl.copy, nl.load(a), buffer=buffer))

    (text,) = told(kernel, np.ones((16, 8), np.float32))
    assert text.startswith("NKI1008: `buffer` of `nki.isa.activation` must be nl.sbuf or nl.psum")
