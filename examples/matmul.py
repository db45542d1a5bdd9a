"""Matrix multiplication in four steps, each loading less than the one before.

The PE array computes ``stationary.T @ moving`` and contracts along partitions, so the left matrix
is given transposed: (K, M). Products are summed over K in PSUM. What changes is how often a piece
of an operand comes from HBM:

====================  ==================  ==================
kernel                loads of ``lhs_t``  loads of ``rhs``
====================  ==================  ==================
`matmul_tiles`        N / 512 times       M / 128 times
`matmul_hoisted`      once                M / 128 times
`matmul_blocked_mn`   N / 1024 times      M / 512 times
`matmul_blocked_mnk`  N / 1024 times      M / 512 times
====================  ==================  ==================

The last one also cuts K, so that what it keeps in SBUF does not grow with K.
"""

from __future__ import annotations

import sys

import ml_dtypes
import numpy as np

import nki
import nki.isa as nisa
import nki.language as nl

TILE_M, TILE_K, TILE_N = 128, 128, 512
BLOCK_M, BLOCK_K, BLOCK_N = 512, 1024, 1024


def result_for(lhs_t, rhs):
    """The (M, N) result, and M, N and K; sizes must be whole tiles."""
    (k, m), (k_of_rhs, n) = lhs_t.shape, rhs.shape
    assert k == k_of_rhs, f"lhs_t has {k} rows and rhs has {k_of_rhs}"
    for name, size, tile in (("M", m, TILE_M), ("K", k, TILE_K), ("N", n, TILE_N)):
        assert size % tile == 0, f"{name} is {size}, which is not a multiple of {tile}"
    return nl.ndarray((m, n), dtype=lhs_t.dtype, buffer=nl.shared_hbm), m, n, k


def load(source, start_k, size_k, start, size):
    """Rows and columns of a (K, columns) matrix as a tile (128, size_k / 128, size).

    Row ``128 * i + p`` of the piece lies in partition p at index i: one DMA for all K tiles.
    """
    tile = nl.ndarray((TILE_K, size_k // TILE_K, size), dtype=source.dtype, buffer=nl.sbuf)
    piece = source[start_k : start_k + size_k, start : start + size]
    nisa.dma_copy(dst=tile, src=piece.reshape_dim(0, (-1, TILE_K)).permute((1, 0, 2)))
    return tile


def multiply(lhs, rhs):
    """A (128, 512) tile in PSUM: the sum over the K tiles of both operands."""
    acc = nl.ndarray((TILE_M, TILE_N), dtype=nl.float32, buffer=nl.psum)
    for i in range(lhs.shape[1]):
        nisa.nc_matmul(dst=acc, stationary=lhs[:, i], moving=rhs[:, i])
    return acc


def store(out, acc, m, n):
    """Move a finished tile to rows m and columns n of the result."""
    tile = nl.ndarray(acc.shape, dtype=out.dtype, buffer=nl.sbuf)
    nisa.tensor_copy(dst=tile, src=acc)
    nisa.dma_copy(dst=out[m : m + TILE_M, n : n + TILE_N], src=tile)


@nki.jit
def matmul_tiles(lhs_t, rhs):
    """``lhs_t.T @ rhs``, loading two tiles for every product."""
    out, m_size, n_size, k_size = result_for(lhs_t, rhs)
    for m in range(0, m_size, TILE_M):
        for n in range(0, n_size, TILE_N):
            acc = nl.ndarray((TILE_M, TILE_N), dtype=nl.float32, buffer=nl.psum)
            for k in range(0, k_size, TILE_K):
                x = nl.ndarray((TILE_K, TILE_M), dtype=lhs_t.dtype, buffer=nl.sbuf)
                y = nl.ndarray((TILE_K, TILE_N), dtype=rhs.dtype, buffer=nl.sbuf)
                nisa.dma_copy(dst=x, src=lhs_t[k : k + TILE_K, m : m + TILE_M])
                nisa.dma_copy(dst=y, src=rhs[k : k + TILE_K, n : n + TILE_N])
                nisa.nc_matmul(dst=acc, stationary=x, moving=y)
            store(out, acc, m, n)
    return out


@nki.jit
def matmul_hoisted(lhs_t, rhs):
    """``lhs_t.T @ rhs``: loads that do not depend on the inner loops move out of them."""
    out, m_size, n_size, k_size = result_for(lhs_t, rhs)
    for m in range(0, m_size, TILE_M):
        x = load(lhs_t, 0, k_size, m, TILE_M)
        for n in range(0, n_size, TILE_N):
            y = load(rhs, 0, k_size, n, TILE_N)
            store(out, multiply(x, y), m, n)
    return out


@nki.jit
def matmul_blocked_mn(lhs_t, rhs):
    """``lhs_t.T @ rhs``: every loaded tile serves a whole block of results."""
    out, m_size, n_size, k_size = result_for(lhs_t, rhs)
    for n in range(0, n_size, BLOCK_N):
        block_n = min(BLOCK_N, n_size - n)
        y = load(rhs, 0, k_size, n, block_n)
        for m in range(0, m_size, BLOCK_M):
            block_m = min(BLOCK_M, m_size - m)
            x = load(lhs_t, 0, k_size, m, block_m)
            for i in range(0, block_m, TILE_M):
                for j in range(0, block_n, TILE_N):
                    acc = multiply(x[:, :, i : i + TILE_M], y[:, :, j : j + TILE_N])
                    store(out, acc, m + i, n + j)
    return out


@nki.jit
def matmul_blocked_mnk(lhs_t, rhs):
    """``lhs_t.T @ rhs``: blocks of K as well, with their sums added up in SBUF."""
    out, m_size, n_size, k_size = result_for(lhs_t, rhs)
    for n in range(0, n_size, BLOCK_N):
        block_n = min(BLOCK_N, n_size - n)
        for m in range(0, m_size, BLOCK_M):
            block_m = min(BLOCK_M, m_size - m)
            total = nl.ndarray((TILE_M, block_m // TILE_M, block_n), nl.float32, nl.sbuf)
            for k in range(0, k_size, BLOCK_K):
                block_k = min(BLOCK_K, k_size - k)
                x, y = load(lhs_t, k, block_k, m, block_m), load(rhs, k, block_k, n, block_n)
                add_block(total, x, y, first=k == 0)
            store_block(out, total, m, n)
    return out


def add_block(total, x, y, first):
    """``total (+)= x.T @ y``, tile by tile."""
    for i in range(total.shape[1]):
        for j in range(0, total.shape[2], TILE_N):
            acc = multiply(x[:, :, i * TILE_M : (i + 1) * TILE_M], y[:, :, j : j + TILE_N])
            tile = total[:, i, j : j + TILE_N]
            if first:
                nisa.tensor_copy(dst=tile, src=acc)
            else:
                nisa.tensor_tensor(dst=tile, data1=tile, data2=acc, op=nl.add)


def store_block(out, total, m, n):
    """Move a block of results, (128, rows / 128, columns), to rows m and columns n."""
    p, tiles, columns = total.shape
    if out.dtype != total.dtype:
        narrow = nl.ndarray(total.shape, dtype=out.dtype, buffer=nl.sbuf)
        nisa.tensor_copy(dst=narrow, src=total)
        total = narrow
    rows = out[m : m + p * tiles, n : n + columns].reshape_dim(0, (tiles, p))
    nisa.dma_copy(dst=rows.permute((1, 0, 2)), src=total)


KERNELS = (matmul_tiles, matmul_hoisted, matmul_blocked_mn, matmul_blocked_mnk)


def tolerance(k, dtype):
    """Largest error for operands within -1 and 1 that are summed over k.

    Sums are below 2 * sqrt(k), six standard deviations. They are rounded by half a unit: to `dtype`
    at the end, and to float32 after each K tile.
    """
    steps = k // TILE_K * float(np.finfo(np.float32).eps)
    return np.sqrt(k) * (float(ml_dtypes.finfo(dtype).eps) + steps)


def run(kernel=matmul_blocked_mnk, m=512, k=2048, n=1024, dtype=np.float32, **options):
    """Results of a kernel and of NumPy; `options` are those of nki.simulate."""
    rng = np.random.default_rng(0)
    lhs_t = rng.uniform(-1, 1, (k, m)).astype(dtype)
    rhs = rng.uniform(-1, 1, (k, n)).astype(dtype)
    want = lhs_t.T.astype(np.float64) @ rhs.astype(np.float64)
    return nki.simulate(kernel, **options)(lhs_t, rhs), want


def main() -> int:
    """Check every step; 0 if all are right."""
    failed = 0
    for kernel in KERNELS:
        for dtype in (np.float32, ml_dtypes.bfloat16):
            got, want = run(kernel, dtype=dtype)
            error, limit = float(np.abs(got.astype(float) - want).max()), tolerance(2048, dtype)
            good = error <= limit
            verdict = "pass" if good else "FAIL"
            print(
                f"{kernel.__name__} {np.dtype(dtype)}: error {error:.1e} <= {limit:.1e} {verdict}"
            )
            failed += not good
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main())
