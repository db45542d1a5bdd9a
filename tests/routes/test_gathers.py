"""Kernels that gather and list on GpSimd, and activate2, at every level and on the user's line."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

import nki
import nki.isa as nisa
import nki.language as nl
from opennki.base.diag import NkiError
from opennki.testing.programs import RUNNERS

LEVELS = pytest.mark.parametrize("level", RUNNERS)


@pytest.fixture(autouse=True)
def _loud():
    """Every warning is an error, those of reads of what nothing wrote among them."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def loaded(x):
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    return tile


def stored(tile):
    out = nl.ndarray(tile.shape, dtype=tile.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=tile)
    return out


# --- local_gather through views -------------------------------------------------------------------


@nki.jit
def windows(x, index):
    """A gather from, by and into windows of larger tiles."""
    source, chosen = loaded(x), loaded(index)
    whole = nl.ndarray((128, 3, 40), dtype=x.dtype, buffer=nl.sbuf)
    nisa.memset(dst=whole, value=-1.0)
    nisa.local_gather(
        dst=whole[:, 1, 4:36], src_buffer=source[:, 2:18], index=chosen[:, 3:4],
        num_elem_per_idx=2, num_valid_indices=16,
    )  # fmt: skip
    return stored(whole)


@nki.jit
def patterns(x, index):
    """The same with access patterns: every other element of the source, a reversed destination."""
    source, chosen = loaded(x), loaded(index)
    whole = nl.ndarray((128, 16, 3), dtype=x.dtype, buffer=nl.sbuf)
    nisa.memset(dst=whole, value=-1.0)
    nisa.local_gather(
        dst=whole.ap([[48, 128], [3, 16]], offset=1),
        src_buffer=source.ap([[20, 128], [2, 10]]),
        index=chosen.ap([[4, 128], [1, 1]], offset=2),
        num_elem_per_idx=1, num_valid_indices=16,
    )  # fmt: skip
    return stored(whole)


@LEVELS
def test_windows_are_gathered_from_by_and_into(level, rng):
    x = rng.standard_normal((128, 20)).astype(np.float32)
    index = rng.integers(0, 9, (128, 4)).astype(np.uint16)
    made = nki.simulate(windows, target="trn2", level=level)(x, index)
    want = np.full((128, 3, 40), -1, np.float32)
    for p in range(128):
        for k in range(16):
            start = index[p // 16 * 16 + k, 3] + 2
            want[p, 1, 4 + 2 * k : 6 + 2 * k] = x[p, start : start + 2]
    np.testing.assert_array_equal(made, want)


@LEVELS
def test_access_patterns_are_gathered_from_by_and_into(level, rng):
    x = rng.standard_normal((128, 20)).astype(np.float32)
    index = rng.integers(0, 9, (128, 4)).astype(np.uint16)
    made = nki.simulate(patterns, target="trn2", level=level)(x, index)
    want = np.full((128, 16, 3), -1, np.float32)
    for p in range(128):
        want[p, :, 1] = x[p, ::2][index[p // 16 * 16 : p // 16 * 16 + 16, 2]]
    np.testing.assert_array_equal(made, want)


# --- what is not examined may be unwritten --------------------------------------------------------


@nki.jit
def listed(x):
    """Positions of the nonzero elements of one row; nothing else of the tile is written."""
    row = nl.ndarray((128, x.shape[1]), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=row[0:1, :], src=x)
    nisa.memset(dst=row[32:33, :], value=0.0)
    found = nl.ndarray((128, x.shape[1] + 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.nonzero_with_count(dst=found[0:1], src=row[0:1], index_offset=100, padding_val=-7)
    nisa.nonzero_with_count(dst=found[32:64], src=row[32:64])
    return stored(found[0:1, :]), stored(found[32:33, :])


@LEVELS
def test_rows_between_the_cores_first_are_not_read(level):
    x = np.array([[0, 3, 0, 4]], np.float32)
    with pytest.warns(UserWarning, match="NKI6001") as caught:
        first, second = nki.simulate(listed, target="trn2", level=level)(x)
    assert len(caught) == 1  # of partition 48, the first of the second core, and of no other
    assert "4 element(s)" in str(caught[0].message)
    assert first.tolist() == [[101, 103, -7, -7, 2]]
    assert second.tolist() == [[-1, -1, -1, -1, 0]]


@nki.jit
def chosen_only(x, index, wide):
    """Gathers that choose from what is written of a larger tile."""
    half = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=half[:, 0:32], src=x)
    some = nl.ndarray((128, 1), dtype=index.dtype, buffer=nl.sbuf)
    for group in range(0, 128, 16):
        nisa.dma_copy(dst=some[group : group + 4], src=index[group : group + 4])
    local = nl.ndarray((128, 4), dtype=x.dtype, buffer=nl.sbuf)
    nisa.local_gather(
        dst=local, src_buffer=half, index=some, num_elem_per_idx=1, num_valid_indices=4
    )
    return stored(local), stored(nl.gather_flattened(half, loaded(wide)))


@LEVELS
def test_only_what_is_chosen_is_read(level, rng):
    x = rng.standard_normal((128, 32)).astype(np.float32)
    index = rng.integers(0, 32, (128, 1)).astype(np.uint16)
    wide = rng.integers(0, 32, (128, 5)).astype(np.uint32)
    local, flat = nki.simulate(chosen_only, target="trn2", level=level)(x, index, wide)
    for p in range(0, 128, 37):
        np.testing.assert_array_equal(local[p], x[p, index[p // 16 * 16 :, 0][:4]])
    np.testing.assert_array_equal(flat, np.take_along_axis(x, wide.astype(int), axis=1))


@LEVELS
def test_reading_what_is_chosen_but_not_written_is_told(level, rng):
    x = rng.standard_normal((128, 32)).astype(np.float32)
    index = np.zeros((128, 1), np.uint16)
    wide = np.zeros((128, 5), np.uint32)
    wide[7, 2] = 40
    with pytest.warns(UserWarning, match="NKI6001") as caught:
        nki.simulate(chosen_only, target="trn2", level=level)(x, index, wide)
    (one,) = caught
    assert "1 element(s) of `half` were never written, the first at (7, 40)" in str(one.message)


# --- an index that is not there -------------------------------------------------------------------


@nki.jit
def unchecked(x, index):
    source, chosen = loaded(x), loaded(index)
    made = nl.ndarray(index.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.nc_n_gather(dst=made, data=source, indices=chosen)
    return stored(made)


@LEVELS
def test_the_run_ends_on_the_line_of_the_gather(level):
    x, index = np.zeros((4, 8), np.float32), np.zeros((4, 3), np.uint32)
    index[2, 1] = 9
    with pytest.raises(NkiError) as caught:
        nki.simulate(unchecked, target="trn2", level=level)(x, index)
    (found,) = caught.value.diagnostics
    assert found.code.id == "NKI6021"
    text = Path(__file__).read_text(encoding="utf-8").splitlines()
    line = text.index("    nisa.nc_n_gather(dst=made, data=source, indices=chosen)")
    assert (found.file, found.line) == (__file__, line + 1)
    assert found.message == (
        "nc_n_gather reads 1 index(es) in `indices` that are no place in `data`: the first, "
        "element 1 of partition 2, is 9, and the last place is 7"
    )
    assert [name for name, _ in found.operands] == ["dst", "data", "indices"]


@nki.jit
def twice_wrong(x):
    """A place that nothing has written, and one that is not there."""
    source = nl.ndarray((4, 9), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=source[:, 0:8], src=x)
    chosen = nl.ndarray((4, 2), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.memset(dst=chosen[:, 0:1], value=8)
    nisa.memset(dst=chosen[:, 1:2], value=9)
    made = nl.ndarray((4, 2), dtype=x.dtype, buffer=nl.sbuf)
    nisa.nc_n_gather(dst=made, data=source, indices=chosen)
    return stored(made)


@LEVELS
def test_a_warning_about_the_same_line_is_not_lost(level):
    with pytest.raises(NkiError) as caught:
        nki.simulate(twice_wrong, target="trn2", level=level)(np.zeros((4, 8), np.float32))
    assert [found.code.id for found in caught.value.diagnostics] == ["NKI6001", "NKI6021"]


# --- nl.gather_flattened --------------------------------------------------------------------------


@nki.jit
def every_fifth(data):
    """The published example: the same ten columns of every row."""
    indices = nl.zeros((32, 10), dtype=nl.uint32)
    for j in nl.static_range(10):
        nisa.memset(dst=indices[:, j : j + 1], value=j * 5)
    tile = loaded(data)
    return stored(nl.gather_flattened(data=tile, indices=indices)), stored(
        nl.gather_flattened(tile, indices.reshape((32, 2, 5)), dtype=nl.bfloat16)
    )


@LEVELS
@pytest.mark.parametrize("target", ["trn1", "trn2", "trn3"])
def test_every_fifth_element_is_gathered(level, target, rng):
    data = rng.integers(-99, 99, (32, 64)).astype(np.float32)
    same, narrow = nki.simulate(every_fifth, target=target, level=level)(data)
    np.testing.assert_array_equal(same, data[:, :50:5])
    assert narrow.dtype.name == "bfloat16"
    assert narrow.shape == (32, 2, 5)
    np.testing.assert_array_equal(narrow.astype(np.float32).reshape(32, 10), data[:, :50:5])


# --- topk and activate2 ---------------------------------------------------------------------------


@nki.jit
def largest(x):
    """The published example: 42 elements in three columns of 16 partitions."""
    src = loaded(x)
    values = nl.ndarray((x.shape[0], 8), dtype=nl.bfloat16, buffer=nl.sbuf)
    indices = nl.ndarray((x.shape[0], 8), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.topk(val_dst=values, idx_dst=indices, src=src, n=42)
    return stored(values), stored(indices)


@LEVELS
def test_the_largest_of_a_snake_are_found(level, rng):
    snake = rng.permutation(48).astype(nl.bfloat16.np)
    values, indices = nki.simulate(largest, target="trn2", level=level)(snake.reshape(3, 16).T)
    order = np.argsort(snake[:42].astype(np.float32))[-8:]
    for p in range(16):
        assert indices[p].tolist() == order.tolist()
        assert values[p].tolist() == snake[order].tolist()


@nki.jit
def normalised(x, mean, scale):
    """``exp(scale * (x - mean))`` and its sum, in two instructions; then a parametric relu."""
    tile, m, s = loaded(x), loaded(mean), loaded(scale)
    nisa.activate2(
        dst=tile, op=nl.copy, data=tile, imm0=m, imm1=0.0, op0=nl.subtract, op1=nl.bypass
    )
    total = nl.ndarray((x.shape[0], 1), dtype=nl.float32, buffer=nl.sbuf)
    powers = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.sbuf)
    nisa.activate2(
        dst=powers, op=nl.exp, data=tile, imm0=s, imm1=0.0, op0=nl.multiply, op1=nl.bypass,
        reduce_op=nl.add, reduce_res=total, reduce_cmd=nisa.reduce_cmd.reset_reduce,
    )  # fmt: skip
    nisa.activate2(
        dst=tile, op=nl.prelu, data=tile, imm0=0.0, imm1=0.0, op0=nl.bypass, op1=nl.bypass,
        relu_param=0.25,
    )  # fmt: skip
    return stored(powers), stored(total), stored(tile)


@LEVELS
def test_two_operations_a_function_and_a_sum(level, rng):
    x = rng.standard_normal((64, 20)).astype(np.float32)
    mean, scale = rng.standard_normal((2, 64, 1)).astype(np.float32)
    powers, total, bent = nki.simulate(normalised, target="trn3", level=level)(x, mean, scale)
    want = np.exp((x - mean) * scale)
    np.testing.assert_array_equal(powers, want)
    # 20 float32 terms, which the host may add in another order
    np.testing.assert_allclose(total[:, 0], want.sum(axis=1), rtol=20 * 2**-23)
    np.testing.assert_array_equal(bent, np.where(x > mean, x - mean, (x - mean) * np.float32(0.25)))
