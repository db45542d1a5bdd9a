"""Average pooling with an access pattern: windows are seen, not copied.

Channels lie in partitions. An access pattern of four nested counters walks output rows, output
columns, and the window of each of them; windows may overlap, which no reshape can express. One
reduction over the two inner counters sums every window of a tile.
"""

from __future__ import annotations

import sys

import numpy as np

import nki
import nki.isa as nisa
import nki.language as nl

# A window's sum is rounded once per addition, here at most 8 times for values below about 4.
TOLERANCE = 8 * 4 * float(np.finfo(np.float32).eps)


@nki.jit
def average_pool(x, window, stride):
    """Means over window x window pieces of (channels, height, width), `stride` apart."""
    channels, height, width = x.shape
    high, wide = (height - window) // stride + 1, (width - window) // stride + 1
    out = nl.ndarray((channels, high, wide), dtype=x.dtype, buffer=nl.shared_hbm)
    for c in range(0, channels, nl.tile_size.pmax):
        p = min(nl.tile_size.pmax, channels - c)
        image = nl.ndarray((p, height, width), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=image, src=x[c : c + p])
        windows = image.ap(
            [[height * width, p], [stride * width, high], [stride, wide],
             [width, window], [1, window]]
        )  # fmt: skip
        sums = nl.ndarray((p, high, wide), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_reduce(dst=sums, op=nl.add, data=windows, axis=(3, 4))
        means = nl.ndarray((p, high, wide), dtype=x.dtype, buffer=nl.sbuf)
        nisa.tensor_scalar(dst=means, data=sums, op0=nl.multiply, operand0=1 / window**2)
        nisa.dma_copy(dst=out[c : c + p], src=means)
    return out


def run(channels=200, height=27, width=29, window=3, stride=2, **options):
    """Results of the kernel and of NumPy; `options` are those of nki.simulate."""
    x = np.random.default_rng(0).standard_normal((channels, height, width), np.float32)
    views = np.lib.stride_tricks.sliding_window_view(x, (window, window), axis=(1, 2))
    want = views[:, ::stride, ::stride].mean(axis=(3, 4), dtype=np.float64)
    return nki.simulate(average_pool, **options)(x, window, stride), want


def main() -> int:
    """Check windows that touch and windows that overlap; 0 if they are right."""
    failed = 0
    for window, stride in ((2, 2), (3, 2)):
        got, want = run(window=window, stride=stride)
        error = float(np.abs(got - want).max())
        good = error <= TOLERANCE
        verdict = "pass" if good else "FAIL"
        print(f"average_pool {window}/{stride}: error {error:.1e} <= {TOLERANCE:.1e} {verdict}")
        failed += not good
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main())
