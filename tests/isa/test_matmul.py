"""`nc_matmul`: products, double_row, transposes, and each of its rules."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from opennki.base import dtypes as dt
from opennki.base.affine import AffineExpr, LoopVar
from opennki.base.dtypes import DType
from opennki.ir import Read, Space, Tensor, View, problems
from opennki.isa.enums import Engine, MatmulPerfMode
from opennki.isa.matmul import MatMulOp, tile_sizes
from opennki.target import target

GEN2, GEN3, GEN4 = target("trn1"), target("trn2"), target("trn3")
DOUBLE_ROW = MatmulPerfMode.DOUBLE_ROW


def tile(shape: tuple[int, ...], dtype: DType = dt.bfloat16, space: Space = Space.sbuf) -> View:
    return View.whole(Tensor("t", shape, dtype, space))


def matmul(k: int = 128, m: int = 128, n: int = 512, **more: Any) -> MatMulOp:
    """A legal product with parts of it replaced."""
    operands: dict[str, Any] = {
        "dst": tile((m, n), dt.float32, Space.psum),
        "stationary": tile((k, m)),
        "moving": tile((k, n)),
        "engine": Engine.PE,
    }
    return MatMulOp(**(operands | more))


def typed(stationary: DType, moving: DType, dst: DType = dt.float32, **more: Any) -> MatMulOp:
    return matmul(
        stationary=tile((128, 128), stationary), moving=tile((128, 512), moving),
        dst=tile((128, 512), dst, Space.psum), **more,
    )  # fmt: skip


def transpose(data: DType, dst: DType, t: Any, **more: Any) -> MatMulOp:
    inst = matmul(
        stationary=tile((128, 64), data), moving=tile((128, 128), data),
        dst=tile((64, 128), dst, Space.psum), is_transpose=True, **more,
    )  # fmt: skip
    inst.prepare(t)
    return inst


def pairs(m: int = 128, n: int = 512, dtype: DType = dt.float8_e5m2, **more: Any) -> MatMulOp:
    operands: dict[str, Any] = {
        "stationary": tile((128, 2, m), dtype),
        "moving": tile((128, 2, n), dt.float8_e4m3),
        "dst": tile((m, n), dt.float32, Space.psum),
        "perf_mode": DOUBLE_ROW,
    }
    return matmul(**(operands | more))


def codes(inst: MatMulOp, t: Any) -> list[str]:
    return [p.code.id for p in problems(inst, t)]


def tiled(position: Any, size: Any, k: int = 32, m: int = 32, **more: Any) -> MatMulOp:
    return matmul(k, m, tile_position=position, tile_size=size, **more)


# --- meaning --------------------------------------------------------------------------------------


def test_a_worked_product() -> None:
    stationary = np.array([[1, 2, 3], [4, 5, 6]], np.float32)  # K = 2, M = 3
    moving = np.array([[1, 0], [10, 1]], np.float32)  # N = 2
    got = matmul(2, 3, 2).sem(stationary, moving)
    assert got.dtype == np.float32
    assert got.tolist() == [[41, 4], [52, 5], [63, 6]]


def test_sums_do_not_depend_on_the_order_of_partitions() -> None:
    rng = np.random.default_rng(0)
    stationary, moving = rng.standard_normal((2, 128, 64)).astype(np.float32)
    order = rng.permutation(128)
    inst = matmul(128, 64, 64)
    assert np.array_equal(inst.sem(stationary, moving), inst.sem(stationary[order], moving[order]))


def test_infinity_times_zero_spreads_without_a_warning() -> None:
    got = matmul(2, 1, 2).sem(np.array([[np.inf], [1]], np.float32), np.eye(2, dtype=np.float32))
    assert got[0, 0] == np.inf
    assert np.isnan(got[0, 1])


def test_double_row_contracts_pairs_too() -> None:
    rng = np.random.default_rng(1)
    stationary = rng.integers(-3, 4, (128, 2, 3)).astype(np.float32)
    moving = rng.integers(-3, 4, (128, 2, 5)).astype(np.float32)
    inst = pairs(3, 5)
    got = inst.sem(stationary.reshape(128, -1), moving.reshape(128, -1))
    assert np.array_equal(got, np.einsum("kjm,kjn->mn", stationary, moving))


def test_accumulation_is_left_to_the_machine_and_counts_as_a_read() -> None:
    assert list(matmul(accumulate=False).reads()) == [tile((128, 128)), tile((128, 512))]
    for adds in (None, True):
        inst = matmul(accumulate=adds)
        assert inst.dst in list(inst.reads())


def test_a_transpose_from_gen3_on_moves_bits() -> None:
    inst = transpose(dt.bfloat16, dt.bfloat16, GEN3)
    data = np.array([[np.inf, -0.0], [np.nan, 3.5], [1, 2]], ml_dtypes.bfloat16)
    got = inst.sem(data, np.eye(3, dtype=ml_dtypes.bfloat16))
    assert inst.read_mode() is Read.RAW
    assert got.dtype == data.dtype
    assert np.array_equal(got.view(np.uint16), data.view(np.uint16).T)


def test_a_transpose_with_a_permutation_picks_rows_and_zeros() -> None:
    data = np.array([[1, 2], [3, 4]], np.int32)
    moving = np.array([[0, 0, 1], [0, 1, 0]], np.uint8)
    got = transpose(dt.int32, dt.int32, GEN3).sem(data, moving)
    assert got.tolist() == [[0, 3, 1], [0, 4, 2]]


def test_a_transpose_on_gen2_is_a_product_but_for_integers() -> None:
    floats = transpose(dt.bfloat16, dt.float32, GEN2)
    assert floats.read_mode() is Read.F32
    got = floats.sem(np.array([[np.nan], [1]], np.float32), np.eye(2, dtype=np.float32))
    assert np.isnan(got).all()
    assert transpose(dt.int32, dt.int32, GEN2).read_mode() is Read.RAW


def test_an_ordinary_product_reads_float32_on_every_target() -> None:
    inst = matmul()
    inst.prepare(GEN3)
    assert inst.read_mode() is Read.F32


# --- sizes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("t", [GEN2, GEN3, GEN4])
def test_the_full_array_with_512_columns_is_legal(t: Any) -> None:
    assert codes(matmul(), t) == []


def test_both_inputs_have_the_same_partitions() -> None:
    assert codes(matmul(moving=tile((64, 512))), GEN2) == ["NKI2103"]


def test_m_and_n_agree_with_the_destination() -> None:
    assert codes(matmul(stationary=tile((128, 64))), GEN2) == ["NKI2103"]
    assert codes(matmul(moving=tile((128, 256))), GEN2) == ["NKI2103"]


def test_stationary_has_at_most_128_columns() -> None:
    assert codes(matmul(stationary=tile((128, 129))), GEN2) == ["NKI2104"]


def test_moving_is_limited_by_target_and_dtype_of_the_destination() -> None:
    assert codes(matmul(n=513), GEN3) == ["NKI2104"]
    assert codes(matmul(n=513), GEN4) == []
    assert codes(matmul(n=4096), GEN4) == []
    assert codes(matmul(n=4097), GEN4) == ["NKI2104"]
    for n, want in ((8192, []), (8193, ["NKI2104"])):
        dst = tile((128, n), dt.bfloat16, Space.psum)
        assert codes(matmul(n=n, dst=dst), GEN4) == want


def test_free_dimensions_count_as_one() -> None:
    dst = tile((128, 2, 256), dt.float32, Space.psum)
    assert codes(matmul(moving=tile((128, 4, 128)), dst=dst), GEN2) == []


def test_inputs_are_in_sbuf_and_the_result_in_psum() -> None:
    assert codes(matmul(dst=tile((128, 512), dt.float32)), GEN2) == ["NKI2105"]
    assert codes(matmul(moving=tile((128, 512), space=Space.psum)), GEN2) == ["NKI2105"]
    assert codes(matmul(stationary=tile((128, 128), space=Space.psum)), GEN2) == ["NKI2105"]


# --- dtypes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [dt.float8_e4m3, dt.float8_e5m2, dt.bfloat16, dt.float16,
                                   dt.tfloat32, dt.float32])  # fmt: skip
def test_floats_are_legal_on_gen2(dtype: DType) -> None:
    assert codes(typed(dtype, dtype), GEN2) == []


@pytest.mark.parametrize("dtype", [dt.int8, dt.uint8, dt.int32, dt.float8_e8m0fnu,
                                   dt.float8_e4m3fn_x4])  # fmt: skip
def test_other_dtypes_are_not(dtype: DType) -> None:
    assert codes(typed(dtype, dtype), GEN4) == ["NKI2106", "NKI2106"]


def test_ocp_e4m3_needs_gen4_and_does_not_mix_with_the_legacy_one() -> None:
    both = typed(dt.float8_e4m3fn, dt.float8_e4m3fn)
    assert codes(both, GEN3) == ["NKI2106", "NKI2106"]
    assert codes(both, GEN4) == []
    assert codes(typed(dt.float8_e4m3fn, dt.float8_e4m3), GEN4) == ["NKI2203"]
    assert codes(typed(dt.float8_e4m3fn, dt.float8_e5m2), GEN4) == []


def test_four_byte_floats_do_not_mix_with_narrower_ones() -> None:
    assert codes(typed(dt.float32, dt.bfloat16), GEN2) == ["NKI2201"]
    assert codes(typed(dt.float16, dt.tfloat32), GEN2) == ["NKI2201"]
    assert codes(typed(dt.float32, dt.tfloat32), GEN2) == []
    assert codes(typed(dt.float8_e5m2, dt.bfloat16), GEN2) == []


def test_the_result_is_float32_and_from_gen4_on_also_bfloat16() -> None:
    inst = typed(dt.bfloat16, dt.bfloat16, dt.bfloat16)
    assert codes(inst, GEN3) == ["NKI2106"]
    assert codes(inst, GEN4) == []
    assert codes(typed(dt.float16, dt.float16, dt.float16), GEN4) == ["NKI2106"]


def test_a_transpose_keeps_the_dtype_or_on_gen2_gives_float32() -> None:
    for t in (GEN2, GEN3, GEN4):
        assert codes(transpose(dt.bfloat16, dt.bfloat16, t), t) == []
        assert codes(transpose(dt.int32, dt.int32, t), t) == []
        assert codes(transpose(dt.bfloat16, dt.float16, t), t) == ["NKI2116"]
    assert codes(transpose(dt.bfloat16, dt.float32, GEN2), GEN2) == []
    assert codes(transpose(dt.bfloat16, dt.float32, GEN3), GEN3) == ["NKI2116"]


def test_the_identity_of_a_float32_transpose_has_four_bytes_too() -> None:
    identity = {"moving": tile((128, 128), dt.bfloat16)}
    assert codes(matmul(n=128, **identity, stationary=tile((128, 128), dt.float32),
                        is_transpose=True), GEN3) == ["NKI2201"]  # fmt: skip


# --- double_row -----------------------------------------------------------------------------------


def test_double_row_exists_from_gen3_on() -> None:
    assert "NKI2108" in codes(pairs(), GEN2)
    assert codes(pairs(), GEN3) == []


def test_double_row_needs_fp8() -> None:
    assert codes(pairs(dtype=dt.bfloat16), GEN3) == ["NKI2204"]


def test_double_row_needs_pairs() -> None:
    three = tile((128, 3, 512), dt.float8_e4m3)
    assert codes(pairs(moving=three), GEN3) == ["NKI2205"]


def test_double_row_counts_columns_without_the_pair() -> None:
    assert codes(pairs(m=129, dst=tile((128, 512), dt.float32, Space.psum)), GEN3) == ["NKI2104"]


def test_double_row_has_row_tiles_but_no_column_tiles() -> None:
    inst = pairs(tile_position=(64, 0), tile_size=(64, 128))
    assert codes(inst, GEN3) == ["NKI2210"]  # K = 128 does not fit 64 rows, nothing else is wrong
    assert codes(pairs(m=64, tile_position=(0, 64), tile_size=(128, 64)), GEN3) == ["NKI2206"]


def test_double_row_does_not_transpose() -> None:
    inst = pairs(is_transpose=True, dst=tile((128, 512), dt.float8_e5m2, Space.psum))
    assert codes(inst, GEN3) == ["NKI2123"]


# --- tiles of the array ---------------------------------------------------------------------------


def test_sizes_of_array_tiles_by_target() -> None:
    assert tile_sizes(GEN2) == ((64, 128), (64, 128))
    assert tile_sizes(GEN3) == ((32, 64, 128), (32, 64, 128))


def test_quarters_need_gen3() -> None:
    assert codes(tiled((96, 0), (32, 128)), GEN3) == []
    assert codes(tiled((96, 0), (32, 128)), GEN2) == ["NKI2209"]
    assert codes(tiled((64, 0), (64, 128)), GEN2) == []


def test_columns_are_tiled_as_rows_are() -> None:
    for t in (GEN2, GEN3):
        assert codes(tiled((0, 64), (128, 64)), t) == []
        assert codes(tiled((64, 64), (64, 64)), t) == []
    assert codes(tiled((0, 96), (128, 32)), GEN3) == []
    assert codes(tiled((0, 96), (128, 32)), GEN2) == ["NKI2209"]


def test_position_and_size_come_together() -> None:
    assert codes(tiled((64, 0), ()), GEN3) == ["NKI2207"]
    assert codes(tiled((), (64, 128)), GEN3) == ["NKI2207"]


def test_positions_are_multiples_of_the_size_inside_the_array() -> None:
    assert codes(tiled((32, 0), (64, 128)), GEN3) == ["NKI2208"]
    assert codes(tiled((128, 0), (64, 128)), GEN3) == ["NKI2208"]
    assert codes(tiled((-64, 0), (64, 128)), GEN3) == ["NKI2208"]
    assert codes(tiled((0, 16), (128, 32)), GEN3) == ["NKI2208"]


def test_positions_may_depend_on_a_loop() -> None:
    row = AffineExpr.of(LoopVar("i", 0, 4), 32)
    assert codes(tiled((row, 0), (32, 128)), GEN3) == []
    assert codes(tiled((row, 0), (64, 128)), GEN3) == ["NKI2208"]
    assert codes(tiled((row + 32, 0), (32, 128)), GEN3) == ["NKI2208"]


def test_a_position_is_a_pair() -> None:
    assert codes(tiled((0,), (64, 128)), GEN3) == ["NKI2124"]


def test_the_stationary_operand_fits_its_tile() -> None:
    assert codes(tiled((0, 0), (32, 64), k=32, m=64), GEN3) == []
    assert codes(tiled((0, 0), (32, 64), k=33, m=64), GEN3) == ["NKI2210"]
    assert codes(tiled((0, 0), (32, 64), k=32, m=65), GEN3) == ["NKI2210"]


def test_prepare_makes_tuples() -> None:
    inst = tiled([0, 0], [64, 128])
    inst.prepare(GEN2)
    assert (inst.tile_position, inst.tile_size) == ((0, 0), (64, 128))


def test_it_runs_on_the_tensor_engine_only() -> None:
    assert codes(matmul(engine=Engine.DVE), GEN2) == ["NKI2113"]


@pytest.mark.parametrize("hint", ["stationary", "moving"])
def test_a_wrong_hint_is_warned_of_for_four_byte_floats(hint: str) -> None:
    ones = np.array([[0, -0.0], [1, 1]], np.float32)
    other = np.array([[0, 1], [2, np.nan]], np.float32)
    fields = {f"is_{hint}_onezero": True}

    def warned(dtype: DType, values: np.ndarray) -> list[str]:
        inst = typed(dtype, dtype, **fields)
        given = (values, other) if hint == "stationary" else (other, values)
        return [p.code.id for p in inst.watch(*given)]

    for dtype in (dt.float32, dt.tfloat32):
        assert warned(dtype, ones) == []
        assert warned(dtype, other) == ["NKI2219"]
    assert warned(dt.bfloat16, other) == []
    fields = {}
    assert warned(dt.float32, other) == []
