"""Every published dtype: what stores it, moves it, and transposes it keeps its bits."""

from __future__ import annotations

import numpy as np
import pytest

import nki
import nki.isa as nisa
import nki.language as nl
from opennki.testing.programs import RUNNERS

DTYPES = (
    nl.uint8, nl.int8, nl.uint16, nl.int16, nl.uint32, nl.int32, nl.float8_e4m3, nl.float8_e5m2,
    nl.float8_e4m3fn, nl.float8_e8m0fnu, nl.float16, nl.bfloat16, nl.tfloat32, nl.float32,
    nl.float8_e5m2_x4, nl.float8_e4m3fn_x4, nl.float4_e2m1fn_x4, nl.bool_,
)  # fmt: skip
"""Source: NKI language reference, "Supported Data Types"."""

SIZES = (1, 1, 2, 2, 4, 4, 1, 1, 1, 1, 2, 2, 4, 4, 4, 4, 2, 1)
PACKED = (nl.float8_e5m2_x4, nl.float8_e4m3fn_x4, nl.float4_e2m1fn_x4)


@nki.jit
def moved(x, dtype):
    """`x`, read as `dtype`, over every memory and engine that moves bits."""
    source = x.view(dtype)
    shape = source.shape
    tile = nl.ndarray(shape, dtype=dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=source)
    psum = nl.ndarray(shape, dtype=dtype, buffer=nl.psum)
    nisa.tensor_copy(dst=psum, src=tile, engine=nisa.vector_engine)
    back = nl.ndarray(shape, dtype=dtype, buffer=nl.sbuf)
    nisa.tensor_copy(dst=back, src=psum, engine=nisa.scalar_engine)
    again = nl.ndarray(shape, dtype=dtype, buffer=nl.sbuf)
    nisa.tensor_copy(dst=again, src=back, engine=nisa.gpsimd_engine)
    shuffled = nl.ndarray(shape, dtype=dtype, buffer=nl.sbuf)
    nisa.nc_stream_shuffle(dst=shuffled, src=again, shuffle_mask=list(range(32)))
    out = nl.ndarray(shape, dtype=dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=shuffled)
    return out


@nki.jit
def turned(x, dtype):
    """`x`, read as `dtype`, transposed by three engines; and zeros."""
    source = x.view(dtype)
    rows, columns = source.shape
    tile = nl.ndarray((rows, columns), dtype=dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=source)
    found = []
    by_vector = nl.ndarray((columns, rows), dtype=dtype, buffer=nl.sbuf)
    nisa.nc_transpose(dst=by_vector, data=tile, engine=nisa.vector_engine)
    by_tensor = nl.ndarray((columns, rows), dtype=dtype, buffer=nl.psum)
    nisa.nc_transpose(dst=by_tensor, data=tile, engine=nisa.tensor_engine)
    copied = nl.ndarray((columns, rows), dtype=dtype, buffer=nl.sbuf)
    nisa.tensor_copy(dst=copied, src=by_tensor)
    by_dma = nl.ndarray((columns, rows), dtype=dtype, buffer=nl.sbuf)
    nisa.dma_transpose(dst=by_dma, src=tile)
    zeros = nl.ndarray((columns, rows), dtype=dtype, buffer=nl.sbuf)
    nisa.memset(zeros, value=0)
    for each in (by_vector, copied, by_dma, zeros):
        out = nl.ndarray(each.shape, dtype=dtype, buffer=nl.shared_hbm)
        nisa.dma_copy(dst=out, src=each)
        found.append(out)
    return tuple(found)


@pytest.mark.parametrize("level", RUNNERS)
@pytest.mark.parametrize(("dtype", "size"), [*zip(DTYPES, SIZES, strict=True)])
@pytest.mark.parametrize("target", ["trn2", "trn3"])
def test_bits_survive_every_copy_and_transpose(target, dtype, size, level, rng):
    x = rng.integers(0, 256, (32, 16 * size)).astype(np.uint8)
    if dtype == nl.bool_:
        x &= 1
    out = nki.simulate(moved, target=target, level=level)(x, dtype)
    assert out.itemsize == size
    np.testing.assert_array_equal(out.view(np.uint8), x)
    *transposes, zeros = nki.simulate(turned, target=target, level=level)(x, dtype)
    want = x.view(f"V{size}").T
    for each in transposes:
        assert each.tobytes() == want.tobytes()
    assert not zeros.view(np.uint8).any()


@nki.jit
def computed(x, dtype):
    """x + 1 on the vector engine, x * 2 on the scalar engine, both stored as `dtype`."""
    out = nl.ndarray((2, *x.shape), dtype=nl.float32, buffer=nl.shared_hbm)
    wide = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=wide, src=x)
    tile = nl.ndarray(x.shape, dtype=dtype, buffer=nl.sbuf)
    nisa.tensor_copy(dst=tile, src=wide)
    made = nl.ndarray(x.shape, dtype=dtype, buffer=nl.sbuf)
    nisa.tensor_scalar(dst=made, data=tile, op0=nl.add, operand0=1.0)
    nisa.tensor_copy(dst=wide, src=made)
    nisa.dma_copy(dst=out[0], src=wide)
    nisa.activation(dst=made, op=nl.copy, data=tile, scale=2.0)
    nisa.tensor_copy(dst=wide, src=made)
    nisa.dma_copy(dst=out[1], src=wide)
    return out


@pytest.mark.parametrize("dtype", [d for d in DTYPES if d not in (*PACKED, nl.bool_)])
def test_every_dtype_with_one_value_per_element_takes_part_in_arithmetic(dtype):
    """1 to 7 and their results are exact in all of them; float8_e8m0fnu counts as a byte."""
    x = np.tile(np.arange(1, 8, dtype=np.float32), (32, 1))
    plus, twice = nki.simulate(computed, target="trn3")(x, dtype)
    np.testing.assert_array_equal(plus, x + 1)
    np.testing.assert_array_equal(twice, 2 * x)


def test_tfloat32_has_eleven_bits_after_the_point():
    x = np.array([[1 + 2.0**-11, 1 + 2.0**-12, 1 + 3 * 2.0**-12]] * 32, np.float32)
    plus, twice = nki.simulate(computed, target="trn2")(x, nl.tfloat32)
    want = np.float32([1 + 2.0**-11, 1, 1 + 2.0**-10])  # ties to even
    np.testing.assert_array_equal(twice[0], 2 * want)
    np.testing.assert_array_equal(plus[0], [2, 2, 2 + 2.0**-10])
