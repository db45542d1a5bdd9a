"""MX kernels at every level: packed scales, sums in PSUM, and data that come quantized."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import nki
import nki.isa as nisa
import nki.language as nl
from opennki.base.diag import NkiWarning
from opennki.testing.programs import RUNNERS


def unpacked(data, lane):
    """float64 values (P, F, 4) of packed elements of float8 `lane`."""
    data = np.ascontiguousarray(data)
    return data.view(np.uint8).reshape(*data.shape, 4).view(lane).astype(np.float64)


def rescaled(values, scales):
    """`values` times 2 ** (scale - 127), one scale for 8 partitions of an element."""
    return values * np.repeat(2.0 ** (scales.astype(np.float64) - 127), 8, axis=0)[..., None]


@nki.jit
def shared_scales(x, y):
    """``x.T @ y`` of packed operands whose scales share one tile; and that tile."""
    scales = nl.ndarray((128, 24), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.memset(scales, value=99)
    product = nl.ndarray((16, 24), dtype=nl.float32, buffer=nl.shared_hbm)
    kept = nl.ndarray(scales.shape, dtype=nl.uint8, buffer=nl.shared_hbm)
    packed = []
    for source, dtype, offset in ((x, nl.float8_e4m3fn_x4, 0), (y, nl.float8_e5m2_x4, 12)):
        tile = nl.ndarray(source.shape, dtype=source.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=source)
        columns = source.shape[1] // 4
        data = nl.ndarray((128, columns), dtype=dtype, buffer=nl.sbuf)
        view = scales[offset:, :columns]
        nisa.quantize_mx(dst=data, src=tile, dst_scale=view)
        packed.append((data, view))
    (stationary, s_scale), (moving, m_scale) = packed
    acc = nl.ndarray((16, 24), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul_mx(acc, stationary, moving, s_scale, m_scale)
    out = nl.ndarray(acc.shape, dtype=acc.dtype, buffer=nl.sbuf)
    nisa.tensor_copy(dst=out, src=acc)
    nisa.dma_copy(dst=product, src=out)
    nisa.dma_copy(dst=kept, src=scales)
    return product, kept


@pytest.mark.parametrize("level", RUNNERS)
def test_scales_of_two_operands_share_a_tile(level, rng):
    x = rng.integers(-8, 8, (128, 64)).astype(ml_dtypes.bfloat16)  # exact in float8_e4m3fn
    y = 2.0 ** rng.integers(-3, 3, (128, 96))  # exact in float8_e5m2
    product, kept = nki.simulate(shared_scales, target="trn3", level=level)(x, y.astype(np.float16))
    halves = [a.astype(np.float64).reshape(128, -1, 4) for a in (x, y)]
    np.testing.assert_array_equal(product, np.einsum("kmj,knj->mn", *halves))
    used = {32 * q + offset + i for q in range(4) for offset in (0, 12) for i in range(4)}
    others = [p for p in range(128) if p not in used]
    assert (kept[others] == 99).all()
    assert (kept[0:4, 16:] == 99).all()
    groups = np.abs(x.astype(np.float64)).reshape(16, 8, 16, 4).max(axis=(1, 3))
    rows = [32 * (i // 4) + i % 4 for i in range(16)]
    zero = groups == 0
    want = np.where(zero, 0, 127 + np.floor(np.log2(np.where(zero, 1, groups))) - 7)
    np.testing.assert_array_equal(kept[rows, :16], want)


@nki.jit
def given(s_data, s_scale, m_data, m_scale, s_dtype, m_dtype):
    """Products of data that are packed already: one alone, and a sum of two in bfloat16."""
    first = nl.ndarray((8, 16), dtype=nl.float32, buffer=nl.shared_hbm)
    twice = nl.ndarray((8, 16), dtype=nl.bfloat16, buffer=nl.shared_hbm)
    tiles = []
    for source, dtype in ((s_data, s_dtype), (m_data, m_dtype)):
        tile = nl.ndarray((64, source.view(dtype).shape[1]), dtype=dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=source.view(dtype))
        tiles.append(tile)
    for source in (s_scale, m_scale):
        tile = nl.ndarray((64, source.shape[1]), dtype=source.dtype, buffer=nl.sbuf)
        for quadrant in range(2):
            rows = nl.ds(4 * quadrant, 4)
            nisa.dma_copy(dst=tile[nl.ds(32 * quadrant, 4)], src=source[rows])
        tiles.append(tile)
    acc = nl.ndarray((8, 16), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul_mx(acc, *tiles, tile_position=(64, 0), tile_size=(64, 128))
    copied = nl.ndarray(acc.shape, dtype=acc.dtype, buffer=nl.sbuf)
    nisa.tensor_copy(copied, acc)
    nisa.dma_copy(dst=first, src=copied)
    total = nl.ndarray((8, 16), dtype=nl.bfloat16, buffer=nl.psum)
    for i in range(2):
        nisa.nc_matmul_mx(total, *tiles, accumulate=i > 0)
    halved = nl.ndarray(total.shape, dtype=total.dtype, buffer=nl.sbuf)
    nisa.tensor_copy(halved, total)
    nisa.dma_copy(dst=twice, src=halved)
    return first, twice


@pytest.mark.parametrize("level", RUNNERS)
@pytest.mark.parametrize("scale", [np.uint8, ml_dtypes.float8_e8m0fnu])
def test_quantized_operands_are_viewed_as_packed(level, scale, rng):
    """Bytes come from the host: float8 as uint32, float4 as two values in uint8."""
    s_data = rng.integers(0, 2**32, (64, 8), np.uint32) & np.uint32(0xBFBFBFBF)  # no NaN
    nibbles = rng.integers(0, 16, (64, 64)).astype(np.uint8)
    m_data = nibbles[:, 0::2] | nibbles[:, 1::2] << 4
    s_scale, m_scale = (rng.integers(118, 130, (8, n)).astype(np.uint8) for n in (8, 16))
    got, twice = nki.simulate(given, target="trn3", level=level)(
        s_data, s_scale.view(scale), m_data, m_scale.view(scale),
        nl.float8_e4m3fn_x4, nl.float4_e2m1fn_x4,
    )  # fmt: skip
    left = rescaled(unpacked(s_data, ml_dtypes.float8_e4m3fn), s_scale)
    values = nibbles.view(ml_dtypes.float4_e2m1fn).astype(np.float64).reshape(64, 16, 4)
    want = np.einsum("kmj,knj->mn", left, rescaled(values, m_scale))
    np.testing.assert_allclose(got, want, rtol=2.0**-23)  # rounded once
    assert twice.dtype == ml_dtypes.bfloat16
    one = want.astype(np.float32).astype(ml_dtypes.bfloat16).astype(np.float32)
    both = (one + want.astype(np.float32)).astype(ml_dtypes.bfloat16)
    np.testing.assert_array_equal(twice, both)  # PSUM holds bfloat16 between the two


@nki.jit
def overlapping(x, s):
    """Three products into columns that overlap by four; `accumulate` is left to the compiler."""
    out = nl.ndarray((4, 16), dtype=nl.float32, buffer=nl.shared_hbm)
    data = nl.ndarray((32, 8), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    scales = nl.ndarray((4, 8), dtype=s.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=data, src=x.view(nl.float8_e5m2_x4))
    nisa.dma_copy(dst=scales, src=s)
    acc = nl.ndarray((4, 16), dtype=nl.float32, buffer=nl.psum)
    for start in (0, 4, 8):
        nisa.nc_matmul_mx(
            acc[:, start : start + 8], data[:, 0:4], data, scales[:, 0:4], moving_scale=scales
        )
    copied = nl.ndarray(acc.shape, dtype=acc.dtype, buffer=nl.sbuf)
    nisa.tensor_copy(copied, acc)
    nisa.dma_copy(dst=out, src=copied)
    return out


@pytest.mark.parametrize("level", RUNNERS)
def test_products_that_overlap_add_where_they_do(level, rng):
    x = rng.integers(0, 2**32, (32, 8), np.uint32) & np.uint32(0xB3B3B3B3)  # below 2
    s = rng.integers(125, 129, (4, 8)).astype(np.uint8)
    values = rescaled(unpacked(x, ml_dtypes.float8_e5m2), s)
    one = np.einsum("kmj,knj->mn", values[:, :4], values).astype(np.float32)
    want = np.zeros((4, 16), np.float32)
    for start in (0, 4, 8):
        want[:, start : start + 8] += one
    got = nki.simulate(overlapping, target="trn3", level=level)(x, s)
    np.testing.assert_array_equal(got, want)


@nki.jit
def windows(x):
    """One packed tile, read as bytes, as words, and as single values; part of it set to 0."""
    kind = nl.float8_e4m3fn_x4
    data = nl.ndarray((32, 8), dtype=kind, buffer=nl.sbuf)
    nisa.dma_copy(dst=data, src=x.view(kind))
    moved = nl.ndarray((32, 8), dtype=kind, buffer=nl.sbuf)
    nisa.tensor_copy(dst=moved, src=data)
    nisa.memset(moved[:, 6:8], value=0)
    found = []
    for dtype, view in (
        (nl.uint8, moved.view(nl.uint8)), (nl.uint32, moved[0:32, 1:5].view(nl.uint32)),
        (nl.float8_e4m3fn, moved[:, 2:4].view(nl.float8_e4m3fn)),
        (nl.float4_e2m1fn_x4, moved.view(nl.float4_e2m1fn_x4)), (kind, moved),
    ):  # fmt: skip
        out = nl.ndarray(view.shape, dtype=dtype, buffer=nl.shared_hbm)
        nisa.dma_copy(dst=out, src=view)
        found.append(out)
    return tuple(found)


@pytest.mark.parametrize("level", RUNNERS)
def test_a_packed_tile_has_many_views(level, rng):
    x = rng.integers(0, 256, (32, 32)).astype(np.uint8)
    as_bytes, words, values, nibbles, packed = nki.simulate(windows, target="trn3", level=level)(x)
    x[:, 24:] = 0
    np.testing.assert_array_equal(as_bytes, x)
    np.testing.assert_array_equal(words, x.view(np.uint32)[:, 1:5])
    np.testing.assert_array_equal(values.view(np.uint8), x[:, 8:16])
    np.testing.assert_array_equal(nibbles.view(np.uint8), x)
    np.testing.assert_array_equal(packed.view(np.uint8), x)
    assert (words.dtype, nibbles.dtype, packed.dtype) == (np.uint32, np.uint16, np.uint32)


@nki.jit
def half_of_the_scales(x, s):
    """A product whose scales are loaded for the first of two quadrants only."""
    out = nl.ndarray((2, 2), dtype=nl.float32, buffer=nl.shared_hbm)
    data = nl.ndarray((64, 2), dtype=nl.float8_e5m2_x4, buffer=nl.sbuf)
    nisa.dma_copy(dst=data, src=x.view(nl.float8_e5m2_x4))
    scales = nl.ndarray((64, 2), dtype=s.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=scales[0:4], src=s)
    acc = nl.ndarray((2, 2), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul_mx(acc, data, data, scales, scales)
    copied = nl.ndarray(acc.shape, dtype=acc.dtype, buffer=nl.sbuf)
    nisa.tensor_copy(copied, acc)
    nisa.dma_copy(dst=out, src=copied)
    return out


@pytest.mark.parametrize("level", RUNNERS)
def test_scales_that_nothing_wrote_are_warned_of_and_no_others(level):
    x, s = np.zeros((64, 2), np.uint32), np.full((4, 2), 127, np.uint8)
    with pytest.warns(NkiWarning) as caught:
        nki.simulate(half_of_the_scales, target="trn3", level=level)(x, s)
    found = str(caught[0].message)
    assert "NKI6001" in found
    assert "8 element(s) of `scales`" in found  # four rows of two
    assert "the first at (32, 0)" in found
