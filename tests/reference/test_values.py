"""What the language reference says functions of `nl` give: its examples, as numbers."""

from __future__ import annotations

import numpy as np
import pytest

import opennki.api.isa as nisa
import opennki.api.language as nl

F32 = nl.float32
TWO_ULP = 2**-22
"""Relative tolerance for functions that NumPy and the engine's rows round separately."""

# function of one tile, what the tile holds, what comes out
ONE_TILE = [
    ("abs", -1.0, 1.0), ("square", 3.0, 9.0), ("exp", 0.0, 1.0), ("log", 1.0, 0.0),
    ("sqrt", 4.0, 2.0), ("rsqrt", 4.0, 0.5), ("reciprocal", 4.0, 0.25), ("sin", 0.0, 0.0),
    ("cos", 0.0, 1.0), ("tan", 0.0, 0.0), ("arctan", 0.0, 0.0), ("ceil", 3.2, 4.0),
    ("ceil", -3.7, -3.0), ("floor", 3.7, 3.0), ("floor", -3.2, -4.0), ("trunc", 3.7, 3.0),
    ("trunc", -3.7, -3.0), ("negative", 5.0, -5.0), ("negative", -3.0, 3.0), ("sign", -5.0, -1.0),
    ("sign", 0.0, 0.0), ("relu", -2.0, 0.0), ("logical_not", 1.0, 0.0), ("logical_not", 0.0, 1.0),
    ("sigmoid", 0.0, 0.5), ("tanh", 0.0, 0.0), ("erf", 0.0, 0.0), ("copy", 2.5, 2.5),
]  # fmt: skip

# operator, first tile, second tile or number, result
TWO_TILES = [
    ("add", 3.0, 2.0, 5.0), ("subtract", 10.0, 3.0, 7.0), ("multiply", 3.0, 4.0, 12.0),
    ("divide", 7.0, 2.0, 3.5), ("maximum", 3.0, 5.0, 5.0), ("minimum", 3.0, 5.0, 3.0),
    ("power", 3.0, 2.0, 9.0), ("mod", -7.0, 3.0, 2.0), ("fmod", -7.0, 3.0, -1.0),
    ("equal", 2.0, 2.0, 1.0), ("not_equal", 2.0, 2.0, 0.0), ("less", 1.0, 2.0, 1.0),
    ("less_equal", 2.0, 2.0, 1.0), ("greater", 1.0, 2.0, 0.0), ("greater_equal", 2.0, 2.0, 1.0),
    ("logical_and", 1.0, 0.0, 0.0), ("logical_or", 1.0, 0.0, 1.0), ("logical_xor", 1.0, 1.0, 0.0),
]  # fmt: skip


def full(content: float, shape: tuple[int, int] = (128, 512)) -> nl.NkiTensor:
    return nl.full(shape, content, dtype=F32, buffer=nl.sbuf)


@pytest.mark.parametrize(("name", "x", "want"), ONE_TILE)
def test_a_function_of_one_tile(value, name, x, want):
    got = value(lambda: getattr(nl, name)(full(x)))
    assert got.shape == (128, 512)
    assert got == pytest.approx(want, abs=2**-23)


@pytest.mark.parametrize(("name", "x", "y", "want"), TWO_TILES)
@pytest.mark.parametrize("second", ["tile", "vector", "number"])
def test_a_function_of_two_tiles_or_a_tile_and_a_number(value, name, x, y, want, second):
    shapes = {"tile": (128, 512), "vector": (128, 1)}
    other = {"number": lambda: y}.get(second, lambda: full(y, shapes[second]))
    got = value(lambda: getattr(nl, name)(full(x), other()))
    assert got.shape == (128, 512)
    assert (got == want).all()


@pytest.mark.parametrize(
    ("name", "x", "y", "want"),
    [
        ("abs_max", -5.0, 3.0, -5.0), ("abs_max", 1.0, -1.0, -1.0), ("abs_min", -5.0, 3.0, 3.0),
        ("abs_min", 5.0, -3.0, -3.0), ("abs_min", 1.0, -1.0, -1.0),
    ],
)  # fmt: skip
def test_magnitudes_are_compared_and_signed_values_kept(value, name, x, y, want):
    got = value(lambda: getattr(nl, name)(full(x), full(y, (128, 1))), target="trn3")
    assert (got == want).all()


@pytest.mark.parametrize("name", ["abs_max", "abs_min"])
@pytest.mark.parametrize("target", ["trn1", "trn2"])
def test_magnitudes_are_compared_from_gen4_on(rules, name, target):
    assert rules(lambda: getattr(nl, name)(full(1.0), full(2.0)), target) == ["NKI2118"]


def test_a_dtype_can_be_asked_for(rules):
    def body():
        assert nl.abs(full(-1.0), dtype=nl.float16).dtype == nl.float16
        assert nl.equal(full(1.0), full(1.0), dtype=nl.uint8).dtype == nl.uint8
        assert nl.equal(full(1.0), full(1.0)).dtype == F32

    assert rules(body) == []


@pytest.mark.parametrize(
    ("name", "x", "y"),
    [
        ("bitwise_and", 12, 10), ("bitwise_or", 12, 10), ("bitwise_xor", 12, 10),
        ("left_shift", 3, 4), ("right_shift", -1, 28),
    ],
)  # fmt: skip
@pytest.mark.parametrize("number", [False, True])
def test_bit_operators_work_on_bits_of_integers(value, name, x, y, number):
    def make():
        a = nl.full((128, 8), x, nl.int32)
        return getattr(nl, name)(a, y if number else nl.full((128, 8), y, nl.int32))

    logical = np.int32(np.uint32(x & 0xFFFFFFFF) >> np.uint32(y)) if name == "right_shift" else None
    want = logical if logical is not None else getattr(np, name)(np.int32(x), np.int32(y))
    assert (value(make) == want).all()


def test_invert_flips_every_bit(value):
    assert (value(lambda: nl.invert(nl.full((128, 8), 5, nl.int32))) == ~5).all()


@pytest.mark.parametrize("target", ["trn1", "trn2", "trn3"])
def test_where_takes_x_where_the_condition_is_one(value, target):
    make = lambda c, x, y: lambda: nl.where(full(c), full(x), full(y))  # noqa: E731  # three tiles
    assert (value(make(1.0, 10.0, 0.0), target=target) == 10.0).all()
    assert (value(make(0.0, 10.0, 5.0), target=target) == 5.0).all()


def test_softmax_of_equal_values_is_uniform(value):
    assert value(lambda: nl.softmax(full(1.0), axis=1)) == pytest.approx(1 / 512, rel=TWO_ULP)
    assert value(lambda: nl.softmax(full(1.0))) == pytest.approx(1 / 512, rel=TWO_ULP)


def test_rms_norm_of_equal_values_is_one(value):
    got = value(lambda: nl.rms_norm(full(2.0), full(1.0), axis=1, n=512))
    assert got == pytest.approx(1.0, rel=1e-6)  # epsilon, 1e-6 of a mean of 4


@pytest.mark.parametrize(
    ("name", "want"),
    [("sum", 12.0), ("max", 3.0), ("min", 1.0), ("mean", 2.0), ("prod", 36.0), ("var", 2 / 3)],
)
@pytest.mark.parametrize("keepdims", [False, True])
def test_reductions_fold_the_last_dimensions(value, name, want, keepdims):
    x = np.tile(np.array([[[1, 2, 3], [3, 2, 1]]], np.float32), (128, 1, 1))
    got = value(lambda t: getattr(nl, name)(t, axis=[1, 2], keepdims=keepdims), x)
    assert got.size == 128
    assert got == pytest.approx(want, rel=TWO_ULP)


def test_all_is_true_where_no_element_is_zero(value):
    x = np.array([[1.0, 1.0], [1.0, 0.0]], np.float32)
    assert value(lambda t: nl.all(t, axis=1), x).ravel().tolist() == [1.0, 0.0]


def test_matmul_with_the_identity_and_the_way_back_from_psum(value):
    def make():
        x = nl.shared_identity_matrix(n=128, dtype=F32)
        return nl.matmul(x, nl.full((128, 128), 1.0, dtype=F32), transpose_x=True)

    assert (value(make) == 1.0).all()


@pytest.mark.parametrize("transposed", [False, True])
def test_matmul_contracts_the_free_dimension_of_x(value, rng, transposed):
    x, y = rng.integers(-8, 8, (64, 128)), rng.integers(-8, 8, (128, 512))
    given = (x.T if transposed else x).astype(np.float32)
    got = value(lambda a, b: nl.matmul(a, b, transpose_x=transposed), given, y.astype(np.float32))
    assert (got == x @ y).all()


def test_transpose_swaps_partitions_and_columns(value, rng):
    x = rng.standard_normal((96, 128), np.float32)
    assert (value(nl.transpose, x) == x.T).all()


def test_tiles_are_broadcast_by_the_rules_of_numpy(value, rng):
    x = rng.standard_normal((1, 8), np.float32)
    assert (value(lambda t: nl.broadcast_to(t, (128, 8)), x) == x).all()
    assert (value(lambda t: nl.broadcast_to(t, (1, 8)), x) == x).all()
    y = rng.standard_normal((128, 1), np.float32)
    assert (value(lambda t: nl.broadcast_to(t, (128, 512)), y) == y).all()


def test_load_transpose2d_turns_what_it_loads(ran, rng):
    def kernel(x):
        tile = nl.load_transpose2d(x)
        out = nl.ndarray(tile.shape, tile.dtype, nl.shared_hbm)
        nl.store(out, tile)
        return out

    x = rng.standard_normal((512, 128), np.float32)
    result, codes = ran(kernel, x)
    assert codes == []
    assert (result == x.T).all()


@pytest.mark.parametrize("loop", [nl.affine_range, nl.sequential_range, nl.static_range, range])
def test_ranges_are_pythons_range(loop):
    assert list(loop(3)) == [0, 1, 2]
    assert list(loop(2, 9, 3)) == [2, 5, 8]


def test_the_sine_of_the_instruction_runs_away_and_that_of_the_language_does_not(value, ran):
    def instruction(x):
        t = nl.load(x)
        nisa.activation(dst=t, op=nl.sin, data=t)
        out = nl.ndarray(t.shape, F32, nl.shared_hbm)
        nl.store(out, t)
        return out

    x = np.full((128, 1), 9.0, np.float32)
    result, codes = ran(instruction, x)
    assert result == pytest.approx(27.65, abs=5e-3)
    assert codes == ["NKI6003"]
    assert value(nl.sin, x) == pytest.approx(np.sin(9.0), abs=1e-5)


@pytest.mark.parametrize(("target", "kib"), [("trn1", 192), ("trn2", 224), ("trn3", 256)])
def test_the_limits_of_tiles_have_the_published_values(rules, target, kib):
    def body():
        t = nl.tile_size
        assert (t.pmax, t.psum_bank_fmax, t.psum_fmax, t.psum_bank_fmax_bytes) == (
            128, 512, 512, 2048,
        )  # fmt: skip
        assert (t.psum_num_banks, t.gemm_stationary_fmax, t.gemm_moving_fmax) == (8, 128, 512)
        assert t.bn_stats_fmax == 512
        assert t.sbuf_size_bytes == 128 * kib * 1024
        assert t.sbuf_fmax_bytes <= kib * 1024
        assert t.sbuf_fmax == t.sbuf_fmax_bytes // 4
        assert t.total_available_sbuf_size == t.sbuf_fmax_bytes

    assert rules(body, target) == []
