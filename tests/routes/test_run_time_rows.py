"""Rows that vectors of run-time indices choose: equal in every form, and to NumPy."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nki
import nki.isa as nisa
import nki.language as nl
from opennki.testing.programs import RUNNERS

from .forms import DTYPES, ERROR, ROWS, SKIP, WIDTH, bits, check, result, tile, trap

# ---- gathers and scatters ----------------------------------------------------------------------


def gather(mode: Any) -> Any:
    @nki.jit
    def kernel(x, rows, old):
        chosen = tile(old)
        nisa.dma_copy(chosen, x.vector_select(0, tile(rows)), oob_mode=mode)
        return result(chosen)

    return kernel


def scatter(mode: Any) -> Any:
    @nki.jit
    def kernel(x, rows, old):
        out = result(old)
        nisa.dma_copy(out.vector_select(0, tile(rows)), tile(x), oob_mode=mode)
        return out

    return kernel


@given(data=st.data())
@settings(max_examples=40)
def test_gathers_and_scatters_are_those_of_numpy(data):
    dtype = data.draw(st.sampled_from(DTYPES))
    kind = data.draw(st.sampled_from([np.int32, np.uint32, np.int16, np.uint8]))
    width = data.draw(st.integers(1, 5))
    count = data.draw(st.integers(1, 16))
    rows = np.array([[data.draw(st.integers(0, ROWS - 1))] for _ in range(count)], kind)
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    x, old = bits(rng, (ROWS, width), dtype), bits(rng, (count, width), dtype)
    check(gather(ERROR), [x, rows, old], x[rows[:, 0]])
    want = x.copy()
    for row, values in zip(rows[:, 0], old, strict=True):
        want[row] = values  # of two rows the later stays
    check(scatter(ERROR), [old, rows, x], want)


@given(data=st.data())
@settings(max_examples=40)
def test_rows_outside_are_left_out_and_all_else_is_not(data):
    dtype = data.draw(st.sampled_from([*DTYPES, "x4"]))
    kind = np.dtype(data.draw(st.sampled_from([np.int32, np.uint32, np.int8])))
    count = data.draw(st.integers(1, 12))
    low, high = np.iinfo(kind).min, np.iinfo(kind).max
    near = st.integers(max(low, -2), ROWS + 2)
    rows = [data.draw(near | st.sampled_from([low, high])) for _ in range(count)]
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    if dtype == "x4":  # four numbers in one element, as the bits of an int32
        dtype = np.int32
    x, old = bits(rng, (ROWS, WIDTH), dtype), bits(rng, (count, WIDTH), dtype)
    inside = [0 <= row < ROWS for row in rows]
    gathered, scattered = old.copy(), x.copy()
    for place, (row, good) in enumerate(zip(rows, inside, strict=True)):
        if good:
            gathered[place] = x[row]
            scattered[row] = old[place]
    indices = np.array(rows, kind).reshape(-1, 1)
    check(gather(SKIP), [x, indices, old], gathered)
    check(scatter(SKIP), [old, indices, x], scattered)
    if not all(inside):
        wrong = rows[inside.index(False)]
        for kernel, arrays in (
            (gather(ERROR), [x, indices, old]),
            (scatter(ERROR), [old, indices, x]),
        ):
            for level in RUNNERS:
                found = trap(kernel, arrays, level)
                assert found.code.id == "NKI6020"
                assert f"gets {wrong} as run-time index" in found.message
                assert f"0 to {ROWS - 1} are allowed" in found.message


@pytest.mark.parametrize("dtype", [nl.float8_e4m3fn_x4, nl.float4_e2m1fn_x4])
def test_packed_elements_are_moved_as_they_are(dtype, rng):
    width = np.dtype(dtype.np).itemsize
    raw = rng.integers(0, 256, (ROWS, WIDTH * width), np.uint8)
    old = rng.integers(0, 256, (3, WIDTH * width), np.uint8)

    @nki.jit
    def kernel(x, rows, old):
        chosen = tile(old)
        nisa.dma_copy(chosen.view(dtype), x.view(dtype).vector_select(0, tile(rows)), oob_mode=SKIP)
        return result(chosen)

    rows = np.array([[5], [-1], [0]], np.int32)
    check(kernel, [raw, rows, old], np.stack([raw[5], old[1], raw[0]]))


def test_the_trap_names_the_instruction_and_its_line():
    found = trap(
        gather(ERROR), [np.zeros((4, 2), np.float32), np.array([[1], [9]], np.int32),
                        np.zeros((2, 2), np.float32)], "program",
    )  # fmt: skip
    assert found.message.startswith("dma_copy gets 9 as run-time index of `x`, where 0 to 3")
    line = found.loc.line
    with open(__file__, encoding="utf-8") as file:
        assert "x.vector_select(0, tile(rows))" in file.read().splitlines()[line - 1]


def test_one_index_may_move_many_dimensions_and_dtypes(rng):
    @nki.jit
    def kernel(x, rows):
        chosen = x.vector_select(0, tile(rows))
        flat = nl.ndarray((4, 12), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(flat, chosen.reshape((4, 12)))
        part = nl.ndarray((4, 2), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(part, chosen[:, 1, 1:3])
        turned = nl.ndarray((4, 4, 3), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(turned, chosen.permute((0, 2, 1)))
        halves = nl.ndarray((4, 3, 8), dtype=nl.uint16, buffer=nl.sbuf)
        nisa.dma_copy(halves, x.view(nl.uint16).vector_select(0, tile(rows)))
        wide = nl.ndarray((4, 3, 4), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(wide, chosen)
        return tuple(map(result, (flat, part, turned, halves, wide)))

    x = rng.integers(-999, 999, (7, 3, 4)).astype(np.int32)
    rows = np.array([6, 0, 6, 3])
    chosen = x[rows]
    check(
        kernel, [x, rows.reshape(4, 1).astype(np.uint32)], chosen.reshape(4, 12), chosen[:, 1, 1:3],
        chosen.transpose(0, 2, 1), chosen.view(np.uint16), chosen.astype(np.float32),
    )  # fmt: skip


def test_indices_in_several_columns_count_column_by_column(rng):
    @nki.jit
    def kernel(x, rows):
        chosen = x.ap([[WIDTH, 6], [1, WIDTH]], vector_offset=tile(rows))
        out = nl.ndarray((6, WIDTH), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(out, chosen)
        return result(out)

    x = rng.standard_normal((ROWS, WIDTH)).astype(np.float32)
    rows = np.array([[1, 4, 0], [7, 2, 0], [3, 3, 0]], np.int32)
    check(kernel, [x, rows], x[[1, 7, 3, 4, 2, 3]])


@pytest.mark.parametrize("columns", [1, 2])
def test_rows_are_transposed_on_the_way(columns, rng):
    @nki.jit
    def kernel(x, rows):
        count = 128 * columns
        turned = nl.ndarray((48, count), dtype=x.dtype, buffer=nl.sbuf)
        nisa.memset(turned, -1.0)
        chosen = x.ap([[48, count], [1, 48]], vector_offset=tile(rows))
        nisa.dma_transpose(turned, chosen, oob_mode=SKIP)
        return result(turned)

    x = rng.standard_normal((60, 48)).astype(ml_dtypes.bfloat16)
    rows = rng.integers(-3, 65, (128, columns)).astype(np.int32).view(np.uint32)
    want = np.full((48, 128 * columns), -1, ml_dtypes.bfloat16)
    for place, row in enumerate(rows.T.reshape(-1)):
        if 0 <= row < 60:
            want[:, place] = x[row]
    check(kernel, [x, rows], want)


def test_both_sides_may_be_found_at_run_time(rng):
    @nki.jit
    def kernel(x, y, rows, places):
        out = result(y)
        nisa.dma_copy(
            out.vector_select(0, tile(places)), x.vector_select(0, tile(rows)), oob_mode=SKIP
        )
        return out

    x, y = (rng.integers(0, 99, (ROWS, WIDTH)).astype(np.int32) for _ in "xy")
    rows, places = np.array([0, 9, 2, 3, 4]), np.array([7, 6, -1, 7, 0])
    want = y.copy()
    want[7], want[0] = x[3], x[4]
    check(kernel, [x, y, *(a.reshape(-1, 1).astype(np.int32) for a in (rows, places))], want)
