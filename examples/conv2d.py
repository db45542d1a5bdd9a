"""Convolution as a sum of matrix products over shifted views: no im2col, nothing is copied twice.

Input channels lie in partitions, which is where the PE array contracts. For each tap of the filter
the image, shifted by the tap, is the moving operand; a view with two free dimensions says so. All
taps and all groups of 128 input channels add up in one PSUM tile. The image stands in a frame of
zeros, so that shifted views never leave it.
"""

from __future__ import annotations

import sys

import ml_dtypes
import numpy as np

import nki
import nki.isa as nisa
import nki.language as nl

PMAX, BANK = 128, 512
# Results are below 4 * sqrt(in_channels * taps) = 160 or so. float32: 18 partial sums, each of them
# rounded; bfloat16: the result is rounded to 8 bits.
TOLERANCE = {np.dtype(np.float32): 18 * 160 * 2.0**-24, np.dtype(ml_dtypes.bfloat16): 160 * 2.0**-8}


@nki.jit
def conv2d(x, filters, padding):
    """Stride 1 convolution of an image with zeros around it.

    Args: x, (in_channels, height, width); filters, (taps_y, taps_x, in_channels, out_channels);
        padding, zeros on every side. Returns: (out_channels, out_height, out_width).
    """
    in_channels, height, width = x.shape
    taps_y, taps_x, _, out_channels = filters.shape
    high, wide = height + 2 * padding - taps_y + 1, width + 2 * padding - taps_x + 1
    assert wide <= BANK, f"an output row has {wide} elements, a PSUM bank {BANK}"
    out = nl.ndarray((out_channels, high, wide), dtype=x.dtype, buffer=nl.shared_hbm)
    groups = [slice(c, min(c + PMAX, in_channels)) for c in range(0, in_channels, PMAX)]
    images = [load_framed(x[group], padding) for group in groups]
    lines = min(BANK // wide, high)
    for m in range(0, out_channels, PMAX):
        outs = slice(m, min(m + PMAX, out_channels))
        weights = [load_taps(filters[:, :, group, outs]) for group in groups]
        for top in range(0, high, lines):
            rows = min(lines, high - top)
            acc = nl.ndarray((outs.stop - m, rows, wide), dtype=nl.float32, buffer=nl.psum)
            for image, weight in zip(images, weights, strict=True):
                for dy in range(taps_y):
                    for dx in range(taps_x):
                        shifted = image[:, top + dy : top + dy + rows, dx : dx + wide]
                        nisa.nc_matmul(dst=acc, stationary=weight[:, dy, dx], moving=shifted)
            tile = nl.ndarray(acc.shape, dtype=x.dtype, buffer=nl.sbuf)
            nisa.tensor_copy(dst=tile, src=acc)
            nisa.dma_copy(dst=out[outs, top : top + rows], src=tile)
    return out


def load_framed(image, padding):
    """Channels of the image in a frame of zeros."""
    channels, height, width = image.shape
    shape = (channels, height + 2 * padding, width + 2 * padding)
    tile = nl.ndarray(shape, dtype=image.dtype, buffer=nl.sbuf)
    if padding:
        nisa.memset(dst=tile, value=0.0)
    nisa.dma_copy(dst=tile[:, padding : padding + height, padding : padding + width], src=image)
    return tile


def load_taps(filters):
    """Filters with input channels in partitions: (in_channels, taps_y, taps_x, out_channels)."""
    turned = filters.permute((2, 0, 1, 3))
    tile = nl.ndarray(turned.shape, dtype=filters.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=turned)
    return tile


def run(in_channels=160, out_channels=144, size=30, taps=3, dtype=np.float32, **options):
    """Results of the kernel and of NumPy; `options` are those of nki.simulate."""
    rng = np.random.default_rng(0)
    padding = taps // 2
    x = rng.standard_normal((in_channels, size, size + 3)).astype(dtype)
    filters = rng.standard_normal((taps, taps, in_channels, out_channels)).astype(dtype)
    framed = np.pad(x.astype(np.float64), ((0, 0), (padding, padding), (padding, padding)))
    views = np.lib.stride_tricks.sliding_window_view(framed, (taps, taps), axis=(1, 2))
    want = np.einsum("cyxij,ijco->oyx", views, filters.astype(np.float64), optimize=True)
    return nki.simulate(conv2d, **options)(x, filters, padding), want


def main() -> int:
    """Check both dtypes; 0 if they are right."""
    failed = 0
    for dtype, tolerance in TOLERANCE.items():
        got, want = run(dtype=dtype)
        error = float(np.abs(got.astype(np.float64) - want).max())
        good = error <= tolerance
        verdict = "pass" if good else "FAIL"
        print(f"conv2d {dtype}: error {error:.1e} <= {tolerance:.1e} {verdict}")
        failed += not good
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main())
