"""Values of activation functions and their accumulators: section 6 of the numerics page."""

from __future__ import annotations

import math

import numpy as np
import pytest

import opennki.api.isa as nisa
import opennki.api.language as nl

F32, BF16 = nl.float32, nl.bfloat16
INF, NAN = math.inf, math.nan
FOUR_ULP = 2**-21
"""Relative tolerance: rows are within a few units in the last place of the functions."""


def row(*numbers):
    return np.array([numbers], np.float32)


def activated(op, **more):
    def call(x):
        dst = nl.ndarray(x.shape, F32)
        nisa.activation(dst, op, x, **more)
        return dst

    return call


# function: input -> output, from tables of the functions to 7 digits
VALUES = {
    nl.exp: {0: 1, 1: 2.7182818, -1: 0.36787944, 88.7: 3.3265e38},
    nl.log: {1: 0, 2.7182817: 1, 0.5: -0.69314718},
    nl.sqrt: {2: 1.4142136, 0.25: 0.5},
    nl.rsqrt: {4: 0.5, 2: 0.70710678},
    nl.reciprocal: {4: 0.25, -8: -0.125},
    nl.sigmoid: {0: 0.5, 1: 0.73105858, -1: 0.26894142},
    nl.tanh: {0: 0, 1: 0.76159416, -1: -0.76159416},
    nl.sin: {0: 0, 1: 0.84147098, -1: -0.84147098},
    nl.arctan: {0: 0, 1: 0.78539816},
    nl.erf: {0: 0, 1: 0.84270079, -1: -0.84270079},
    nl.erf_dx: {0: 1.1283792, 1: 0.41510750},
    nl.gelu: {0: 0, 1: 0.84134475, -1: -0.15865525},
    nl.gelu_dx: {0: 0.5, 1: 1.0833155},
    nl.gelu_apprx_tanh: {0: 0, 1: 0.84119199, -1: -0.15880801},
    nl.gelu_apprx_sigmoid: {0: 0, 1: 0.84579577},  # 1 / (1 + exp(-1.702))
    nl.gelu_apprx_sigmoid_dx: {0: 0.5},
    nl.silu: {0: 0, 1: 0.73105858, -1: -0.26894142},
    nl.silu_dx: {0: 0.5, 1: 0.92767051},
    nl.softplus: {0: 0.69314718, 1: 1.3132617, -100: 0, 100: 100},
    nl.mish: {0: 0, 1: 0.86509839},
    nl.relu: {-2: 0, 0: 0, 3: 3},
    nl.abs: {-2.5: 2.5}, nl.square: {-3: 9}, nl.sign: {-7: -1, 0: 0, 1e-30: 1},
    nl.copy: {-1.25: -1.25},
}  # fmt: skip


@pytest.mark.parametrize("op", VALUES)
def test_functions_have_the_values_of_their_tables(value, op):
    numbers = VALUES[op]
    got = value(activated(op), row(*numbers))[0]
    rough = {88.7: 2e-4}  # given to four digits
    for x, y, want in zip(numbers, got, numbers.values(), strict=True):
        assert y == pytest.approx(want, rel=rough.get(x, FOUR_ULP), abs=1e-38)


@pytest.mark.parametrize(
    ("op", "x", "want"),
    [
        (nl.exp, 88.8, INF), (nl.exp, INF, INF), (nl.exp, -104.0, 0.0), (nl.exp, -INF, 0.0),
        (nl.tanh, 20.0, 1.0), (nl.tanh, -INF, -1.0), (nl.sigmoid, INF, 1.0),
        (nl.sigmoid, -INF, 0.0), (nl.erf, 4.0, 1.0), (nl.erf, -INF, -1.0), (nl.gelu, -INF, 0.0),
        (nl.silu, -INF, 0.0), (nl.relu, -INF, 0.0), (nl.relu, INF, INF), (nl.softplus, -INF, 0.0),
        (nl.square, 2.0**64, INF),
    ],
)  # fmt: skip
def test_functions_saturate_at_the_ends(value, op, x, want):
    assert value(activated(op), row(x))[0, 0] == want


FULL_RANGE = [
    nl.exp, nl.tanh, nl.sigmoid, nl.gelu, nl.gelu_dx, nl.gelu_apprx_tanh, nl.gelu_apprx_sigmoid,
    nl.silu, nl.silu_dx, nl.softplus, nl.mish, nl.erf, nl.erf_dx, nl.relu, nl.abs, nl.square,
    nl.sign, nl.copy,
]  # fmt: skip


@pytest.mark.parametrize("op", FULL_RANGE)
def test_functions_of_nan_are_nan(value, op):
    assert np.isnan(value(activated(op), row(NAN, -NAN))).all()


@pytest.mark.parametrize(
    ("op", "x", "want"),
    [
        (nl.exp, -97.0, 7.4746e-43), (nl.exp, -100.0, 3.7835e-44), (nl.exp, -103.0, 1.4013e-45),
        (nl.tanh, 8.0, 0.99999977),
    ],
)  # fmt: skip
def test_functions_go_on_where_tables_end(value, op, x, want):
    """Tables of the device give 0 below -97.286, and 1 beyond 7.912; functions here are exact."""
    assert value(activated(op), row(x))[0, 0] == np.float32(want)


def test_the_input_is_multiplied_first_and_then_added_to(value):
    def call(x):
        dst = nl.ndarray(x.shape, F32)
        bias = nl.full((1, 1), -1.0, BF16)
        nisa.activation(dst, nl.square, x, bias=bias, scale=nl.full((1, 1), 3.0, F32))
        return dst

    assert value(call, row(2.0, -2.0))[0].tolist() == [25.0, 49.0]  # (3 x - 1)**2


@pytest.mark.parametrize("target", ["trn1", "trn2", "trn3"])
@pytest.mark.parametrize("name", ["activation", "activation_reduce", "tensor_scalar_reduce"])
def test_a_sum_may_take_the_place_of_the_first_result(value, name, target):
    """`reduce_res` is part of `dst`: the registers are read after all results are written."""

    def call(x):
        dst = nl.ndarray(x.shape, F32)
        if name == "activation":
            nisa.activation(dst, nl.square, x, reduce_op=nl.add, reduce_res=dst[:, 0:1],
                            reduce_cmd=nisa.reduce_cmd.reset_reduce)  # fmt: skip
        elif name == "activation_reduce":
            nisa.activation_reduce(dst, nl.square, x, nl.add, dst[:, 0:1])
        else:
            nisa.tensor_scalar_reduce(dst, x, nl.multiply, 2.0, nl.add, dst[:, 0:1])
        return dst

    got = value(call, row(1.0, 2.0, 3.0), target=target)[0].tolist()
    assert got == ([12.0, 4.0, 6.0] if name == "tensor_scalar_reduce" else [14.0, 4.0, 9.0])
