"""Element-wise functions of one instruction: values against NumPy, instructions, refusals."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from scipy import special

import opennki.api.language as nl

BF16 = ml_dtypes.bfloat16
F32_ULPS = 4e-7  # one rounding to float32 on either side, and NumPy's own functions
BF16_ROUNDING = 2.0**-8  # half a unit of the 8 significant bits

ARITHMETIC = {
    "add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.divide,
    "maximum": np.maximum, "minimum": np.minimum, "mod": np.mod, "fmod": np.fmod,
    "equal": np.equal, "not_equal": np.not_equal, "less": np.less, "less_equal": np.less_equal,
    "greater": np.greater, "greater_equal": np.greater_equal, "logical_and": np.logical_and,
    "logical_or": np.logical_or, "logical_xor": np.logical_xor,
}  # fmt: skip
BITWISE = {
    "bitwise_and": np.bitwise_and, "bitwise_or": np.bitwise_or, "bitwise_xor": np.bitwise_xor,
}  # fmt: skip


def sigmoid(x):
    return special.expit(x)


ACTIVATIONS = {
    "exp": np.exp, "tanh": np.tanh, "sigmoid": sigmoid, "relu": lambda x: np.maximum(x, 0),
    "gelu": lambda x: x * special.ndtr(x), "silu": lambda x: x * sigmoid(x), "erf": special.erf,
    "gelu_apprx_sigmoid": lambda x: x * sigmoid(1.702 * x),
    "gelu_apprx_tanh": lambda x: x / 2 * (1 + np.tanh(0.79788456 * (x + 0.044715 * x**3))),
    "gelu_dx": lambda x: special.ndtr(x) + x * np.exp(-x * x / 2) / np.sqrt(2 * np.pi),
    "gelu_apprx_sigmoid_dx":
        lambda x: sigmoid(1.702 * x) * (1 + 1.702 * x * (1 - sigmoid(1.702 * x))),
    "silu_dx": lambda x: sigmoid(x) * (1 + x * (1 - sigmoid(x))),
    "softplus": lambda x: np.logaddexp(x, 0),
    "erf_dx": lambda x: 2 / np.sqrt(np.pi) * np.exp(-x * x),
    "mish": lambda x: x * np.tanh(np.logaddexp(x, 0)), "sign": np.sign, "abs": np.abs,
    "square": np.square, "negative": np.negative, "copy": lambda x: x,
    "reciprocal": lambda x: 1 / x,
}  # fmt: skip
POSITIVE = {"log": np.log, "sqrt": np.sqrt, "rsqrt": lambda x: 1 / np.sqrt(x)}


def pair(rng, dtype=np.float32, shape=(64, 32)):
    x, y = rng.uniform(-4, 4, shape), rng.uniform(-4, 4, shape)
    x[:, ::5] = y[:, ::5]  # so that comparisons see equal elements
    x[:, ::7] = 0
    return x.astype(dtype), y.astype(dtype)


@pytest.mark.parametrize("name", ARITHMETIC)
def test_two_float32_tiles(run, opcodes, rng, name):
    x, y = pair(rng)
    want = ARITHMETIC[name](x, y).astype(np.float32)
    np.testing.assert_allclose(run(getattr(nl, name), x, y), want, rtol=F32_ULPS, atol=1e-7)
    assert opcodes(getattr(nl, name), x, y) == {"tensor_tensor": 1}


@pytest.mark.parametrize("name", ["add", "multiply", "maximum", "subtract", "divide"])
def test_two_bfloat16_tiles_are_computed_in_float32_and_rounded_once(run, rng, name):
    x, y = pair(rng, BF16)
    exact = ARITHMETIC[name](x.astype(np.float32), y.astype(np.float32))
    got = run(getattr(nl, name), x, y)
    assert got.dtype == BF16
    np.testing.assert_array_equal(got.view(np.uint16), exact.astype(BF16).view(np.uint16))


@pytest.mark.parametrize("name", ARITHMETIC)
@pytest.mark.parametrize("first", [False, True])
def test_a_number_on_either_side(run, opcodes, rng, name, first):
    x, _ = pair(rng)
    x[x == 0] = 1.5

    def function(tile):
        return getattr(nl, name)(2.5, tile) if first else getattr(nl, name)(tile, 2.5)

    operands = (np.float32(2.5), x) if first else (x, np.float32(2.5))
    want = ARITHMETIC[name](*operands).astype(np.float32)
    np.testing.assert_allclose(run(function, x), want, rtol=F32_ULPS, atol=1e-7)
    assert opcodes(function, x) == {"tensor_scalar": 1}


@pytest.mark.parametrize("dtype", [np.float32, BF16, np.int32])
@pytest.mark.parametrize("first", [False, True])
def test_one_element_per_partition_is_repeated(run, opcodes, rng, dtype, first):
    wide = rng.integers(-50, 50, (64, 32)).astype(dtype)
    narrow = rng.integers(-50, 50, (64, 1)).astype(dtype)
    operands = (narrow, wide) if first else (wide, narrow)
    want = np.subtract(*(o.astype(np.float32) for o in operands)).astype(dtype)
    np.testing.assert_array_equal(run(nl.subtract, *operands), want)
    kind = "tensor_scalar" if dtype is np.float32 else "tensor_tensor"
    assert opcodes(nl.subtract, *operands) == {kind: 1}


def test_one_element_per_partition_beside_several_free_dimensions(run, rng):
    wide = rng.standard_normal((16, 2, 3, 4), dtype=np.float32)
    narrow = rng.standard_normal((16, 1), dtype=np.float32)
    np.testing.assert_array_equal(
        run(nl.multiply, wide, narrow), wide * narrow.reshape(16, 1, 1, 1)
    )


@pytest.mark.parametrize("value", [1, -7, 2**30])
def test_integers_beyond_float32_are_combined_exactly(run, opcodes, value):
    x = np.arange(2**24, 2**24 + 64, dtype=np.int32).reshape(8, 8)
    np.testing.assert_array_equal(run(lambda t: nl.add(t, value), x), x + value)
    np.testing.assert_array_equal(run(lambda t: nl.subtract(value, t), x), value - x)
    assert opcodes(lambda t: nl.add(t, value), x) == {"memset": 1, "tensor_tensor": 1}


def test_negative_of_large_integers_is_exact(run):
    x = np.arange(2**24, 2**24 + 64, dtype=np.int32).reshape(8, 8)
    np.testing.assert_array_equal(run(nl.negative, x), -x)


def test_a_fraction_makes_integers_round(run):
    x = np.arange(-8, 8, dtype=np.int32).reshape(2, 8)
    np.testing.assert_array_equal(run(lambda t: nl.multiply(t, 0.5), x), np.rint(x * 0.5))


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.int32, np.uint32])
@pytest.mark.parametrize("name", BITWISE)
def test_bits_of_two_tiles_and_of_a_number(run, opcodes, rng, name, dtype):
    x, y = (rng.integers(0, 100, (32, 16)).astype(dtype) for _ in range(2))
    np.testing.assert_array_equal(run(getattr(nl, name), x, y), BITWISE[name](x, y))
    got = run(lambda t: getattr(nl, name)(t, 6), x)
    np.testing.assert_array_equal(got, BITWISE[name](x, dtype(6)))
    assert opcodes(getattr(nl, name), x, y) == {"tensor_tensor": 1}


def test_shifts(run, rng):
    x = rng.integers(0, 2**31, (32, 16)).astype(np.uint32)
    np.testing.assert_array_equal(run(lambda t: nl.left_shift(t, 3), x), x << np.uint32(3))
    np.testing.assert_array_equal(run(lambda t: nl.right_shift(t, 3), x), x >> np.uint32(3))
    count = (x & 7).astype(np.uint32)
    np.testing.assert_array_equal(run(nl.right_shift, x, count), x >> count)


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.int32, np.uint32])
def test_invert_flips_every_bit(run, opcodes, dtype):
    x = np.arange(64).reshape(8, 8).astype(dtype)
    np.testing.assert_array_equal(run(nl.invert, x), ~x)
    assert opcodes(nl.invert, x) == {"tensor_scalar": 1}


def test_logical_not_of_flags(run):
    x = np.array([[0, 1, 1, 0]], np.float32)
    np.testing.assert_array_equal(run(nl.logical_not, x), 1 - x)


def test_comparisons_can_give_bytes(run, rng):
    x, y = pair(rng)
    got = run(lambda a, b: nl.greater(a, b, dtype=nl.uint8), x, y)
    assert got.dtype == np.uint8
    np.testing.assert_array_equal(got, (x > y).astype(np.uint8))


def test_the_result_has_the_dtype_of_the_first_tile(run, rng):
    x, y = pair(rng)
    assert run(nl.add, x.astype(BF16), y).dtype == BF16
    assert run(nl.add, x, y.astype(BF16)).dtype == np.float32
    assert run(lambda a, b: nl.add(a, b, dtype=nl.float16), x, y).dtype == np.float16


def test_power_runs_on_gpsimd(run, traced, rng):
    x = rng.uniform(0.5, 2, (16, 8)).astype(np.float32)
    np.testing.assert_allclose(run(lambda t: nl.power(t, 3.0), x), x**3, rtol=F32_ULPS)
    np.testing.assert_allclose(run(lambda t: nl.power(2.0, t), x), 2**x, rtol=F32_ULPS)

    def kernel(a):
        nl.power(nl.load(a), 2.0)
        return a

    assert list(traced(kernel, x).function.instructions())[-1].engine.nki == "gpsimd"


def test_abs_max_keeps_the_sign_from_gen4_on(run, refused):
    x, y = np.array([[-5, 3, 2]], np.float32), np.array([[3, -4, -2]], np.float32)
    np.testing.assert_array_equal(run(nl.abs_max, x, y, target="trn3"), [[-5, -4, -2]])
    np.testing.assert_array_equal(run(nl.abs_min, x, y, target="trn3"), [[3, 3, -2]])

    def kernel(a, b):
        nl.abs_max(nl.load(a), nl.load(b))
        return a

    assert refused(kernel, x, y).code.id == "NKI2118"


@pytest.mark.parametrize("name", [*ACTIVATIONS, *POSITIVE])
@pytest.mark.parametrize("dtype", [np.float32, BF16])
def test_functions_of_one_tile(run, opcodes, rng, name, dtype):
    low = 0.1 if name in POSITIVE or name == "reciprocal" else -4
    x = rng.uniform(low, 4, (64, 32)).astype(dtype)
    want = {**ACTIVATIONS, **POSITIVE}[name](x.astype(np.float64))
    got = run(getattr(nl, name), x)
    assert got.dtype == dtype
    tolerance = F32_ULPS if dtype is np.float32 else BF16_ROUNDING
    np.testing.assert_allclose(got.astype(np.float64), want, rtol=tolerance, atol=1e-6)
    assert sum(opcodes(getattr(nl, name), x).values()) == 1


def test_instructions_of_the_copies_and_reciprocals(opcodes):
    x = np.ones((4, 4), np.float32)
    assert opcodes(nl.copy, x) == {"tensor_copy": 1}
    assert opcodes(nl.reciprocal, x) == {"reciprocal": 1}
    assert opcodes(nl.exp, x) == {"activation": 1}


def test_a_product_reads_psum(run, rng):
    x, y = rng.standard_normal((2, 16, 16), dtype=np.float32)
    got = run(lambda a, b: nl.add(nl.matmul(a, b, transpose_x=True), 1.0), x, y)
    np.testing.assert_allclose(got, x.T @ y + 1, rtol=1e-5, atol=1e-5)  # F32 sums of 16 products


@pytest.mark.parametrize(
    ("left", "right", "code"),
    [
        ((1, 1), (64, 1), "NKI2101"), ((64, 1), (1, 32), "NKI2101"), ((64, 8), (32, 8), "NKI2101"),
        ((64, 8), (64, 4), "NKI2127"), ((64, 2, 4), (64, 8), "NKI2127"),
        ((8, 1, 4, 4), (2, 8, 1, 1), "NKI2101"),
    ],
)  # fmt: skip
def test_shapes_that_do_not_combine(refused, left, right, code):
    def kernel(a, b):
        nl.subtract(nl.load(a), nl.load(b))
        return a

    found = refused(kernel, np.ones(left, np.float32), np.ones(right, np.float32))
    assert found.code.id == code
    assert "nl.broadcast_to" in found.hint
    assert "nl.subtract" in found.message


def test_a_partition_mismatch_names_the_contraction(refused):
    def kernel(a, b):
        nl.multiply(nl.load(a), nl.load(b))
        return a

    found = refused(kernel, np.ones((8, 1, 4, 4), np.float32), np.ones((2, 8, 1, 1), np.float32))
    assert found.message == (
        "operand `y` has 2 partitions and `x` has 8; nl.multiply needs the same number"
    )
    assert "nisa.nc_matmul" in found.hint


def test_bit_operators_do_not_convert(refused):
    def mixed(a):
        nl.bitwise_and(nl.load(a), 1, dtype=nl.uint32)
        return a

    assert refused(mixed, np.ones((4, 4), np.int32)).code.id == "NKI2116"

    def floats(a):
        nl.bitwise_or(nl.load(a), 1)
        return a

    assert refused(floats, np.ones((4, 4), np.float32)).code.id == "NKI2119"


def test_arguments_in_hbm_and_of_other_kinds(refused):
    x = np.ones((4, 4), np.float32)

    def in_hbm(a):
        nl.exp(a)
        return a

    found = refused(in_hbm, x)
    assert found.code.id == "NKI2105"
    assert found.message == "operand `x` is in private_hbm; nl.exp takes it from psum or sbuf"

    def two_numbers(a):
        nl.add(1, 2)
        return a

    assert refused(two_numbers, x).code.id == "NKI1007"

    def a_list(a):
        nl.add(nl.load(a), [1])
        return a

    assert refused(a_list, x).code.id == "NKI1007"

    def old_mask(a):
        nl.exp(nl.load(a), mask=None)
        return a

    assert refused(old_mask, x).code.id == "NKI1030"


def test_every_operator_stands_for_itself(traced):
    assert nl.add.__nki_alu__.name == "add"
    assert nl.max.__nki_alu__.name == "max"
    assert nl.abs.__nki_alu__.name == "abs"
    assert nl.abs.__nki_act__.name == "Abs"
    assert nl.copy.__nki_act__.name == "Copy"
    assert nl.invert.__nki_alu__.name == "bitwise_not"
    assert nl.prelu.__nki_act__.name == "Prelu"
    for name in [*ARITHMETIC, *BITWISE, *ACTIVATIONS, *POSITIVE]:
        assert getattr(nl, name).__name__ == name


def test_operators_without_a_function_cannot_be_called(refused):
    for name in ("average", "bypass", "prelu"):

        def kernel(a, name=name):
            getattr(nl, name)(nl.load(a))
            return a

        found = refused(kernel, np.ones((4, 4), np.float32))
        assert found.code.id == "NKI1028"
        assert f"nl.{name}" in found.message


def test_outside_of_a_kernel():
    with pytest.raises(Exception, match=r"NKI1001.*nl\.add"):
        nl.add(1, 2)


def test_calls_that_do_not_fit_the_signature(refused):
    x = np.ones((4, 4), np.float32)
    missing = refused(lambda a: nl.add(nl.load(a)), x)
    assert (missing.code.id, missing.facts["name"]) == ("NKI1005", "y")
    misspelt = refused(lambda a: nl.softmax(nl.load(a), axs=1), x)
    assert (misspelt.code.id, misspelt.facts["close"]) == ("NKI1004", "axis")
    many = refused(lambda a: nl.exp(nl.load(a), nl.float32, 3), x)
    assert (many.code.id, many.facts["most"]) == ("NKI1006", "2")
