"""ALU operators against Python's own arithmetic, one element at a time."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from opennki.isa.alu import ALU, ENGINES, INT_ALU, SINCE, by_nki_name, reduce
from opennki.isa.enums import AluOp, Engine
from opennki.target import CAYMAN, COREV4, TONGA

floats = st.floats(width=32)
finite = st.floats(width=32, allow_nan=False, allow_infinity=False)
UNARY = {op for op, row in ALU.items() if row.arity == 1}


def f32(value: float) -> np.float32:
    with np.errstate(all="ignore"):
        return np.float32(value)


def apply(op: AluOp, *values: float) -> float:
    """`op` on one element; the result must be float32."""
    out = ALU[op].fn(*(np.array([v], np.float32) for v in values))
    assert out.dtype == np.float32
    return float(out[0])


def same(got: float, want: float) -> bool:
    return got == want or (math.isnan(got) and math.isnan(want))


def exact(fn: Callable[[float, float], float]) -> Callable[[float, float], float]:
    """Double-precision reference, rounded once (innocuous for + - * / on float32 inputs)."""
    return lambda x, y: float(f32(fn(x, y)))


def nan_wins(pick: Callable[[float, float], float]) -> Callable[[float, float], float]:
    return lambda x, y: math.nan if math.isnan(x) or math.isnan(y) else pick(x, y)


def divided(x: float, y: float) -> float:
    if y != 0:
        return x / y
    if x == 0 or math.isnan(x):
        return math.nan
    return math.copysign(math.inf, x) * math.copysign(1, y)


def floored(x: float, y: float) -> float:
    if y == 0 or math.isinf(x):
        return math.nan
    return x % y


def truncated(x: float, y: float) -> float:
    return math.nan if y == 0 or math.isinf(x) else math.fmod(x, y)


REFERENCES: dict[AluOp, Callable[[float, float], float]] = {
    AluOp.bypass: lambda x, y: x,
    AluOp.add: exact(lambda x, y: x + y),
    AluOp.subtract: exact(lambda x, y: x - y),
    AluOp.mult: exact(lambda x, y: x * y),
    AluOp.elemwise_mul: exact(lambda x, y: x * y),
    AluOp.divide: exact(divided),
    AluOp.max: nan_wins(max),
    AluOp.min: nan_wins(min),
    AluOp.abs_max: lambda x, y: x if abs(x) > abs(y) else y,
    AluOp.abs_min: lambda x, y: x if abs(x) < abs(y) else y,
    AluOp.is_equal: lambda x, y: float(x == y),
    AluOp.not_equal: lambda x, y: float(x != y),
    AluOp.is_gt: lambda x, y: float(x > y),
    AluOp.is_ge: lambda x, y: float(x >= y),
    AluOp.is_lt: lambda x, y: float(x < y),
    AluOp.is_le: lambda x, y: float(x <= y),
    AluOp.logical_and: lambda x, y: float(bool(x) and bool(y)),
    AluOp.logical_or: lambda x, y: float(bool(x) or bool(y)),
    AluOp.logical_xor: lambda x, y: float(bool(x) != bool(y)),
    AluOp.fmod: exact(truncated),
    AluOp.abs: lambda x, y: abs(x),
    AluOp.square: exact(lambda x, y: x * x),
    AluOp.relu: lambda x, y: math.nan if math.isnan(x) else max(x, 0.0),
    AluOp.reciprocal: exact(lambda x, y: divided(1.0, x)),
}
TOLERANT = {AluOp.average, AluOp.pow, AluOp.rsqrt, AluOp.mod}


@pytest.mark.parametrize("op", REFERENCES, ids=str)
@given(x=floats, y=floats)
def test_arithmetic_equals_rounded_double_arithmetic(op: AluOp, x: float, y: float) -> None:
    operands = (x,) if op in UNARY else (x, y)
    assert same(apply(op, *operands), REFERENCES[op](x, y))


def test_every_arithmetic_operator_is_tested_here() -> None:
    arithmetic = {op for op, row in ALU.items() if row.kind == "arithmetic"}
    assert arithmetic == REFERENCES.keys() | TOLERANT


@given(x=finite, y=finite)
def test_mod_has_the_sign_of_the_divisor(x: float, y: float) -> None:
    got = apply(AluOp.mod, x, y)
    if y == 0:
        assert math.isnan(got)
    else:  # Two roundings in float32 when fmod and divisor differ in sign: one unit of |y| each.
        assert abs(got) <= abs(y)
        assert got == 0 or (got < 0) == (y < 0)
        assert abs(got - floored(x, y)) <= 2 * np.spacing(abs(y)) * 2.0**29  # float32's spacing


@pytest.mark.parametrize(("x", "y", "mod", "fmod"), [(7, 3, 1, 1), (-7, 3, 2, -1), (7, -3, -2, 1)])
def test_mod_is_pythons_and_fmod_is_cs(x: float, y: float, mod: float, fmod: float) -> None:
    assert (apply(AluOp.mod, x, y), apply(AluOp.fmod, x, y)) == (mod, fmod)


@given(x=st.floats(0.0078125, 128, width=32), y=st.floats(-8, 8, width=32))
def test_power_is_within_two_units(x: float, y: float) -> None:
    assert apply(AluOp.pow, x, y) == pytest.approx(x**y, rel=2**-22)


def test_power_of_a_negative_base() -> None:
    assert apply(AluOp.pow, -2.0, 3.0) == -8.0
    assert math.isnan(apply(AluOp.pow, -2.0, 0.5))
    assert apply(AluOp.pow, 0.0, -1.0) == math.inf


@given(x=st.floats(2.0**-126, 2.0**126, width=32))
def test_rsqrt_is_within_two_units(x: float) -> None:
    assert apply(AluOp.rsqrt, x) == pytest.approx(1 / math.sqrt(x), rel=2**-22)


def test_rsqrt_at_the_edges() -> None:
    assert apply(AluOp.rsqrt, 0.0) == math.inf
    assert apply(AluOp.rsqrt, math.inf) == 0.0
    assert math.isnan(apply(AluOp.rsqrt, -1.0))


def test_average_is_half_the_sum() -> None:
    assert apply(AluOp.average, 3.0, -4.0) == -0.5


def test_ties_of_abs_max_and_abs_min_give_the_second_operand() -> None:
    for op in (AluOp.abs_max, AluOp.abs_min):
        assert apply(op, 1.0, -1.0) == -1.0
        assert apply(op, -1.0, 1.0) == 1.0


# Bit operators, against unbounded Python integers.

BIT_DTYPES = [np.uint8, np.int8, np.uint16, np.int16, np.uint32, np.int32]


def wrap(value: int, dtype: type[np.integer]) -> int:
    bits = np.iinfo(dtype).bits
    value %= 2**bits
    return value - 2**bits if np.iinfo(dtype).min < 0 and value >= 2 ** (bits - 1) else value


def shift_counts(dtype: type[np.integer]) -> list[int]:
    bits = np.iinfo(dtype).bits
    signed = np.iinfo(dtype).min < 0
    return [0, 1, bits - 1, bits, bits + 1, 100, *([-1, -bits] if signed else [])]


@pytest.mark.parametrize("dtype", BIT_DTYPES)
@given(a=st.integers(0, 2**32 - 1), b=st.integers(0, 2**32 - 1))
def test_bit_operators(dtype: type[np.integer], a: int, b: int) -> None:
    a, b = wrap(a, dtype), wrap(b, dtype)
    x, y = np.array([a], dtype), np.array([b], dtype)
    for op, want in (
        (AluOp.bitwise_and, a & b), (AluOp.bitwise_or, a | b), (AluOp.bitwise_xor, a ^ b)
    ):  # fmt: skip
        out = ALU[op].fn(x, y)
        assert (out.dtype, int(out[0])) == (x.dtype, want)
    assert int(ALU[AluOp.bitwise_not].fn(x)[0]) == wrap(~a, dtype)


@pytest.mark.parametrize("dtype", BIT_DTYPES)
@given(a=st.integers(0, 2**32 - 1))
def test_shifts_past_the_width_give_zero_or_the_sign(dtype: type[np.integer], a: int) -> None:
    a, bits = wrap(a, dtype), np.iinfo(dtype).bits
    x = np.array([a], dtype)
    for count in shift_counts(dtype):
        n = np.array([count], dtype)
        gone = count >= bits or count < 0
        steps = bits if gone else count
        left = wrap(a << steps, dtype)
        for op in (AluOp.logical_shift_left, AluOp.arith_shift_left):
            assert int(ALU[op].fn(x, n)[0]) == left
        logical = wrap((a % 2**bits) >> steps, dtype)
        assert int(ALU[AluOp.logical_shift_right].fn(x, n)[0]) == logical
        assert int(ALU[AluOp.arith_shift_right].fn(x, n)[0]) == a >> steps


def test_shift_count_may_have_another_width_than_the_shifted() -> None:
    x = np.array([1, 1, 1], np.uint8)
    out = ALU[AluOp.logical_shift_left].fn(x, np.array([256, 7, -1], np.int32))
    assert out.dtype == np.uint8
    assert out.tolist() == [0, 128, 0]


# Exact 32-bit integers.

INT_REFERENCES: dict[AluOp, Callable[[int, int], int]] = {
    AluOp.add: lambda a, b: a + b,
    AluOp.subtract: lambda a, b: a - b,
    AluOp.mult: lambda a, b: a * b,
    AluOp.elemwise_mul: lambda a, b: a * b,
    AluOp.max: max,
    AluOp.min: min,
    AluOp.abs_max: lambda a, b: a if abs(a) > abs(b) else b,
    AluOp.abs_min: lambda a, b: a if abs(a) < abs(b) else b,
    AluOp.is_equal: lambda a, b: a == b,
    AluOp.not_equal: lambda a, b: a != b,
    AluOp.is_gt: lambda a, b: a > b,
    AluOp.is_ge: lambda a, b: a >= b,
    AluOp.is_lt: lambda a, b: a < b,
    AluOp.is_le: lambda a, b: a <= b,
    AluOp.logical_and: lambda a, b: bool(a) and bool(b),
    AluOp.logical_or: lambda a, b: bool(a) or bool(b),
    AluOp.logical_xor: lambda a, b: bool(a) != bool(b),
    AluOp.mod: lambda a, b: a % b if b else 0,
    AluOp.mod_int: lambda a, b: a % b if b else 0,
    AluOp.fmod: lambda a, b: (abs(a) % abs(b)) * (-1 if a < 0 else 1) if b else 0,
    AluOp.abs: lambda a, b: abs(a),
    AluOp.square: lambda a, b: a * a,
    AluOp.relu: lambda a, b: max(a, 0),
    AluOp.bypass: lambda a, b: a,
}


@pytest.mark.parametrize("dtype", [np.int32, np.uint32])
@pytest.mark.parametrize("op", INT_REFERENCES, ids=str)
@given(a=st.integers(0, 2**32 - 1), b=st.integers(0, 2**32 - 1) | st.just(2**32 - 1) | st.just(0))
def test_integers_are_exact_and_wrap(op: AluOp, dtype: type[np.integer], a: int, b: int) -> None:
    a, b = wrap(a, dtype), wrap(b, dtype)
    operands = [np.array([v], dtype) for v in ((a,) if INT_ALU[op].arity == 1 else (a, b))]
    out = INT_ALU[op].fn(*operands)
    assert out.dtype == dtype
    assert int(out[0]) == wrap(int(INT_REFERENCES[op](a, b)), dtype)


def test_smallest_integer() -> None:
    low = np.array([-(2**31)], np.int32)
    minus_one = np.array([-1], np.int32)
    assert INT_ALU[AluOp.abs].fn(low).tolist() == [-(2**31)]
    assert INT_ALU[AluOp.abs_max].fn(low, minus_one).tolist() == [-(2**31)]
    assert INT_ALU[AluOp.mod].fn(low, minus_one).tolist() == [0]
    assert INT_ALU[AluOp.fmod].fn(low, minus_one).tolist() == [0]


@pytest.mark.parametrize("dtype", [np.int32, np.uint32])
@given(a=st.integers(0, 2**32 - 1), n=st.integers(0, 2**31 - 1))
def test_integer_power_wraps(dtype: type[np.integer], a: int, n: int) -> None:
    a = wrap(a, dtype)
    out = INT_ALU[AluOp.pow].fn(np.array([a], dtype), np.array([n], dtype))
    assert int(out[0]) == wrap(pow(a, n, 2**32), dtype)


def test_integer_power_with_negative_exponents() -> None:
    base = np.array([2, 1, -1, -1, 0], np.int32)
    out = INT_ALU[AluOp.pow].fn(base, np.array([-1, -5, -3, -2, -1], np.int32))
    assert out.tolist() == [0, 1, -1, 1, 2**31 - 1]


def test_operators_without_an_exact_integer_result_have_no_integer_form() -> None:
    assert ALU.keys() - INT_ALU.keys() == {
        AluOp.divide, AluOp.average, AluOp.rsqrt, AluOp.reciprocal
    }  # fmt: skip
    assert INT_ALU.keys() - ALU.keys() == {AluOp.mod_int}


# Reductions.

TABLE_OF_LEGAL_REDUCTIONS = {
    AluOp.add, AluOp.subtract, AluOp.mult, AluOp.max, AluOp.min, AluOp.logical_and,
    AluOp.logical_or, AluOp.logical_xor, AluOp.bitwise_and, AluOp.bitwise_or, AluOp.bitwise_xor,
}  # fmt: skip


def test_legal_reductions_are_those_of_the_table() -> None:
    assert {op for op, row in ALU.items() if row.reduces} == TABLE_OF_LEGAL_REDUCTIONS


@pytest.mark.parametrize(
    "op", sorted(TABLE_OF_LEGAL_REDUCTIONS | {AluOp.abs_max, AluOp.abs_min}, key=str), ids=str
)
@given(values=st.lists(st.integers(-2, 3), min_size=1, max_size=9))
def test_reduction_is_the_fold_from_the_first_element(op: AluOp, values: list[int]) -> None:
    """Small integers, so that no order of float32 additions can round differently."""
    array = np.array(values, np.int32 if ALU[op].kind == "bitvec" else np.float32)
    want = array[:1]
    for i in range(1, len(values)):
        want = ALU[op].fn(want, array[i : i + 1])
    got = reduce(op, array)
    assert got.dtype == array.dtype
    assert got == want[0]


@given(values=st.lists(st.integers(-2, 3), min_size=1, max_size=6))
def test_identities_change_nothing(values: list[int]) -> None:
    for op in (op for op, row in ALU.items() if row.identity is not None):
        row = ALU[op]
        dtype = np.int32 if row.kind == "bitvec" else np.float32
        x = np.array(values, dtype)
        if op in (AluOp.logical_and, AluOp.logical_or, AluOp.logical_xor):
            x = (x != 0).astype(dtype)
        assert row.identity is not None
        assert row.fn(x, np.full_like(x, row.identity)).tolist() == x.tolist()


@pytest.mark.parametrize("n", [2, 3, 100, 512, 2048])
def test_float32_sum_is_near_the_exact_sum(n: int) -> None:
    x = np.random.default_rng(n).standard_normal((4, n)).astype(np.float32)
    bound = n * 2.0**-24 * np.abs(x).sum(axis=1, dtype=np.float64)
    assert (np.abs(reduce(AluOp.add, x) - x.sum(axis=1, dtype=np.float64)) <= bound).all()
    rest = x[:, 0] - x[:, 1:].sum(axis=1, dtype=np.float64)
    assert (np.abs(reduce(AluOp.subtract, x) - rest) <= bound).all()


def test_axes_layout_and_keepdims() -> None:
    x = np.random.default_rng(1).standard_normal((3, 4, 5)).astype(np.float32)
    folded = reduce(AluOp.add, x, axis=(1, 2))
    assert folded.tolist() == reduce(AluOp.add, x.reshape(3, 20)).tolist()
    assert folded.tolist() == reduce(AluOp.add, np.asfortranarray(x), axis=(1, 2)).tolist()
    assert reduce(AluOp.max, x, axis=(-2, -1), keepdims=True).shape == (3, 1, 1)
    assert reduce(AluOp.max, x, axis=0).tolist() == x.max(axis=0).tolist()


def test_average_of_many_is_their_mean() -> None:
    x = np.array([[1, 2, 6], [0, 0, 3]], np.float32)
    assert reduce(AluOp.average, x).tolist() == [3.0, 1.0]


def test_reduction_of_nan_and_of_integers() -> None:
    x = np.array([1, np.nan, -5], np.float32)
    for op in (AluOp.max, AluOp.min, AluOp.add, AluOp.abs_max, AluOp.abs_min):
        assert np.isnan(reduce(op, x))
    big = np.array([2**31 - 1, 1], np.int32)
    assert reduce(AluOp.add, big) == -(2**31)


def test_a_non_reduction_is_refused() -> None:
    with pytest.raises(KeyError):
        reduce(AluOp.divide, np.ones(3, np.float32))


# Names, engines, targets.


def test_every_name_leads_back_to_its_row() -> None:
    names = [row.nki for row in ALU.values() if row.nki]
    assert len(names) == len(set(names))
    assert all(by_nki_name(name).nki == name for name in names)
    assert by_nki_name("left_shift").key is AluOp.logical_shift_left
    with pytest.raises(KeyError):
        by_nki_name("")


def test_every_enum_member_has_a_row() -> None:
    assert set(AluOp) == ALU.keys() | {AluOp.mod_int}
    assert all(row.key is op for op, row in ALU.items())


def test_engines_and_targets() -> None:
    assert ENGINES.keys() == SINCE.keys() == ALU.keys()
    assert set(ENGINES[AluOp.pow]) == {Engine.POOL}
    assert set(ENGINES[AluOp.rsqrt]) == {Engine.POOL, Engine.ACT}
    assert set(ENGINES[AluOp.logical_shift_left]) == {Engine.DVE}
    assert ENGINES[AluOp.add][Engine.ACT] == CAYMAN
    assert SINCE[AluOp.abs_max] == SINCE[AluOp.abs_min] == COREV4
    assert SINCE[AluOp.add] == TONGA
