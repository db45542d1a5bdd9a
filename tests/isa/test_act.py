"""Activation functions against double-precision closed forms from SciPy and NumPy."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import special

from opennki.isa.act import ACT, by_nki_name, in_domain
from opennki.isa.enums import ActFunc

F64 = NDArray[np.float64]
EPS = 2.0**-23  # one unit in the last place, relative, of float32
TINY = 2.0**-126


def sweep(low: float = -20.0, high: float = 20.0, n: int = 40_001) -> NDArray[np.float32]:
    return np.linspace(low, high, n).astype(np.float32)


def octaves(low: int, high: int) -> NDArray[np.float32]:
    """Positive values, evenly spread over the binary exponents low … high."""
    return np.exp2(np.linspace(low, high, 20_001)).astype(np.float32)


def gelu(x: F64) -> F64:
    return x * special.ndtr(x)


def gelu_dx(x: F64) -> F64:
    return special.ndtr(x) + x * np.exp(-x * x / 2) / np.sqrt(2 * np.pi)


def gelu_tanh(x: F64) -> F64:
    return x * special.expit(2 * 0.79788456 * (x + 0.044715 * x**3))


def silu_dx(x: F64) -> F64:
    e = np.exp(x)
    return e * (x + e + 1) / (e + 1) ** 2


def mish(x: F64) -> F64:
    return x * np.tanh(np.logaddexp(0, x))


def of_sigmoid(x: F64) -> F64:
    s = special.expit(1.702 * x)
    return s + 1.702 * x * s * special.expit(-1.702 * x)


# Function, inputs, reference, tolerance in units of `EPS`: relative where nothing cancels.
RELATIVE: list[tuple[ActFunc, NDArray[np.float32], Callable[[F64], F64], float]] = [
    (ActFunc.Identity, sweep(), lambda x: x, 0),
    (ActFunc.Copy, sweep(), lambda x: x, 0),
    (ActFunc.Abs, sweep(), np.abs, 0),
    (ActFunc.Sign, sweep(), np.sign, 0),
    (ActFunc.Relu, sweep(), lambda x: np.maximum(x, 0), 0),
    (ActFunc.Square, sweep(), np.square, 0.5),
    (ActFunc.Lrelu, sweep(), lambda x: np.where(x > 0, x, 0.01 * x), 1),
    (ActFunc.Exp, sweep(-87, 88), np.exp, 3),
    (ActFunc.Tanh, sweep(), np.tanh, 3),
    (ActFunc.Sigmoid, sweep(-80, 80), special.expit, 3),
    (ActFunc.Silu, sweep(-80, 80), lambda x: x * special.expit(x), 3),
    (ActFunc.Softplus, sweep(-80, 80), lambda x: np.logaddexp(0, x), 3),
    (ActFunc.Mish, sweep(-80, 80), mish, 4),
    # exp multiplies the rounding of 1.702 x by 1.702 x, at most 34 here.
    (ActFunc.Gelu_apprx_sigmoid, sweep(-20, 80), lambda x: x * special.expit(1.702 * x), 30),
    (ActFunc.Erf, sweep(-5, 5), special.erf, 2),
    (ActFunc.Erf, octaves(-126, 2), special.erf, 2),
    (ActFunc.Ln, octaves(-64, 64), np.log, 3),
    (ActFunc.Sqrt, octaves(-116, 118), np.sqrt, 0.5),
    (ActFunc.Rsqrt, octaves(-87, 97), lambda x: 1 / np.sqrt(x), 1.5),
    (ActFunc.Abs_reciprocal_sqrt, -octaves(-87, 97), lambda x: 1 / np.sqrt(-x), 1.5),
    (ActFunc.Reciprocal, octaves(-42, 42), lambda x: 1 / x, 0.5),
    (ActFunc.Reciprocal, -octaves(-42, 42), lambda x: 1 / x, 0.5),
    (ActFunc.Arctan, sweep(-1.570796, 1.570796), np.arctan, 3),
    (ActFunc.Sin, sweep(-3.1, 3.1), np.sin, 3),
    # exp(-x^2) multiplies the rounding of x^2 by x^2, at most 16 here.
    (ActFunc.Derivative_Erf, sweep(-4, 4), lambda x: 2 / np.sqrt(np.pi) * np.exp(-x * x), 10),
]

# Closed forms that cancel for negative inputs: units of EPS times max(1, |x|), as the engine's
# piecewise cubics are no better there.
ABSOLUTE: list[tuple[ActFunc, Callable[[F64], F64], float]] = [
    (ActFunc.Gelu, gelu, 2),
    (ActFunc.Derivative_Gelu, gelu_dx, 3),
    (ActFunc.Gelu_apprx_tanh, gelu_tanh, 3),
    (ActFunc.Derivative_Gelu_apprx_sigmoid, of_sigmoid, 3),
    (ActFunc.Derivative_silu, silu_dx, 3),
    (ActFunc.Sin, lambda x: np.where(np.abs(x) <= np.pi, np.sin(x), extended_sine(x)), 100),
]


def extended_sine(x: F64) -> F64:
    t = np.abs(x) - np.pi
    return np.sign(x) * (t**3 / 6 - t)


@pytest.mark.parametrize(("func", "x", "reference", "units"), RELATIVE)
def test_relative_accuracy(
    func: ActFunc, x: NDArray[np.float32], reference: Callable[[F64], F64], units: float
) -> None:
    got = ACT[func].fn(x)
    want = reference(x.astype(np.float64))
    assert got.dtype == np.float32
    error = np.abs(got - want) / np.maximum(np.abs(want), TINY)
    assert error.max() <= units * EPS


@pytest.mark.parametrize(("func", "reference", "units"), ABSOLUTE)
def test_absolute_accuracy(func: ActFunc, reference: Callable[[F64], F64], units: float) -> None:
    x = sweep()
    got = ACT[func].fn(x)
    want = reference(x.astype(np.float64))
    assert got.dtype == np.float32
    assert (np.abs(got - want) / np.maximum(np.abs(x), 1)).max() <= units * EPS


def test_every_function_has_an_accuracy_test() -> None:
    tested = {func for func, *_ in RELATIVE} | {func for func, *_ in ABSOLUTE}
    assert set(ActFunc) == ACT.keys()
    assert ACT.keys() - tested == {ActFunc.Prelu, ActFunc.Is_finite}


INF, NAN = np.inf, np.nan
LIMITS = {  # values at -inf and +inf
    ActFunc.Identity: (-INF, INF), ActFunc.Copy: (-INF, INF), ActFunc.Square: (INF, INF),
    ActFunc.Abs: (INF, INF), ActFunc.Sign: (-1, 1), ActFunc.Relu: (0, INF),
    ActFunc.Lrelu: (-INF, INF), ActFunc.Is_finite: (0, 0), ActFunc.Sigmoid: (0, 1),
    ActFunc.Tanh: (-1, 1), ActFunc.Exp: (0, INF), ActFunc.Softplus: (0, INF),
    ActFunc.Erf: (-1, 1), ActFunc.Derivative_Erf: (0, 0), ActFunc.Ln: (NAN, INF),
    ActFunc.Arctan: (-np.pi / 2, np.pi / 2), ActFunc.Sqrt: (NAN, INF), ActFunc.Rsqrt: (NAN, 0),
    ActFunc.Abs_reciprocal_sqrt: (0, 0), ActFunc.Reciprocal: (0, 0), ActFunc.Sin: (-INF, INF),
    ActFunc.Derivative_silu: (0, 1), ActFunc.Derivative_Gelu: (0, 1),
    ActFunc.Derivative_Gelu_apprx_sigmoid: (0, 1),
}  # fmt: skip


@pytest.mark.parametrize("func", LIMITS, ids=str)
def test_limits_at_infinity(func: ActFunc) -> None:
    got = ACT[func].fn(np.array([-INF, INF], np.float32))
    np.testing.assert_array_equal(got, np.array(LIMITS[func], np.float32))


@pytest.mark.parametrize(
    "func",
    [ActFunc.Silu, ActFunc.Mish, ActFunc.Gelu, ActFunc.Gelu_apprx_tanh, ActFunc.Gelu_apprx_sigmoid],
    ids=str,
)
def test_gates_vanish_at_minus_infinity_and_are_huge_at_plus_infinity(func: ActFunc) -> None:
    got = ACT[func].fn(np.array([-INF, -1e30, 1e30, INF], np.float32))
    assert got[:2].tolist() == [0, 0]
    assert got[2] == np.float32(1e30)
    assert got[3] >= np.finfo(np.float32).max


@pytest.mark.parametrize("func", ActFunc, ids=str)
def test_no_warning_and_nan_stays(func: ActFunc) -> None:
    """Warnings are errors in this suite, so the extremes must only be evaluated."""
    x = np.array([NAN, 0.0, -0.0, 1e-45, -1e-45, 3e38, -3e38, 100, -100, INF, -INF], np.float32)
    alpha = (np.zeros(1, np.float32),) if ACT[func].arity == 2 else ()
    got = ACT[func].fn(x, *alpha)
    assert got.dtype == np.float32
    assert got.shape == x.shape
    if func is ActFunc.Is_finite:
        assert got.tolist() == [0, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0]
    else:
        assert np.isnan(got[0])
        assert not np.isnan(got[1])


def test_overflow_and_underflow() -> None:
    assert ACT[ActFunc.Exp].fn(np.array([89, -110], np.float32)).tolist() == [INF, 0]
    assert ACT[ActFunc.Ln].fn(np.zeros(1, np.float32)).tolist() == [-INF]
    assert ACT[ActFunc.Rsqrt].fn(np.zeros(1, np.float32)).tolist() == [INF]


def test_large_tiles_equal_their_parts() -> None:
    """Functions may work block by block, over any layout."""
    x = np.random.default_rng(0).standard_normal((500, 128)).astype(np.float32).T
    for func in (ActFunc.Gelu, ActFunc.Erf, ActFunc.Sin, ActFunc.Exp):
        whole = ACT[func].fn(x)
        assert whole.shape == x.shape
        rows = np.stack([ACT[func].fn(np.ascontiguousarray(row)) for row in x])
        np.testing.assert_array_max_ulp(whole, rows, maxulp=1)


def test_prelu_takes_its_slope() -> None:
    x = np.array([-2, -0.5, 0, 3, INF], np.float32)
    assert ACT[ActFunc.Prelu].fn(x, np.float32(0.25)).tolist() == [-0.5, -0.125, 0, 3, INF]
    per_partition = np.array([[1], [2]], np.float32)
    assert ACT[ActFunc.Prelu].fn(np.full((2, 1), -1, np.float32), per_partition).tolist() == [
        [-1], [-2]
    ]  # fmt: skip


def test_sine_goes_on_as_a_cubic() -> None:
    got = ACT[ActFunc.Sin].fn(np.array([9.0, -9.0], np.float32))
    assert got[0] == pytest.approx(27.65, abs=0.005)
    assert got[1] == -got[0]


def test_ranges_of_the_table() -> None:
    assert in_domain(ActFunc.Reciprocal, np.array([-1, 0, 2.0**43, NAN], np.float32)).tolist() == [
        True, False, False, False
    ]  # fmt: skip
    assert in_domain(ActFunc.Sin, np.array([-3.1415927, 3.1415927, 3.15], np.float32)).tolist() == [
        True, True, False
    ]  # fmt: skip
    assert in_domain(ActFunc.Ln, np.array([-1, 2.0**-64, 2.0**65], np.float32)).tolist() == [
        False, True, False
    ]  # fmt: skip
    assert in_domain(ActFunc.Gelu, np.array([-INF, INF, 0], np.float32)).all()


def test_names_are_those_of_the_table() -> None:
    table = [
        "copy", "square", "sigmoid", "relu", "prelu", "gelu", "gelu_dx", "gelu_apprx_tanh",
        "gelu_apprx_sigmoid", "gelu_apprx_sigmoid_dx", "silu", "silu_dx", "tanh",
        "softplus", "mish", "erf", "erf_dx", "exp", "log", "sin", "arctan", "sqrt", "rsqrt",
        "reciprocal", "sign", "abs",
    ]  # fmt: skip
    assert {row.nki for row in ACT.values() if row.nki} == set(table)
    assert all(by_nki_name(name).nki == name for name in table)


def test_which_functions_need_a_table() -> None:
    free = {func for func, row in ACT.items() if row.cost == "simple"}
    assert free == {
        ActFunc.Identity, ActFunc.Square, ActFunc.Relu, ActFunc.Lrelu, ActFunc.Prelu, ActFunc.Sign,
        ActFunc.Copy, ActFunc.Abs, ActFunc.Is_finite,
    }  # fmt: skip
