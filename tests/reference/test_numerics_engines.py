"""Exact values of the engines' arithmetic, worked out by hand: section 3 of the numerics page.

Which engine computes in float32 and which in integers, what every ALU operator gives, how two are
chained, and how rows are folded and scanned.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import opennki.api.isa as nisa
import opennki.api.language as nl
from opennki.isa.enums import AluOp, MatmulPerfMode

F32, BF16, I32, U32, U8 = nl.float32, nl.bfloat16, nl.int32, nl.uint32, nl.uint8
INF, NAN = math.inf, math.nan
LARGEST = float(np.finfo(np.float32).max)
VECTOR, GPSIMD = nisa.engine.vector, nisa.engine.gpsimd
CMD = nisa.reduce_cmd


def new(shape, dtype=F32, buffer=nl.sbuf):
    return nl.ndarray(shape, dtype, buffer)


def row(*numbers, dtype=np.float32):
    return np.array([numbers], dtype)


def tensor(op, dtype=None, **more):
    """A function of two tiles: what `op` makes of them, in their dtype or another one."""

    def call(x, y):
        dst = new(x.shape, dtype or x.dtype)
        nisa.tensor_tensor(dst, x, y, op, **more)
        return dst

    return call


# ---- the tensor engine -----------------------------------------------------------------------


def test_products_of_narrow_floats_are_exact(value):
    """(1 + 2**-7)**2 = 1 + 2**-6 + 2**-14 needs 15 bits; bfloat16 has 8."""

    def square(x):
        sums = new((1, 1), buffer=nl.psum)
        nisa.nc_matmul(sums, x, x)
        return sums

    x = row(1 + 2.0**-7).astype(nl.bfloat16.np)
    assert value(square, x)[0, 0] == np.float32(1 + 2.0**-6 + 2.0**-14)


def test_a_product_of_float32_has_full_accuracy(value, rng):
    def product(a, b):
        sums = new((64, 128), buffer=nl.psum)
        nisa.nc_matmul(sums, a, b)
        return sums

    a, b = rng.standard_normal((128, 64), np.float32), rng.standard_normal((128, 128), np.float32)
    exact = a.T.astype(np.float64) @ b
    error = np.linalg.norm(value(product, a, b) - exact) / np.linalg.norm(exact)
    assert error < 5e-7  # measured on devices: 2e-7 to 5e-7


# ---- which engine computes in what -----------------------------------------------------------

IN_FLOAT32 = "NKI2125"
"""The warning that 32-bit integers are not computed with as such; NKI6009 and NKI6010 say of
operands and of results that this lost bits."""

WIDE = {  # operator: x, y, exact in 32 bits, in float32 and then saturated
    nl.add: ([2**24, 2**31 - 1], [1, 1], [2**24 + 1, -(2**31)], [2**24, 2**31 - 1]),
    nl.subtract: ([2**24 + 2, -(2**31)], [1, 1], [2**24 + 1, 2**31 - 1], [2**24, -(2**31)]),
    nl.multiply: ([65537, 65536], [257, 65536], [16843009, 0], [16843008, 2**31 - 1]),
}


@pytest.mark.parametrize("op", WIDE)
def test_gpsimd_wraps_integers_and_the_vector_engine_rounds_them(value, op):
    x, y, exact, rounded = WIDE[op]
    x, y = row(*x, dtype=np.int32), row(*y, dtype=np.int32)
    assert value(tensor(op), x, y)[0].tolist() == exact  # the default for 32-bit integers
    assert value(tensor(op, engine=GPSIMD), x, y)[0].tolist() == exact
    on_vector = value(tensor(op, engine=VECTOR), x, y, warns=[IN_FLOAT32, "NKI6010"])
    assert on_vector[0].tolist() == rounded


def test_unsigned_integers_wrap_below_zero_on_gpsimd_and_saturate_on_the_vector_engine(value):
    x, y = row(0, 5, dtype=np.uint32), row(1, 3, dtype=np.uint32)
    assert value(tensor(nl.subtract), x, y)[0].tolist() == [2**32 - 1, 2]
    on_vector = value(tensor(nl.subtract, engine=VECTOR), x, y, warns=[IN_FLOAT32])
    assert on_vector[0].tolist() == [0, 2]


def test_gpsimd_compares_integers_exactly_and_the_vector_engine_in_float32(value):
    x, y = row(2**24, dtype=np.int32), row(2**24 + 1, dtype=np.int32)
    assert value(tensor(nl.equal), x, y).tolist() == [[0]]
    assert value(tensor(nl.less), x, y).tolist() == [[1]]
    for op, want in ((nl.equal, 1), (nl.less, 0)):
        on_vector = value(tensor(op, engine=VECTOR), x, y, warns=[IN_FLOAT32, "NKI6009"])
        assert on_vector.tolist() == [[want]]


def test_psum_and_short_integers_keep_arithmetic_in_float32(value):
    def from_psum(x, y):
        moved = nl.ndarray(x.shape, x.dtype, nl.psum)
        nisa.tensor_copy(moved, x)
        return tensor(nl.add)(moved, y)

    x, y = row(2**24, dtype=np.int32), row(1, dtype=np.int32)
    assert value(from_psum, x, y, warns=[IN_FLOAT32, "NKI6010"])[0, 0] == 2**24
    a, b = row(200, 100, dtype=np.uint8), row(100, 200, dtype=np.uint8)
    assert value(tensor(nl.add), a, b)[0].tolist() == [255, 255]  # saturates, does not wrap
    assert value(tensor(nl.subtract), a, b)[0].tolist() == [100, 0]


def test_power_of_integers_is_exact_on_gpsimd_wherever_it_is_asked_for(value):
    x, y = row(3, 3, 2, dtype=np.int32), row(19, 21, 31, dtype=np.int32)
    want = [1162261467, 3**21 - 2 * 2**32, -(2**31)]  # 3**21 = 10460353203 wraps
    assert want[1] == 10460353203 - 8589934592 == 1870418611
    assert value(tensor(nl.power), x, y)[0].tolist() == want


def test_bits_are_neither_rounded_nor_converted(value):
    x = row(2**31 - 1, -1, 2**24 + 1, dtype=np.int32)
    y = row(2**24 + 1, 1, -2, dtype=np.int32)
    assert value(tensor(nl.bitwise_and), x, y)[0].tolist() == [2**24 + 1, 1, 2**24]
    assert value(tensor(nl.bitwise_or), x, y)[0].tolist() == [2**31 - 1, -1, -1]
    assert value(tensor(nl.bitwise_xor), x, y)[0].tolist() == [2130706430, -2, ~(2**24)]


@pytest.mark.parametrize(
    ("dtype", "op", "x", "count", "want"),
    [
        (np.int32, nl.left_shift, 3, 4, 48), (np.int32, nl.left_shift, 1, 31, -(2**31)),
        (np.int32, nl.left_shift, 5, 32, 0), (np.uint8, nl.left_shift, 255, 4, 240),
        (np.int32, nl.right_shift, -1, 28, 15),  # logical: zeros come in
        (np.uint32, nl.right_shift, 2**32 - 1, 31, 1), (np.int8, nl.right_shift, -128, 7, 1),
        (np.int32, nl.right_shift, -1, 32, 0),
    ],
)  # fmt: skip
def test_shifts_lose_what_leaves_the_word_and_take_in_zeros(value, dtype, op, x, count, want):
    given = row(x, dtype=dtype)
    assert value(tensor(op), given, row(count, dtype=dtype))[0, 0] == want
    assert value(lambda t: getattr(nl, op.__name__)(t, count), given)[0, 0] == want


def test_the_scalar_engine_multiplies_and_adds_in_float32(value):
    """2**24 + 1 is no float32, and bfloat16 results are rounded once, after the bias."""

    def scaled(x, dtype=F32):
        dst = new(x.shape, dtype)
        nisa.activation(dst, nl.copy, x, bias=nl.full((1, 1), 1.0, F32), scale=1.0)
        return dst

    assert value(scaled, row(2**24, dtype=np.int32))[0, 0] == 2.0**24
    # 256 * 1 + 1 = 257, a tie between 256 and 258
    assert float(value(lambda x: scaled(x, BF16), row(256.0))[0, 0]) == 256.0


# ---- ALU operators ---------------------------------------------------------------------------

OPERATORS = [
    (nl.add, 1.0, 2.0**-24, 1.0), (nl.add, LARGEST, LARGEST, INF), (nl.add, INF, -INF, NAN),
    (nl.subtract, 1.0, 3.0, -2.0), (nl.multiply, 2.0**-100, 2.0**-49, 2.0**-149),
    (nl.multiply, 2.0**-100, 2.0**-50, 0.0), (nl.multiply, INF, 0.0, NAN),
    (nl.divide, 1.0, 3.0, float(np.float32(1 / 3))), (nl.divide, 1.0, 0.0, INF),
    (nl.divide, -1.0, 0.0, -INF), (nl.divide, 0.0, 0.0, NAN),
    (nl.maximum, 1.0, NAN, NAN), (nl.maximum, NAN, 1.0, NAN), (nl.maximum, -INF, -1.0, -1.0),
    (nl.minimum, 1.0, NAN, NAN), (nl.minimum, NAN, 1.0, NAN), (nl.minimum, INF, 1.0, 1.0),
    (nl.power, 2.0, -1.0, 0.5), (nl.power, -2.0, 3.0, -8.0), (nl.power, -8.0, 0.5, NAN),
    (nl.power, 0.0, 0.0, 1.0), (nl.power, 0.0, -1.0, INF), (nl.power, 10.0, 39.0, INF),
    # mod has the sign of the divisor, fmod that of the dividend
    (nl.mod, 7.0, 3.0, 1.0), (nl.mod, -7.0, 3.0, 2.0), (nl.mod, 7.0, -3.0, -2.0),
    (nl.mod, -7.0, -3.0, -1.0), (nl.mod, 1.0, 0.0, NAN), (nl.mod, 5.5, 2.0, 1.5),
    (nl.fmod, 7.0, 3.0, 1.0), (nl.fmod, -7.0, 3.0, -1.0), (nl.fmod, 7.0, -3.0, 1.0),
    (nl.fmod, -7.0, -3.0, -1.0), (nl.fmod, 1.0, 0.0, NAN), (nl.fmod, -5.5, 2.0, -1.5),
    # comparisons give 1 and 0; with NaN only not_equal is true
    (nl.equal, 0.0, -0.0, 1.0), (nl.equal, NAN, NAN, 0.0), (nl.not_equal, NAN, NAN, 1.0),
    (nl.less, -INF, -LARGEST, 1.0), (nl.less, 1.0, NAN, 0.0), (nl.less_equal, 2.0, 2.0, 1.0),
    (nl.greater, INF, LARGEST, 1.0), (nl.greater, 2.0, 2.0, 0.0),
    (nl.greater_equal, NAN, 1.0, 0.0),
    # anything but zero is true, also a fraction and NaN; results are 1 and 0, not operands
    (nl.logical_and, 2.0, 4.0, 1.0), (nl.logical_and, 0.5, -0.5, 1.0),
    (nl.logical_and, 2.0, 0.0, 0.0), (nl.logical_and, NAN, 1.0, 1.0),
    (nl.logical_or, 0.0, -0.0, 0.0), (nl.logical_or, 0.0, 1e-40, 1.0),
    (nl.logical_xor, 2.0, 4.0, 0.0), (nl.logical_xor, 2.0, 0.0, 1.0),
]  # fmt: skip


@pytest.mark.parametrize(("op", "x", "y", "want"), OPERATORS)
def test_operators_give_what_their_definition_says(value, op, x, y, want):
    np.testing.assert_array_equal(value(tensor(op), row(x), row(y)), row(want))
    if op is not nl.power:  # not of the vector engine
        by_number = value(lambda t: nl.copy(getattr(nl, op.__name__)(t, y)), row(x))
        np.testing.assert_array_equal(by_number, row(want))


@pytest.mark.parametrize(
    ("op", "x", "y", "want"),
    [
        (nl.abs_max, -5.0, 3.0, -5.0), (nl.abs_max, 3.0, -3.0, -3.0), (nl.abs_max, NAN, 1.0, 1.0),
        (nl.abs_min, -5.0, 3.0, 3.0), (nl.abs_min, 3.0, -3.0, -3.0), (nl.abs_min, 1.0, NAN, NAN),
    ],
)  # fmt: skip
def test_of_equal_magnitudes_the_second_is_taken(value, op, x, y, want):
    np.testing.assert_array_equal(value(tensor(op), row(x), row(y), target="trn3"), row(want))


def test_comparisons_become_one_and_zero_in_every_dtype(value):
    x, y = row(1.0, 2.0, 3.0), row(2.0, 2.0, 2.0)
    for dtype in (U8, nl.int16, I32, BF16, nl.float8_e4m3):
        got = value(tensor(nl.greater_equal, dtype=dtype), x, y)
        assert got.astype(np.float32)[0].tolist() == [0.0, 1.0, 1.0]


def test_the_vector_engine_inverts_exactly(value):
    x = row(3.0, 0.1, 1e-40, 0.0, -INF)
    want = np.array([1 / 3, 10.0, INF, INF, -0.0], np.float32)

    def inverse(t):
        dst = new(t.shape)
        nisa.reciprocal(dst, t)
        return dst

    got = value(inverse, x)[0]
    assert np.array_equal(got, want)
    assert np.signbit(got[4])


# ---- chains, folds and scans -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("reverse0", "reverse1", "want"),
    [
        (False, False, (10.0 - 4.0) / 3.0), (True, False, (4.0 - 10.0) / 3.0),
        (False, True, 3.0 / (10.0 - 4.0)), (True, True, 3.0 / (4.0 - 10.0)),
    ],
)  # fmt: skip
def test_operators_are_chained_and_reversed_one_by_one(value, reverse0, reverse1, want):
    more = {"reverse0": reverse0, "reverse1": reverse1}

    def scalars(x):
        dst = new(x.shape)
        nisa.tensor_scalar(dst, x, nl.subtract, 4.0, op1=nl.divide, operand1=3.0, **more)
        return dst

    def tile(x):
        dst = new(x.shape)
        nisa.scalar_tensor_tensor(dst, x, nl.subtract, 4.0, nl.divide, nl.full(x.shape, 3.0, F32),
                                  **more)  # fmt: skip
        return dst

    assert value(scalars, row(10.0))[0, 0] == np.float32(want)
    assert value(tile, row(10.0))[0, 0] == np.float32(want)


def test_what_is_between_two_operators_is_not_rounded_to_the_dtype_of_the_result(value):
    """255 + 2 = 257, which bfloat16 and uint8 do not have; minus 2 it is 255 again."""

    def chain(x, dtype):
        dst = new(x.shape, dtype)
        nisa.tensor_scalar(dst, x, nl.add, 2.0, op1=nl.subtract, operand1=2.0)
        return dst

    for dtype in (BF16, U8):
        assert float(value(lambda x, d=dtype: chain(x, d), row(255.0))[0, 0]) == 255.0


def fold(op, dtype=F32, **more):
    def call(x):
        dst = new((x.shape[0], 1), dtype)
        nisa.tensor_reduce(dst, op, x, 1, **more)
        return dst

    return call


@pytest.mark.parametrize(
    ("op", "numbers", "want"),
    [
        (nl.add, (1.0, 2.0, 4.0), 7.0), (nl.subtract, (10.0, 2.0, 4.0), 4.0),
        (nl.multiply, (2.0, 3.0, -4.0), -24.0), (nl.maximum, (-3.0, -1.0, -2.0), -1.0),
        (nl.minimum, (3.0, 1.0, 2.0), 1.0), (nl.logical_and, (2.0, 3.0, 4.0), 1.0),
        (nl.logical_or, (0.0, 0.0, 5.0), 1.0), (nl.logical_xor, (2.0, 3.0, 4.0), 1.0),
        (nl.maximum, (1.0, NAN, 2.0), NAN), (nl.add, (INF, -INF, 1.0), NAN),
    ],
)  # fmt: skip
def test_a_reduction_starts_with_its_first_element(value, op, numbers, want):
    np.testing.assert_array_equal(value(fold(op), row(*numbers)), row(want))
    if not math.isnan(want):
        assert value(fold(op, negate=True), row(*numbers))[0, 0] == -want


@pytest.mark.parametrize(
    ("op", "want"), [(nl.bitwise_and, 4), (nl.bitwise_or, 7), (nl.bitwise_xor, 2)]
)
def test_bits_are_folded_as_they_are(value, op, want):
    x = row(2**24 + 6, 2**24 + 5, 5 + 2**24, 4 + 2**24, dtype=np.int32)
    high = 0 if op is nl.bitwise_xor else 2**24
    assert value(fold(op, I32), x)[0, 0] == want + high


def test_a_reduction_of_integers_is_in_float32(value):
    x = row(2**24 + 1, 5, dtype=np.int32)
    assert value(fold(nl.maximum, I32), x, warns=["NKI6009"])[0, 0] == 2**24


def test_a_reduction_rounds_once_at_the_end(value):
    """256 + 1 + 1 in bfloat16 steps would stay at 256."""
    assert float(value(fold(nl.add, BF16), row(256.0, 1.0, 1.0))[0, 0]) == 258.0


def test_a_scan_goes_on_in_float32(value):
    """r = (r_before * data0) + data1; bfloat16 results are rounded, what goes on is not."""

    def scan(x, y):
        dst = new(x.shape, BF16)
        nisa.tensor_tensor_scan(dst, x, y, 255.0, nl.multiply, nl.add)
        return dst

    got = value(scan, row(1.0, 1.0, 2.0), row(2.0, 2.0, -1.0))
    assert got.astype(np.float32)[0].tolist() == [256.0, 260.0, 516.0]  # of 257, 259, 517


def test_a_fold_of_the_accumulators_sees_what_is_not_rounded_yet(value):
    """257 + 257 is 514, and bfloat16 has it rounded to 516 or 512; of 256 + 256 it is 512."""

    def fold(x):
        dst, total = new(x.shape, BF16), new((1, 1))
        nisa.tensor_scalar_reduce(dst, x, nl.add, 1.0, nl.add, total)
        return total

    assert value(fold, row(256.0, 256.0))[0, 0] == 514.0


@pytest.mark.parametrize(
    ("op", "initial", "want"),
    [(nl.add, 100.0, (3.0, 106.0, 109.0)), (nl.maximum, 1.5, (2.0, 2.0, 2.0))],
)
def test_accumulators_are_reset_loaded_and_continued(value, op, initial, want):
    """The row 1, 2 three times: after a reset, after loading, and on top of that."""

    def thrice(x):
        results = new((1, 3))
        dst = new(x.shape)
        for k, (cmd, first) in enumerate(
            [(CMD.reset_reduce, None), (CMD.load_reduce, initial), (CMD.reduce, None)]
        ):
            add = 3.0 if k == 1 and op is nl.add else 0.0  # 3 more, and once only
            more = {} if first is None else {"reduce_init": first + add}
            nisa.tensor_scalar_reduce(dst, x, nl.add, 0.0, op, results[:, k : k + 1],
                                      reduce_cmd=cmd, **more)  # fmt: skip
        return results

    assert value(thrice, row(1.0, 2.0))[0].tolist() == list(want)


def test_transfers_round_as_engines_do(value):
    def through(x):
        short = new(x.shape, nl.int8)
        nisa.dma_copy(dst=short, src=x)
        return short

    assert value(through, row(2.5, 3.5, 200.0, -200.0, NAN))[0].tolist() == [2, 4, 127, -128, 127]


def test_the_result_may_be_one_of_the_inputs(value):
    def in_place(x):
        nisa.tensor_tensor(x, x, x, nl.add)
        nisa.tensor_scalar(x, x, nl.multiply, x[:, 0:1])
        return x

    assert value(in_place, row(1.0, 2.0, 3.0))[0].tolist() == [4.0, 8.0, 12.0]


# ---- codes -----------------------------------------------------------------------------------


def test_operators_and_modes_have_the_codes_of_real_programs():
    codes = {
        "bypass": 0, "add": 4, "subtract": 5, "mult": 6, "divide": 7, "max": 8, "min": 9,
        "logical_and": 13, "logical_or": 14, "logical_xor": 15, "is_equal": 18, "not_equal": 19,
        "is_gt": 20, "is_ge": 21, "is_lt": 22, "is_le": 23, "average": 24, "elemwise_mul": 25,
        "pow": 26, "rsqrt": 28, "abs": 29, "abs_max": 30, "abs_min": 31,
    }  # fmt: skip
    assert {name: AluOp[name].value for name in codes} == codes
    assert [mode.value for mode in MatmulPerfMode] == [0, 1]


def test_what_the_order_of_additions_may_change_is_small(value):
    """Ones after 2**24: one by one they vanish, in pairs they count; both are sums of float32."""
    x = np.ones((1, 1025), np.float32)
    x[0, 0] = 2.0**24
    total = value(fold(nl.add), x)[0, 0]
    assert 2.0**24 <= total <= 2.0**24 + 1024
