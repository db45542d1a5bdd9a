"""Element-wise calls, copies and fills of the first generation."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
from opennki.base.diag import NkiError
from opennki.base.dtypes import dtype

BF16 = np.dtype(ml_dtypes.bfloat16)


def stored(tile):
    out = nl.ndarray(tile.shape, dtype=tile.dtype, buffer=nl.shared_hbm)
    nl.store(out, tile)
    return out


@nki.jit
def sums(a, b):
    x, y = nl.load(a), nl.load(b)
    return (
        stored(nisa.tensor_tensor(x, y, np.add)),
        stored(nisa.tensor_tensor(x, x, op=nl.subtract, dtype=nl.float32)),
        stored(nisa.tensor_tensor(y, y, nl.multiply, engine=nisa.vector_engine)),
    )


def test_tensor_tensor_has_the_promoted_dtype(road):
    a = (np.arange(64 * 32).reshape(64, 32) % 16).astype(BF16)
    b = np.arange(64 * 32, dtype=np.float32).reshape(64, 32) % 8
    both, difference, product = sums(a, b)
    assert (both.dtype, difference.dtype, product.dtype) == (np.float32,) * 3
    np.testing.assert_array_equal(both, a.astype(np.float32) + b)
    np.testing.assert_array_equal(difference, np.zeros_like(b))
    np.testing.assert_array_equal(product, b * b)


@nki.jit
def biased(a, v, w):
    x, vector, row = nl.load(a), nl.load(v), nl.load(w)
    _, _, i_x = nl.mgrid[0:32, 0:4, 0:6]
    part = nisa.memset((32, 4, 6), -1.0, nl.float32)
    kept = nisa.tensor_tensor(vector, x, op=np.subtract, mask=i_x < 5)
    part[:, :, 0:5] = kept[:, :, 0:5]
    return stored(nisa.tensor_tensor(x, row, np.add)), stored(part)


def test_free_dimensions_of_one_element_are_repeated(road):
    a = np.arange(32 * 24, dtype=np.float32).reshape(32, 4, 6)
    v, w = np.arange(32, dtype=np.float32).reshape(32, 1), a[:, :1, :] * 2
    whole, part = biased(a, v, w)
    np.testing.assert_array_equal(whole, a + w)
    want = np.full_like(a, -1)
    want[..., :5] = (v[:, :, None] - a)[..., :5]
    np.testing.assert_array_equal(part, want)


def test_partitions_are_not_repeated(told):
    def kernel(a):
        x = nl.load(a)
        return stored(nisa.tensor_tensor(x, x[0:1, :], np.add))

    (text,) = told(kernel, np.ones((16, 8), np.float32))
    assert text.startswith("NKI2101")


@pytest.mark.parametrize(
    ("first", "second", "want"),
    [
        ("int32", "float16", "float16"), ("uint16", "tfloat32", "tfloat32"),
        ("float32", "tfloat32", "float32"), ("float32", "bfloat16", "float32"),
        ("float16", "bfloat16", "float32"), ("float8_e4m3", "float16", "float16"),
        ("float8_e4m3", "bfloat16", "bfloat16"), ("float8_e4m3", "float8_e5m2", "bfloat16"),
        ("int16", "int32", "int32"), ("uint8", "uint16", "uint16"), ("uint16", "int32", "int32"),
        ("int8", "uint8", "int16"), ("int8", "uint16", "int32"), ("int32", "uint32", "float32"),
        ("bool", "int8", "int8"),
    ],
)  # fmt: skip
def test_dtypes_are_promoted_as_published(first, second, want):
    from opennki.trace.classic.promotion import promoted

    assert promoted(dtype(first), dtype(second)) == dtype(want)
    assert promoted(dtype(second), dtype(first)) == dtype(want)


@nki.jit
def scalars(a, v):
    x, vector = nl.load(a), nl.load(v)
    return (
        stored(nisa.tensor_scalar(x, np.subtract, 1.0, reverse0=True)),
        stored(nisa.tensor_scalar(x, np.multiply, vector, op1=np.add, operand1=2.5)),
        stored(nisa.tensor_scalar(x, np.max, 4.0, False, np.minimum, vector)),
    )


@pytest.mark.parametrize("kind", [np.float32, BF16])
def test_tensor_scalar_takes_numbers_and_vectors(road, kind):
    a = np.arange(32 * 16, dtype=np.float32).reshape(32, 16) % 10
    v = (np.arange(32).reshape(32, 1) % 8).astype(kind)
    reversed_, scaled, clipped = scalars(a, v)
    wide = v.astype(np.float32)
    np.testing.assert_array_equal(reversed_, 1 - a)
    np.testing.assert_array_equal(scaled, a * wide + 2.5)
    np.testing.assert_array_equal(clipped, np.minimum(np.maximum(a, 4), wide))


@nki.jit
def by_the_trip(a):
    x = nl.load(a)
    out = nl.ndarray((3, *a.shape), dtype=a.dtype, buffer=nl.shared_hbm)
    for i in nl.sequential_range(3):
        nl.store(out[i], nisa.tensor_scalar(x, np.add, i * 2 + 1))
    return out


def test_a_loop_index_is_a_number(road):
    a = np.ones((16, 8), np.float32)
    want = [a + 1, a + 3, a + 5]
    np.testing.assert_array_equal(by_the_trip(a), want)


@nki.jit
def two_steps(a, b, v):
    x, y, vector = nl.load(a), nl.load(b), nl.load(v)
    return stored(
        nisa.scalar_tensor_tensor(
            data=x, op0=nl.subtract, operand0=vector, op1=np.multiply, operand1=y, dtype=BF16
        )
    )


def test_scalar_tensor_tensor_combines_three(road):
    a = np.arange(32 * 8, dtype=np.float32).reshape(32, 8) % 7
    b, v = a[::-1].copy(), np.arange(32, dtype=np.float32).reshape(32, 1) % 3
    found = two_steps(a, b, v)
    assert found.dtype == BF16
    np.testing.assert_array_equal(found.astype(np.float32), (a - v) * b)


@nki.jit
def copies(a):
    x = nl.load(a)
    i_p, i_f = nl.mgrid[0:32, 0:16]
    out = nisa.memset(shape=(32, 16), value=7, dtype=nl.float32)
    out[0:10, 0:16] = nisa.tensor_copy(x[i_p, i_f], mask=i_p < 10)[0:10]
    fast = nisa.tensor_copy(x, dtype=nl.int32, engine=nisa.vector_engine)
    return stored(out), stored(fast), stored(nisa.reciprocal(x, dtype=BF16))


def test_copies_and_fills(road):
    a = 2.0 ** (np.arange(32 * 16).reshape(32, 16) % 5).astype(np.float32)
    part, whole, inverse = copies(a)
    np.testing.assert_array_equal(part, np.where(np.arange(32)[:, None] < 10, a, 7))
    np.testing.assert_array_equal(whole, a.astype(np.int32))
    assert inverse.dtype == BF16
    np.testing.assert_array_equal(inverse.astype(np.float32), 1 / a)


@nki.jit
def filled():
    i_p, i_f = nl.mgrid[0:16, 0:8]
    low = nisa.memset((16, 8), 0.5, nl.float32, engine=nisa.gpsimd_engine)
    low[i_p, i_f] = nisa.memset((nl.par_dim(16), 8), -1, np.float32)
    return stored(low)


def test_memset_makes_its_tile():
    np.testing.assert_array_equal(filled(), np.full((16, 8), -1, np.float32))


@nki.jit
def dropped(a, chance):
    x = nl.load(a)
    return stored(nisa.dropout(x, 1.0)), stored(nisa.dropout(x, prob=nl.load(chance)))


def test_dropout_replaces_elements_by_zero(road):
    a = np.ones((32, 16), np.float32)
    everything, rows = dropped(a, np.repeat([[0.0], [1.0]], 16, axis=0).astype(np.float32))
    np.testing.assert_array_equal(everything, np.zeros_like(a))
    np.testing.assert_array_equal(rows, np.repeat([[1.0], [0.0]], 16, axis=0) * a)


def test_a_keyword_without_a_meaning_is_refused(told):
    def kernel(a):
        return stored(nisa.tensor_copy(nl.load(a), async_mode=True))

    (text,) = told(kernel, np.ones((16, 8), np.float32))
    assert text == "NKI1004: `tensor_copy` has no parameter `async_mode`"


def test_what_is_no_tile_is_refused(told):
    def kernel(a):
        return stored(nisa.reciprocal(2.0))

    assert told(kernel, np.ones((16, 8), np.float32)) == [
        "NKI1007: `data` of `nki.isa.reciprocal` must be a tensor, and is float 2.0"
    ]


def test_what_is_in_the_wrong_memory_is_refused(told):
    def kernel(a):
        return stored(nisa.reciprocal(a))

    assert told(kernel, np.ones((16, 8), np.float32)) == [
        "NKI2105: operand `data` is in private_hbm; reciprocal takes it from psum or sbuf"
    ]


@nki.jit
def named(a):
    x = nl.load(a)
    for _ in nl.static_range(3):
        x = nisa.tensor_scalar(x, np.add, 1.0, name="step")
    return stored(x)


def test_instructions_of_several_trips_may_have_one_name(road):
    a = np.ones((16, 8), np.float32)
    np.testing.assert_array_equal(named(a), a + 3)


def test_the_version_of_the_core_can_be_asked_for():
    def kernel(a):
        assert nisa.get_nc_version() == nisa.nc_version.gen3
        return stored(nl.load(a))

    nki.jit(kernel, platform_target="trn2")(np.ones((16, 8), np.float32))
    assert nisa.get_nc_version() == nisa.nc_version.gen2


def test_enumerations_have_a_module_of_their_own():
    from neuronxcc.nki.isa import constants

    assert constants.dge_mode is nisa.dge_mode
    assert constants.engine.vector is nisa.vector_engine


def test_a_custom_operator_is_refused_by_name(told):
    def kernel(a):
        x = nl.load(a)
        nisa.builtin_custom_op("sort", "libsort.so", {}, {}, [x], [x])
        return stored(x)

    assert told(kernel, np.ones((16, 8), np.float32)) == [
        "NKI1103: builtin_custom_op cannot run 'sort' of 'libsort.so'"
    ]


def test_a_name_that_is_not_there_is_said(told):
    with pytest.raises(AttributeError, match="has no frobnicate"):
        nisa.frobnicate  # noqa: B018  # the access is what is tested
    with pytest.raises(NkiError, match="NKI1001"):
        nisa.memset((16, 8), 0, np.float32)


@pytest.mark.parametrize("target", ["trn1", "trn2"])
def test_the_scalar_engine_copies_on_every_target(road, target):
    def kernel(a):
        i_p, _ = nl.mgrid[0:16, 0:8]
        x = nl.load(a)
        out = nisa.memset((16, 8), -1, nl.int32)
        kept = nisa.tensor_copy(x, engine=nisa.scalar_engine, dtype=nl.int32, mask=i_p < 9)
        out[0:9, :] = kept[0:9, :]
        return stored(out), stored(nisa.tensor_copy(x, engine=2))

    a = np.arange(16 * 8, dtype=np.float32).reshape(16, 8)
    part, whole = nki.jit(kernel, platform_target=target)(a)
    np.testing.assert_array_equal(part, np.where(np.arange(16)[:, None] < 9, a, -1))
    np.testing.assert_array_equal(whole, a)
