"""Footprints of operands: which bytes, and exact overlap of strided ones."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from opennki.backend.schedule import Footprint, footprint, overlap
from opennki.base import dtypes
from opennki.birpy import AccessPattern, MemoryType


def access(loc, offset, ap, dtype=None):
    return AccessPattern(loc, offset, ap, dtype or loc.dtype)


def test_a_dense_tile_is_one_piece(new):
    loc = new("t", MemoryType.SB, (128, 4, 16), dtypes.float32, address=1024)
    found = footprint(access(loc, 0, ((64, 128), (16, 4), (1, 16))))
    assert found == Footprint(0, 128, 1024, 1280, 256, ())


def test_a_slice_counts_from_its_partition_and_byte(new):
    loc = new("t", MemoryType.SB, (64, 32), dtypes.bfloat16, address=512, partition=64)
    found = footprint(access(loc, 32 * 32 + 8, ((32, 16), (2, 4))))
    assert found == Footprint(96, 112, 528, 542, 2, ((4, 4),))


def test_a_view_in_another_dtype_counts_bytes(new):
    loc = new("t", MemoryType.SB, (128, 16), dtypes.float32, address=0)
    found = footprint(access(loc, 2, ((64, 128), (1, 4)), dtypes.uint8))
    assert found == Footprint(0, 128, 2, 6, 4, ())


def test_a_negative_step_and_a_repeat_touch_the_same_bytes(new):
    loc = new("t", MemoryType.SB, (128, 16), dtypes.float32, address=0)
    backwards = footprint(access(loc, 15, ((16, 128), (-1, 16))))
    repeated = footprint(access(loc, 0, ((16, 128), (0, 7), (1, 16))))
    assert backwards == repeated == Footprint(0, 128, 0, 64, 64, ())


def test_a_window_of_a_matrix_in_dram_is_a_comb(new):
    loc = new("x", MemoryType.DRAM, (512, 1024), dtypes.float32)
    found = footprint(access(loc, 128 * 1024 + 256, ((1024, 128), (1, 256))))
    assert found.levels == ((4096, 128),)
    assert found.width == 1024


def test_even_and_odd_columns_do_not_meet(new):
    loc = new("t", MemoryType.SB, (128, 512), dtypes.bfloat16, address=0)
    even = footprint(access(loc, 0, ((512, 128), (2, 256))))
    odd = footprint(access(loc, 1, ((512, 128), (2, 256))))
    assert not overlap(even, odd)
    assert overlap(even, even)


def test_neighbouring_windows_of_a_matrix_do_not_meet(new):
    loc = new("x", MemoryType.DRAM, (1024, 4096), dtypes.float32)

    def window(row, column):
        return footprint(access(loc, row * 4096 + column, ((4096, 128), (1, 512))))

    assert not overlap(window(0, 0), window(0, 512))
    assert not overlap(window(0, 0), window(128, 0))
    assert overlap(window(0, 0), window(127, 511))
    assert not overlap(window(0, 512), window(127, 0))


def test_an_access_across_partitions_counts_as_the_whole_tile(new):
    loc = new("t", MemoryType.SB, (128, 16), dtypes.float32, address=64)
    assert footprint(access(loc, 0, ((8, 32), (1, 8)))) == Footprint(0, 128, 64, 128, 64, ())


@st.composite
def walks(draw):
    """An offset and up to three (step, count) pairs, all inside of 400 elements."""
    pairs = draw(
        st.lists(st.tuples(st.integers(-12, 40), st.integers(1, 5)), min_size=1, max_size=3)
    )
    low = sum(min(0, s * (n - 1)) for s, n in pairs)
    return draw(st.integers(-low, 200)), tuple(pairs)


def touched(offset, pairs, size):
    places = {offset}
    for step, count in pairs:
        places = {p + step * i for p in places for i in range(count)}
    return {p * size + b for p in places for b in range(size)}


SIZES = {1: dtypes.uint8, 2: dtypes.bfloat16, 4: dtypes.float32}


@given(walks(), walks(), st.sampled_from([1, 2, 4]), st.sampled_from([1, 2, 4]))
def test_overlap_is_exactly_sharing_a_byte(new, first, second, size, other):
    loc = new("x", MemoryType.DRAM, (4000,), dtypes.uint8)
    a = footprint(access(loc, *first, SIZES[size]))
    b = footprint(access(loc, *second, SIZES[other]))
    shares = bool(touched(*first, size) & touched(*second, other))
    assert overlap(a, b) is shares
    assert overlap(b, a) is shares


@given(walks(), st.sampled_from([1, 2, 4]))
def test_the_hull_and_the_pieces_are_the_bytes(new, walk, size):
    loc = new("x", MemoryType.DRAM, (4000,), dtypes.uint8)
    found = footprint(access(loc, *walk, SIZES[size]))
    places = {found.lo}
    for step, count in found.levels:
        places = {p + step * i for p in places for i in range(count)}
    covered = {p + b for p in places for b in range(found.width)}
    assert covered == touched(*walk, size)
    assert (found.lo, found.hi) == (min(covered), max(covered) + 1)
