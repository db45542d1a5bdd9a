"""`quantize_mx` and `nc_matmul_mx`: worked examples, layouts of scales, and each of their rules."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from opennki.base import dtypes as dt
from opennki.base.dtypes import DType
from opennki.base.packed import pack, unpack
from opennki.ir import Masked, Read, Space, Tensor, View, problems
from opennki.isa.enums import Engine
from opennki.isa.mx import MatMulMXOp, QuantizeMXOp, dequantized, scale_rows
from opennki.target import target

GEN3, GEN4 = target("trn2"), target("trn3")
E4M3, E5M2, E2M1 = dt.float8_e4m3fn_x4, dt.float8_e5m2_x4, dt.float4_e2m1fn_x4
BF16, F16, U8 = dt.bfloat16, dt.float16, dt.uint8


def tile(*shape: int, dtype: DType = BF16, space: Space = Space.sbuf) -> View:
    return View.whole(Tensor("t", shape, dtype, space))


def rows(view: View, first: int, last: int) -> View:
    """Partitions `first` to `last` of a whole tile."""
    return View(
        view.tensor, first * view.row, (last - first, *view.shape[1:]), view.strides, view.dtype
    )


def quantize(p: int = 32, f: int = 4, dtype: DType = E4M3, **more: Any) -> QuantizeMXOp:
    """A legal instruction with parts of it replaced."""
    fields: dict[str, Any] = {
        "dst": tile(p, f // 4, dtype=dtype),
        "src": tile(p, f),
        "dst_scale": tile(p, f // 4, dtype=U8),
        "engine": Engine.DVE,
    }
    return QuantizeMXOp(**(fields | more))


def matmul(k: int = 32, m: int = 2, n: int = 3, **more: Any) -> MatMulMXOp:
    fields: dict[str, Any] = {
        "dst": tile(m, n, dtype=dt.float32, space=Space.psum),
        "stationary": tile(k, m, dtype=E4M3),
        "moving": tile(k, n, dtype=E4M3),
        "stationary_scale": tile(k, m, dtype=U8),
        "moving_scale": tile(k, n, dtype=U8),
        "engine": Engine.PE,
    }
    inst = MatMulMXOp(**(fields | more))
    inst.prepare(GEN4)
    return inst


def codes(inst: Any, t: Any = GEN4) -> list[str]:
    return [p.code.id for p in problems(inst, t)]


def group(*values: float, dtype: Any = ml_dtypes.bfloat16) -> np.ndarray:
    """32 partitions of 4: `values` in the first group, zeros elsewhere."""
    src = np.zeros((32, 4), np.float32)
    src.reshape(4, 32)[0, : len(values)] = values
    return src.astype(dtype)


def quantized(src: np.ndarray, dtype: DType) -> tuple[list[float], int]:
    """Values of the first group, and its scale byte."""
    data, scales = quantize(dtype=dtype).sem(src)
    assert isinstance(scales, Masked)
    return unpack(data, dtype)[:8].ravel().tolist(), int(scales.values[0, 0])


# --- quantizing -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dtype", "byte", "values"),
    [
        # |V| is at most 3: floor(log2 3) = 1, and X = 2 ** (1 - 7): 127 - 6 = 121. 3 / X = 192.
        # 0.3 is 0.30078125 in bfloat16: times 64 it is 19.25, between 18 and 20, nearer to 20.
        (E4M3, 121, [192, -96, 20, 0]),
        # X = 2 ** (1 - 14): 127 - 13 = 114. 3 * 2**13 = 24576; 0.30078125 * 8192 = 2464, between
        # 2048 and 2560.
        (E5M2, 114, [24576, -12288, 2560, 0]),
    ],
)
def test_a_worked_group(dtype: DType, byte: int, values: list[float]) -> None:
    got, scale = quantized(group(3, -1.5, 0.3), dtype)
    assert scale == byte
    assert got[:4] == values
    assert not any(got[4:])


@pytest.mark.parametrize(("dtype", "exponent"), [(E4M3, 7), (E5M2, 14)])
def test_the_scale_is_twice_that_of_the_sample_algorithm(dtype: DType, exponent: int) -> None:
    """The largest value of a group stays below 2 ** E_max: what is nearly 2 rounds up to 2."""
    nearly = 2 - 2**-7  # the largest bfloat16 below 2
    got, scale = quantized(group(nearly, -nearly), dtype)
    assert scale == 127 - exponent
    assert got[:2] == [2.0 ** (exponent + 1), -(2.0 ** (exponent + 1))]


@pytest.mark.parametrize("dtype", [E4M3, E5M2])
def test_a_group_of_zeros_has_the_smallest_scale_and_keeps_signs(dtype: DType) -> None:
    got, scale = quantized(group(0.0, -0.0), dtype)
    assert scale == 0
    assert not any(got)
    assert np.signbit(got).tolist()[:3] == [False, True, False]


@pytest.mark.parametrize(
    ("dtype", "value", "byte", "want"),
    [
        # 2**-133, the smallest bfloat16: the exponent -133 - 7 is below -127, the smallest scale,
        # and 2**-133 * 2**127 = 2**-6, the smallest normal float8_e4m3fn.
        (E4M3, 2.0**-133, 0, 2.0**-6),
        (E5M2, 2.0**-133, 0, 2.0**-6),
        # 2**-120: -120 - 7 = -127 is just not too small, and gives 2**7.
        (E4M3, 2.0**-120, 0, 2.0**7),
        (E4M3, 2.0**-119, 1, 2.0**7),
        (E5M2, 2.0**-113, 0, 2.0**14),
        (E5M2, 2.0**-112, 1, 2.0**14),
        # The largest bfloat16, 1.9921875 * 2**127, rounds up to 2**8 * X with X = 2**(127 - 7).
        (E4M3, 3.3895314e38, 247, 256),
        (E5M2, 3.3895314e38, 240, 32768),
    ],
)
def test_the_ends_of_bfloat16(dtype: DType, value: float, byte: int, want: float) -> None:
    got, scale = quantized(group(value), dtype)
    assert (scale, got[0]) == (byte, want)


def test_subnormal_float16_values_are_numbers_like_others() -> None:
    src = group(2.0**-24, 3 * 2.0**-24, dtype=np.float16)  # floor(log2) is -23
    assert quantized(src, E4M3) == ([64, 192] + [0] * 30, 127 - 23 - 7)
    assert quantized(src, E5M2) == ([8192, 24576] + [0] * 30, 127 - 23 - 14)


def test_what_is_small_within_its_group_becomes_subnormal_or_zero() -> None:
    """X = 2**-7; 2**-16 / X = 2**-9 is the smallest e4m3fn, half of it is a tie with 0."""
    got, scale = quantized(group(1, 2.0**-16, 2.0**-17, 1.5 * 2.0**-17, -(2.0**-18)), E4M3)
    assert scale == 120
    assert got[:5] == [128, 2.0**-9, 0, 2.0**-9, 0]
    got, scale = quantized(group(1, 2.0**-30, 2.0**-31, 1.5 * 2.0**-31), E5M2)  # X = 2**-14
    assert scale == 113
    assert got[:4] == [2.0**14, 2.0**-16, 0, 2.0**-16]


@pytest.mark.parametrize(("dtype", "byte", "largest"), [(E4M3, 248, 448), (E5M2, 241, 57344)])
def test_infinity_saturates_and_not_a_number_stays(dtype: DType, byte: int, largest: float) -> None:
    got, scale = quantized(group(np.inf, -np.inf, 1, 2.0**127), dtype)
    assert scale == byte  # the exponent 128 - (E_max - 1), with its bias of 127
    assert got[:4] == [largest, -largest, 0, 2.0 ** (254 - byte)]
    assert largest * 2.0 ** (byte - 127) >= 2.0**128  # infinity in float32
    got, scale = quantized(group(np.nan, 1), dtype)
    assert scale == byte
    assert np.isnan(got[0])
    assert got[1] == 0


def test_groups_are_eight_partitions_by_four_elements() -> None:
    """Each of the 4 x 2 groups of (32, 8) has the magnitude 2**g, and its scale tells it."""
    src = np.zeros((32, 8), ml_dtypes.bfloat16)
    for row in range(4):
        for column in range(2):
            src[8 * row + 7, 4 * column + 3] = 2.0 ** (2 * row + column)
    inst = quantize(32, 8)
    data, scales = inst.sem(src)
    assert scales.values[:4].tolist() == [[120, 121], [122, 123], [124, 125], [126, 127]]
    values = unpack(data, E4M3)
    assert [values[8 * r + 7, c, 3] for r in range(4) for c in range(2)] == [128.0] * 8
    assert np.count_nonzero(values) == 8


def test_scales_of_four_quadrants_go_to_the_first_four_partitions_of_each() -> None:
    assert scale_rows(32) == [0, 1, 2, 3]
    assert scale_rows(96) == [0, 1, 2, 3, 32, 33, 34, 35, 64, 65, 66, 67]
    src = np.repeat(2.0 ** np.arange(16), 8)[:, None].repeat(4, 1).astype(ml_dtypes.bfloat16)
    _, scales = quantize(128).sem(src)
    written = np.flatnonzero(scales.mask[:, 0])
    assert written.tolist() == scale_rows(128)
    assert scales.values[written, 0].tolist() == [120 + i for i in range(16)]


def test_scales_have_the_dtype_of_their_tile() -> None:
    scale = tile(32, 1, dtype=dt.float8_e8m0fnu)
    _, scales = quantize(dst_scale=scale).sem(group(3))
    assert scales.values.dtype == ml_dtypes.float8_e8m0fnu
    assert float(scales.values[0, 0]) == 2.0**-6


def test_dimensions_of_the_source_are_walked_in_order() -> None:
    src = tile(32, 3, 8)
    assert codes(quantize(32, 24, src=src)) == []
    assert codes(quantize(32, 24, src=src, dst=tile(32, 3, 2, dtype=E4M3))) == []


# --- rules of quantize_mx -------------------------------------------------------------------------


@pytest.mark.parametrize("p", [32, 64, 96, 128])
@pytest.mark.parametrize("dtype", [E4M3, E5M2])
def test_whole_quadrants_are_legal(p: int, dtype: DType) -> None:
    assert codes(quantize(p, 64, dtype)) == []
    assert codes(quantize(p, 64, dtype, src=tile(p, 64, dtype=F16))) == []


@pytest.mark.parametrize("p", [8, 33, 100])
def test_incomplete_quadrants_are_not(p: int) -> None:
    assert codes(quantize(p, 64)) == ["NKI2217"]


def test_elements_come_in_fours() -> None:
    inst = quantize(32, 8, src=tile(32, 6))
    assert codes(inst) == ["NKI2217"]
    assert codes(quantize(32, 8, src=tile(32, 2, 4))) == []
    assert codes(quantize(32, 8, src=tile(32, 4, 2))) == ["NKI2218"]


def test_the_destination_has_a_quarter_of_the_elements() -> None:
    scales = tile(32, 2, dtype=U8)
    inst = quantize(32, 4, dst=tile(32, 2, dtype=E4M3), dst_scale=scales)
    assert codes(inst) == ["NKI2107"]
    assert codes(quantize(32, 8, dst_scale=tile(32, 1, dtype=U8))) == ["NKI2102"]


@pytest.mark.parametrize("dtype", [dt.float32, dt.float8_e5m2, dt.int16])
def test_the_source_is_a_two_byte_float(dtype: DType) -> None:
    assert codes(quantize(src=tile(32, 4, dtype=dtype))) == ["NKI2106"]


@pytest.mark.parametrize("dtype", [E2M1, dt.float8_e5m2, dt.uint32])
def test_the_destination_is_packed_float8(dtype: DType) -> None:
    assert codes(quantize(dtype=dtype)) == ["NKI2106"]


@pytest.mark.parametrize("dtype", [dt.int8, dt.float8_e4m3fn, E5M2])
def test_scales_are_e8m0_or_bytes(dtype: DType) -> None:
    assert codes(quantize(dst_scale=tile(32, 1, dtype=dtype))) == ["NKI2106"]
    assert codes(quantize(dst_scale=tile(32, 1, dtype=dt.float8_e8m0fnu))) == []


@pytest.mark.parametrize("name", ["dst", "src", "dst_scale"])
def test_all_is_in_sbuf(name: str) -> None:
    view = getattr(quantize(), name)
    wrong = tile(*view.shape, dtype=view.dtype, space=Space.psum)
    assert codes(quantize(**{name: wrong})) == ["NKI2105"]


def test_gen4_quantizes_on_the_vector_engine() -> None:
    assert codes(quantize(), GEN3) == ["NKI2108"]
    assert codes(quantize(engine=Engine.POOL)) == ["NKI2113"]


def test_four_values_lie_side_by_side_at_even_places() -> None:
    tensor = Tensor("x", (32, 64), BF16, Space.sbuf)

    def source(shape: tuple[int, ...], strides: tuple[int, ...]) -> View:
        return View(tensor, 0, (32, *shape), (64, *strides), BF16)

    assert codes(quantize(32, 8, src=source((2, 4), (6, 1)))) == []
    assert codes(quantize(32, 8, src=source((2, 4, 1), (6, 1, 5)))) == []  # one is no step
    assert codes(quantize(32, 8, src=source((2, 4), (5, 1)))) == ["NKI2218"]
    assert codes(quantize(32, 8, src=source((8,), (2,)))) == ["NKI2218"]
    assert codes(quantize(32, 8, src=source((2, 4), (1, 2)))) == ["NKI2218"]
    assert codes(quantize(32, 8, src=source((4, 2), (2, 1)))) == ["NKI2218"]


# --- where scales lie -----------------------------------------------------------------------------


@pytest.mark.parametrize("offset", [0, 4, 8, 12])
@pytest.mark.parametrize("p", [32, 64, 128])
def test_scales_of_four_tiles_fit_one(p: int, offset: int) -> None:
    packed = tile(p, 1, dtype=U8)
    assert codes(quantize(p, dst_scale=rows(packed, offset, p))) == []
    last = offset + scale_rows(p)[-1] + 1
    assert codes(quantize(p, dst_scale=rows(packed, offset, last))) == []
    assert codes(quantize(p, dst_scale=rows(packed, offset, last - 1))) == ["NKI2216"]


@pytest.mark.parametrize("offset", [1, 2, 16, 28])
def test_scales_begin_at_a_multiple_of_four_up_to_twelve(offset: int) -> None:
    packed = tile(128, 1, dtype=U8)
    assert codes(quantize(32, dst_scale=rows(packed, offset, offset + 4))) == ["NKI2112"]


def test_scales_begin_in_the_quadrant_of_their_data() -> None:
    packed, x, q = tile(128, 1, dtype=U8), tile(128, 4), tile(128, 1, dtype=E4M3)
    second: dict[str, Any] = {"src": rows(x, 32, 64), "dst": rows(q, 32, 64)}
    assert codes(quantize(32, **second, dst_scale=rows(packed, 36, 40))) == []
    assert codes(quantize(32, **second, dst_scale=rows(packed, 4, 8))) == ["NKI2112"]
    assert codes(quantize(32, **second, dst_scale=rows(packed, 64, 68))) == ["NKI2112"]


def test_scales_are_no_higher_than_their_data() -> None:
    assert codes(quantize(32, dst_scale=tile(32, 1, dtype=U8))) == []
    assert codes(quantize(32, dst_scale=tile(33, 1, dtype=U8))) == ["NKI2216"]
    assert codes(quantize(128, dst_scale=tile(16, 1, dtype=U8))) == ["NKI2216"]  # not scattered


def test_other_instructions_start_where_they_did() -> None:
    packed, data = tile(128, 1, dtype=U8), tile(128, 4)
    assert codes(quantize(32, src=rows(data, 4, 36), dst_scale=rows(packed, 4, 8))) == ["NKI2112"]


# --- products -------------------------------------------------------------------------------------


def elements(values: np.ndarray, dtype: DType) -> np.ndarray:
    """Packed elements (P, F) of values (P, F, 4) that they hold exactly."""
    if dtype != E2M1:
        return pack(values.astype(np.float32), dtype)
    nibbles = values.astype(ml_dtypes.float4_e2m1fn).view(np.uint8).astype(np.uint16) & 15
    return np.bitwise_or.reduce(nibbles << np.arange(0, 16, 4, dtype=np.uint16), axis=-1)


@pytest.mark.parametrize("dtype", [E4M3, E5M2, E2M1])
def test_a_worked_product(dtype: DType) -> None:
    """One element in each of two groups; every other value is zero.

    (1, 2, -1, 0.5) . (2, 1, 1, 4) = 2 + 2 - 1 + 2 = 5, times 2**(128 - 127) * 2**(125 - 127) = 2.5;
    in the second group (3, 0, 0, 0) . (1, 6, 6, 6) = 3, times 2**3 * 2**0 = 24. Sum: 26.5.
    """
    s, m = np.zeros((32, 1, 4)), np.zeros((32, 1, 4))
    s[5, 0], m[5, 0] = (1, 2, -1, 0.5), (2, 1, 1, 4)
    s[8, 0], m[8, 0] = (3, 0, 0, 0), (1, 6, 6, 6)
    s_scale, m_scale = np.full((4, 1), 255, np.uint8), np.zeros((4, 1), np.uint8)
    s_scale[:, 0], m_scale[:, 0] = (128, 130, 0, 254), (125, 127, 0, 254)
    inst = matmul(32, 1, 1, stationary=tile(32, 1, dtype=dtype), moving=tile(32, 1, dtype=dtype))
    got = inst.sem(elements(s, dtype), elements(m, dtype), s_scale, m_scale)
    assert got.dtype == np.float32
    assert got.tolist() == [[26.5]]


def test_both_operands_may_have_their_own_packed_dtype(rng: Any) -> None:
    s, m = rng.integers(0, 4, (2, 64, 2, 4)) * 0.5  # exact in each of them
    s_scale, m_scale = rng.integers(120, 134, (2, 64, 2)).astype(np.uint8)
    used = scale_rows(64)
    factor = [np.repeat(2.0 ** (x[used].astype(float) - 127), 8, 0)[..., None]
              for x in (s_scale, m_scale)]  # fmt: skip
    want = np.einsum("kmj,knj->mn", s * factor[0], m * factor[1])
    for left in (E4M3, E5M2, E2M1):
        for right in (E4M3, E5M2, E2M1):
            inst = matmul(
                64, 2, 2, stationary=tile(64, 2, dtype=left), moving=tile(64, 2, dtype=right)
            )
            assert codes(inst) == []
            got = inst.sem(elements(s, left), elements(m, right), s_scale, m_scale)
            assert np.array_equal(got, want.astype(np.float32))


def test_the_byte_255_is_not_a_number_in_either_dtype() -> None:
    data = elements(np.ones((32, 1, 4)), E4M3)
    for kind in (np.uint8, ml_dtypes.float8_e8m0fnu):
        scales = np.array([[127], [255], [254], [0]], np.uint8).view(kind)
        values = dequantized(data, E4M3, scales)
        assert values.shape == (128, 1)
        assert np.isnan(values[32:64]).all()
        assert values[[0, 64, 127], 0].tolist() == [1, 2.0**127, 2.0**-127]


def test_values_and_products_do_not_overflow_before_the_sum() -> None:
    data = elements(np.full((32, 1, 4), 448), E4M3)
    high, low = (np.full((4, 1), byte, np.uint8) for byte in (254, 0))
    got = matmul(32, 1, 1).sem(data, data, high, low)
    assert got.tolist() == [[128 * 448 * 448]]
    assert np.isinf(matmul(32, 1, 1).sem(data, data, high, high)).all()


def test_only_partitions_that_hold_scales_are_read() -> None:
    inst = matmul(128)
    assert inst.partitions_read("moving_scale") == scale_rows(128)
    assert inst.partitions_read("stationary_scale") == scale_rows(128)
    assert inst.partitions_read("moving") is None
    assert inst.read_mode() is Read.RAW


def test_quantized_data_come_back_as_they_were(rng: Any) -> None:
    """Relative error of a value near the largest of its group: half a digit, 2**-4 or 2**-3."""
    src = rng.uniform(1, 2, (64, 12)).astype(ml_dtypes.bfloat16)
    for dtype, error in ((E4M3, 2.0**-4), (E5M2, 2.0**-3)):
        data, scales = quantize(64, 12, dtype).sem(src)
        back = dequantized(data, dtype, scales.values)  # row 4 p + j: value j of partition p
        back = back.reshape(64, 4, 3).transpose(0, 2, 1).reshape(64, 12)
        assert np.abs(back / src.astype(float) - 1).max() <= error


# --- rules of nc_matmul_mx ------------------------------------------------------------------------


@pytest.mark.parametrize("k", [32, 64, 96, 128])
@pytest.mark.parametrize("dst", [dt.float32, BF16])
def test_whole_quadrants_are_contracted(k: int, dst: DType) -> None:
    assert codes(matmul(k, 128, 512, dst=tile(128, 512, dtype=dst, space=Space.psum))) == []


@pytest.mark.parametrize("k", [16, 48])
def test_incomplete_quadrants_are_not_contracted(k: int) -> None:
    assert codes(matmul(k)) == ["NKI2217"]


def test_stationary_columns_come_in_pairs() -> None:
    assert codes(matmul(32, 3)) == ["NKI2217"]
    assert codes(matmul(32, 126)) == []
    assert codes(matmul(32, 130)) == ["NKI2104", "NKI2104"]  # partitions of dst, M


def test_moving_columns_fill_psum() -> None:
    for dtype, most in ((dt.float32, 4096), (BF16, 8192)):

        def dst(n: int, dtype: DType = dtype) -> View:
            return tile(2, n, dtype=dtype, space=Space.psum)

        assert codes(matmul(32, 2, most, dst=dst(most))) == []
        assert codes(matmul(32, 2, most + 1, dst=dst(most + 1))) == ["NKI2104"]


def test_contractions_and_columns_agree() -> None:
    assert codes(matmul(64, moving=tile(32, 3, dtype=E4M3))) == ["NKI2103"]
    assert codes(matmul(32, 2, 3, moving=tile(32, 4, dtype=E4M3))) == ["NKI2103"]
    assert codes(matmul(32, 2, 3, moving_scale=tile(32, 4, dtype=U8))) == ["NKI2103"]
    assert codes(matmul(32, 2, 3, stationary_scale=tile(32, 1, dtype=U8))) == ["NKI2103"]


@pytest.mark.parametrize("name", ["stationary", "moving"])
@pytest.mark.parametrize("dtype", [dt.float8_e4m3fn, dt.uint32, BF16])
def test_data_are_packed(name: str, dtype: DType) -> None:
    shape = getattr(matmul(), name).shape
    assert codes(matmul(**{name: tile(*shape, dtype=dtype)})) == ["NKI2106"]


@pytest.mark.parametrize("name", ["stationary_scale", "moving_scale"])
def test_scales_are_bytes_in_their_place(name: str) -> None:
    shape = getattr(matmul(), name).shape
    assert codes(matmul(**{name: tile(*shape, dtype=dt.int8)})) == ["NKI2106"]
    assert codes(matmul(**{name: tile(*shape, dtype=dt.float8_e8m0fnu)})) == []
    packed = tile(32, shape[1], dtype=U8)
    assert codes(matmul(**{name: rows(packed, 12, 16)})) == []
    assert codes(matmul(**{name: rows(packed, 13, 17)})) == ["NKI2112"]
    assert codes(matmul(**{name: tile(3, shape[1], dtype=U8)})) == ["NKI2216"]
    assert codes(matmul(**{name: tile(128, shape[1], dtype=U8)})) == []  # of a whole tile


@pytest.mark.parametrize("dtype", [dt.float16, dt.int32])
def test_sums_are_float32_or_bfloat16(dtype: DType) -> None:
    assert codes(matmul(dst=tile(2, 3, dtype=dtype, space=Space.psum))) == ["NKI2106"]


def test_inputs_are_in_sbuf_and_sums_in_psum() -> None:
    assert codes(matmul(dst=tile(2, 3, dtype=dt.float32))) == ["NKI2105"]
    for name in ("stationary", "moving", "stationary_scale", "moving_scale"):
        view = getattr(matmul(), name)
        wrong = tile(*view.shape, dtype=view.dtype, space=Space.psum)
        assert codes(matmul(**{name: wrong})) == ["NKI2105"]


def test_gen4_multiplies_on_the_tensor_engine() -> None:
    assert codes(matmul(), GEN3) == ["NKI2108"]
    assert codes(matmul(engine=Engine.DVE)) == ["NKI2113"]


@pytest.mark.parametrize(
    ("position", "size", "k"),
    [((0, 0), (32, 128), 32), ((96, 0), (32, 128), 32), ((64, 0), (64, 128), 64),
     ((64, 0), (64, 128), 32), ((0, 0), (128, 128), 128), (None, None, 128), ((), (), 128)],
)  # fmt: skip
def test_parts_of_the_array_are_rows(position: Any, size: Any, k: int) -> None:
    inst = matmul(k, tile_position=position, tile_size=size)
    assert codes(inst) == []
    assert (inst.tile_position, inst.tile_size) == (position or None, size or None)


@pytest.mark.parametrize(
    ("position", "size", "code"),
    [((0, 0), None, "NKI2207"), (None, (64, 128), "NKI2207"), ((0, 0), (64, 64), "NKI2209"),
     ((0, 0), (96, 128), "NKI2209"), ((32, 0), (64, 128), "NKI2208"),
     ((0, 64), (64, 128), "NKI2208"), ((128, 0), (64, 128), "NKI2208"),
     ((0, 0), (32, 128), "NKI2210"), ((0,), (64, 128), "NKI2124")],
)  # fmt: skip
def test_other_parts_of_the_array_are_not(position: Any, size: Any, code: str) -> None:
    assert codes(matmul(64, tile_position=position, tile_size=size)) == [code]
