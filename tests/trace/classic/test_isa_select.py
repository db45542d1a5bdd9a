"""Selections and streams of integers of the first generation."""

from __future__ import annotations

import numpy as np

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl

LOWEST = float(np.finfo(np.float32).min)


def stored(tile):
    out = nl.ndarray(tile.shape, dtype=tile.dtype, buffer=nl.shared_hbm)
    nl.store(out, tile)
    return out


@nki.jit
def triangles(a):
    i_p, i_f = nl.mgrid[0:32, 0:16]
    x = nl.load(a)
    below = nisa.affine_select(pred=(i_f < i_p), on_true_tile=x, on_false_value=LOWEST)
    diagonal = nisa.affine_select(i_p == 2 * i_f, x, 0.0, dtype=nl.int32)
    part = nisa.memset((32, 16), 5.0, nl.float32)
    kept = nisa.affine_select(i_p >= i_f, x, -1.0, mask=(i_p < 28) & (i_f > 1))
    part[0:28, 2:16] = kept[0:28, 2:16]
    return stored(below), stored(diagonal), stored(part)


def test_a_comparison_chooses_elements(road):
    a = np.arange(32 * 16, dtype=np.float32).reshape(32, 16)
    p, f = np.mgrid[0:32, 0:16]
    below, diagonal, part = triangles(a)
    np.testing.assert_array_equal(below, np.where(f < p, a, np.float32(LOWEST)))
    assert diagonal.dtype == np.int32
    np.testing.assert_array_equal(diagonal, np.where(p == 2 * f, a, 0))
    inside = (p < 28) & (f > 1)
    np.testing.assert_array_equal(part, np.where(inside, np.where(p >= f, a, -1), 5))


@nki.jit
def causal(a):
    i_p, i_y, i_x = nl.mgrid[0:16, 0:2, 0:8]
    out = nl.ndarray((2, 16, 2, 8), dtype=a.dtype, buffer=nl.shared_hbm)
    for q in nl.affine_range(2):
        x = nl.load(a[q])
        pred = q * 16 + i_p >= i_y * 8 + i_x
        kept = nisa.affine_select(pred=pred, on_true_tile=x, on_false_value=0.0)
        nl.store(out[q], kept)
    return out


def test_a_predicate_may_depend_on_the_trip(road):
    a = np.arange(1, 2 * 16 * 16 + 1, dtype=np.float32).reshape(2, 16, 2, 8)
    q, p, y, x = np.mgrid[0:2, 0:16, 0:2, 0:8]
    np.testing.assert_array_equal(causal(a), np.where(q * 16 + p >= y * 8 + x, a, 0))


def test_predicates_that_are_no_single_comparison_are_refused(told):
    def joined(a):
        i_p, i_f = nl.mgrid[0:16, 0:8]
        return stored(nisa.affine_select((i_p < 4) & (i_f < 4), nl.load(a), 0.0))

    def number(a):
        return stored(nisa.affine_select(True, nl.load(a), 0.0))

    def smaller(a):
        i_p, i_f = nl.mgrid[0:4, 0:4]
        return stored(nisa.affine_select(i_p < i_f, nl.load(a), 0.0))

    a = np.ones((16, 8), np.float32)
    assert [text for kernel in (joined, number, smaller) for text in told(kernel, a)] == [
        "NKI1100: `pred` cannot be used: it joins several comparisons",
        "NKI1100: `pred` cannot be used: bool True is no comparison of index expressions",
        "NKI1100: `pred` cannot be used: it is over [4, 4], and the tile is [16, 8]",
    ]


@nki.jit
def counted():
    i_p, i_f = nl.arange(32)[:, None], nl.arange(16)[None, :]
    part = nisa.memset((32, 16), -1, nl.int32)
    rest = nisa.iota(3 * i_p - i_f + 7, dtype=nl.int32, mask=(i_f >= 2) & (i_p < 30))
    part[0:30, 2:16] = rest[0:30, 2:16]
    out = nl.ndarray((3, 32, 1), dtype=nl.float32, buffer=nl.shared_hbm)
    for i in nl.affine_range(3):
        nl.store(out[i], nisa.iota(5 + i_p * 2 + i * 100, dtype=nl.float32))
    return stored(nisa.iota(i_p + i_f * -1, np.int16)), stored(part), out


def test_index_expressions_become_tiles(road):
    p, f = np.mgrid[0:32, 0:16]
    plain, part, trips = counted()
    assert plain.dtype == np.int16
    np.testing.assert_array_equal(plain, p - f)
    np.testing.assert_array_equal(part, np.where((f >= 2) & (p < 30), 3 * p - f + 7, -1))
    np.testing.assert_array_equal(trips, [5 + p[:, :1] * 2 + i * 100 for i in range(3)])


def test_what_is_no_index_expression_is_refused(told):
    def kernel(a):
        return stored(nisa.iota(nl.arange(16), dtype=nl.int32))

    assert told(kernel, np.ones((16, 8), np.float32)) == [
        "NKI1007: `expr` of `nki.isa.iota` must be an index expression such as nl.arange(128)[:, "
        "None] + nl.arange(512)[None, :], and is one of one dimension"
    ]


@nki.jit(platform_target="trn2")
def ranges(a, low, high):
    x, first, last = nl.load(a), nl.load(low), nl.load(high)
    largest = nl.ndarray((32, 1), nl.float32)
    selected = nisa.range_select(
        on_true_tile=x, comp_op0=np.greater_equal, comp_op1=np.less, bound0=first, bound1=last,
        reduce_res=largest, reduce_op=np.max, range_start=2, on_false_value=LOWEST,
    )  # fmt: skip
    return stored(selected), stored(largest)


def test_range_select_keeps_a_range_and_its_maximum(road):
    a = np.arange(32 * 16, dtype=np.float32).reshape(32, 16)
    low, high = np.full((32, 1), 4, np.float32), np.full((32, 1), 9, np.float32)
    index = np.arange(16) + 2
    want = np.where((index >= 4) & (index < 9), a, np.float32(LOWEST))
    selected, largest = ranges(a, low, high)
    np.testing.assert_array_equal(selected, want)
    np.testing.assert_array_equal(largest, want.max(axis=1, keepdims=True))


@nki.jit
def chosen(a, b, bits):
    x, y, predicate = nl.load(a), nl.load(b), nl.load(bits)
    i_p, i_f = nl.mgrid[0:32, 0:16]
    dst, largest = nl.ndarray((32, 16), nl.float32), nl.ndarray((32, 1), nl.float32)
    nisa.select_reduce(
        dst=dst, predicate=predicate, on_true=x, on_false=y, reduce_op=np.max,
        reduce_cmd=nisa.reduce_cmd.reset_reduce, reduce_res=largest, dtype=nl.float32,
    )  # fmt: skip
    copied = nisa.memset((32, 16), 9.0, nl.float32)
    nisa.tensor_copy_predicated(src=x, dst=copied, predicate=predicate, mask=i_p < 20)
    nisa.tensor_copy_predicated(
        src=-3.0, dst=copied[i_p, i_f], predicate=predicate, reverse_pred=True, mask=i_f >= 8
    )
    return stored(dst), stored(largest), stored(copied)


def test_predicates_may_be_booleans(road, rng):
    a = np.arange(32 * 16, dtype=np.float32).reshape(32, 16) + 10
    b, bits = np.arange(32, dtype=np.float32).reshape(32, 1), rng.random((32, 16)) < 0.5
    dst, largest, copied = chosen(a, b, bits)
    want = np.where(bits, a, b)
    np.testing.assert_array_equal(dst, want)
    np.testing.assert_array_equal(largest, want.max(axis=1, keepdims=True))
    p, f = np.mgrid[0:32, 0:16]
    want = np.where(bits & (p < 20), a, 9)
    np.testing.assert_array_equal(copied, np.where(~bits & (f >= 8), -3, want))


def test_another_dtype_than_that_of_dst_is_refused(told):
    def kernel(a):
        x = nl.load(a)
        dst = nl.ndarray((16, 8), nl.float32)
        nisa.select_reduce(
            dst=dst, predicate=nisa.tensor_copy(x, dtype=nl.uint8), on_true=x, on_false=0.0,
            dtype=nl.bfloat16,
        )  # fmt: skip
        return stored(dst)

    (text,) = told(kernel, np.ones((16, 8), np.float32))
    assert text.startswith("NKI2116: `dtype` is bfloat16 and `dst` is float32")


@nki.jit
def bounds(ids):
    return stored(nisa.sequence_bounds(segment_ids=nl.load(ids)))


def test_sequence_bounds(road):
    ids = np.array([[0, 1, 1, 2, 2, 2, 0, 3, 3]], np.float32)
    want = [[[9, 1, 1, 3, 3, 3, 9, 7, 7], [-1, 3, 3, 6, 6, 6, -1, 9, 9]]]
    np.testing.assert_array_equal(bounds(ids), want)
