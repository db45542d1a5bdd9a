"""Creating and filling tensors, constants, identity matrices, limits of the target."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import opennki.api.isa as nisa
import opennki.api.language as nl
from opennki.api import simulate

ONE = np.zeros((1, 1), np.float32)


def made_by(function, target="trn2"):
    """What `function`, which makes a tensor, makes."""

    def kernel(a):
        made = function()
        if nl.is_hbm(made.buffer):
            return made
        out = nl.ndarray(made.shape, made.dtype, nl.shared_hbm)
        nl.store(out, made if nl.is_sbuf(made.buffer) else nl.copy(made))
        return out

    return np.asarray(simulate(kernel, target=target)(ONE))


@pytest.mark.parametrize("buffer", [nl.sbuf, nl.psum, nl.hbm, nl.shared_hbm])
@pytest.mark.parametrize(
    "dtype", [nl.float32, nl.bfloat16, nl.int32, nl.uint8, nl.float8_e4m3, nl.bool_]
)
def test_filled_tensors(buffer, dtype):
    got = made_by(lambda: nl.ones((4, 3), dtype, buffer=buffer, name="t"))
    assert got.shape == (4, 3)
    np.testing.assert_array_equal(got.astype(np.float32), np.ones((4, 3)))
    got = made_by(lambda: nl.zeros((4, 3), dtype, buffer))
    np.testing.assert_array_equal(got.astype(np.float32), np.zeros((4, 3)))


@pytest.mark.parametrize(
    "shape", [(1,), (300,), (1000, 7), (128, 2048), (3, 128, 2048), (129, 4001)]
)
def test_hbm_of_any_size_is_filled(shape):
    got = made_by(lambda: nl.full(shape, 2.5, nl.float32, nl.shared_hbm))
    np.testing.assert_array_equal(got, np.full(shape, 2.5, np.float32))


def test_one_element_on_chip_may_have_one_dimension():
    shapes = []

    def kernel(a):
        for buffer in (nl.sbuf, nl.psum):
            shapes.append(nl.ndarray([1], nl.int32, buffer=buffer).shape)
        count = nl.full([1], 3, nl.int32)
        register = nisa.register_alloc(0)
        nisa.register_load(register, count)
        out = nl.ndarray([1], nl.int32, buffer=nl.shared_hbm)
        nisa.register_store(out, register)
        shapes.append(out.shape)
        return out

    assert np.asarray(simulate(kernel)(ONE)).tolist() == [3]
    assert shapes == [(1, 1), (1, 1), (1,)]


def test_filling_hbm_takes_few_transfers(traced):
    def kernel(a):
        nl.zeros((4099, 513), nl.float32, nl.private_hbm)
        return a

    assert traced(kernel, ONE).function.counts() == {"memset": 1, "dma_copy": 3}


def test_like_another_tensor(traced):
    found = []

    def kernel(a):
        found.extend([nl.zeros_like(a), nl.empty_like(a), nl.empty_like(nl.load(a))])
        found.append(nl.zeros_like(a, dtype=nl.int8, buffer=nl.hbm))
        return a

    traced(kernel, np.zeros((4, 3), ml_dtypes.bfloat16))
    assert [(t.buffer, t.dtype) for t in found] == [
        (nl.sbuf, "bfloat16"), (nl.hbm, "bfloat16"), (nl.sbuf, "bfloat16"), (nl.hbm, "int8"),
    ]  # fmt: skip
    assert {t.shape for t in found} == {(4, 3)}


def test_tensors_are_named_after_variables(traced):
    def kernel(a):
        tile = nl.load(a)
        total = nl.add(nl.exp(tile), 1.0)
        total = nl.softmax(total)
        return a

    names = list(traced(kernel, ONE).function.tensors)
    assert names == [
        "a", "tile", "exp", "total", "total.1", "softmax_max", "softmax_sum", "softmax_exp"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (((256, 4), nl.float32), "NKI3002"), (((4,), nl.float32), "NKI3001"),
        (((4, 0), nl.float32), "NKI3001"), (((4, 1.5), nl.float32), "NKI3001"),
        (((4, 4), "float64"), "NKI3004"), (((4, 4), None), "NKI3004"),
        (((128, 10**6), nl.float32), "NKI3003"), (((4, 4), nl.float32, "sbuf"), "NKI1008"),
        (((4, 4), nl.float32, 3), "NKI3005"), (((4, 4), nl.float32, nl.sbuf, 3), "NKI1007"),
        (((4, 4), nl.float32, nl.sbuf, "a"), "NKI3006"),
        (((4, 4), nl.float32, nl.shared_hbm, "", (0, 0)), "NKI3009"),
    ],
)  # fmt: skip
def test_tensors_that_cannot_be(refused, arguments, code):
    def kernel(a):
        nl.ndarray((4, 4), nl.float32, nl.sbuf, name="a.b")
        nl.ndarray(*arguments)
        return a

    assert refused(kernel, ONE).code.id == code


def test_values_that_do_not_fit(refused):
    assert refused(lambda a: nl.full((4, 4), "x", nl.float32), ONE).code.id == "NKI1007"

    def too_large(a):
        nl.full((4, 4), 300, nl.uint8)
        return a

    assert refused(too_large, ONE).code.id == "NKI2606"


def test_shared_constant_from_an_array_and_from_a_file(tmp_path):
    contents = np.arange(12, dtype=np.float32).reshape(4, 3)
    np.save(tmp_path / "c.npy", contents)
    np.testing.assert_array_equal(made_by(lambda: nl.load(nl.shared_constant(contents))), contents)
    got = made_by(lambda: nl.load(nl.shared_constant(str(tmp_path / "c.npy"))))
    np.testing.assert_array_equal(got, contents)
    narrow = contents.astype(ml_dtypes.bfloat16)
    assert made_by(lambda: nl.load(nl.shared_constant(narrow))).dtype == narrow.dtype


def test_a_constant_is_what_it_was_when_it_was_made():
    contents = np.ones((2, 2), np.float32)

    def function():
        made = nl.shared_constant(contents)
        contents[...] = 7
        return nl.load(made)

    np.testing.assert_array_equal(made_by(function), np.ones((2, 2)))


@pytest.mark.parametrize(
    ("constant", "code"),
    [
        (np.zeros((2, 2)), "NKI1011"), (np.zeros((2, 2), np.int64), "NKI1011"),
        (np.zeros((0, 2), np.float32), "NKI1012"), (np.float32(3), "NKI1007"),
        ([1, 2], "NKI1007"), ("nowhere.npy", "NKI7001"),
    ],
)  # fmt: skip
def test_constants_that_cannot_be(refused, constant, code):
    assert refused(lambda a: nl.shared_constant(constant), ONE).code.id == code


def test_a_file_that_holds_no_array(refused, tmp_path):
    path = tmp_path / "c.npy"
    path.write_text("no array")
    assert refused(lambda a: nl.shared_constant(path), ONE).code.id == "NKI1007"


@pytest.mark.parametrize("dtype", [None, nl.float32, nl.bfloat16, nl.int32])
@pytest.mark.parametrize("n", [1, 5, 128])
def test_identity_matrix(opcodes, dtype, n):
    keywords = {} if dtype is None else {"dtype": dtype}
    got = made_by(lambda: nl.shared_identity_matrix(n, **keywords))
    np.testing.assert_array_equal(got.astype(np.float32), np.eye(n))
    assert got.dtype == np.dtype(np.uint8) if dtype is None else True


def test_identity_matrix_into_a_tile(refused):
    def function():
        tile = nl.ndarray((8, 8), nl.bfloat16)
        assert nl.shared_identity_matrix(8, dst=tile) is tile
        return tile

    np.testing.assert_array_equal(made_by(function).astype(np.float32), np.eye(8))

    def into(shape, dtype):
        return lambda a: nl.shared_identity_matrix(8, nl.float32, nl.ndarray(shape, dtype))

    assert refused(into((8, 9), nl.float32), ONE).code.id == "NKI2107"
    assert refused(into((8, 8), nl.bfloat16), ONE).code.id == "NKI2116"
    assert refused(lambda a: nl.shared_identity_matrix(200), ONE).code.id == "NKI3002"


def test_limits_are_those_of_the_target(traced):
    seen = {}

    def kernel(a):
        seen[nisa.get_nc_version().name] = (
            nl.tile_size.sbuf_fmax_bytes, nl.tile_size.sbuf_size_bytes, nl.tile_size.sbuf_fmax
        )  # fmt: skip
        return a

    for target in ("trn1", "trn2", "trn3"):
        traced(kernel, ONE, target=target)
    assert seen == {
        "gen2": (180_224, 192 * 1024 * 128, 45_056),
        "gen3": (212_984, 224 * 1024 * 128, 53_246),
        "gen4": (245_752, 256 * 1024 * 128, 61_438),
    }


def test_limits_outside_of_a_kernel():
    size = nl.tile_size
    assert (size.pmax, size.psum_bank_fmax, size.psum_fmax) == (128, 512, 512)
    assert (size.psum_bank_fmax_bytes, size.psum_num_banks) == (2048, 8)
    assert (size.gemm_stationary_fmax, size.gemm_moving_fmax, size.bn_stats_fmax) == (128, 512, 512)
    assert (size.psum_min_align, size.sbuf_min_align) == (4, 1)
    assert size.total_available_sbuf_size == size.sbuf_fmax_bytes
    assert "corev4" in repr(size)
