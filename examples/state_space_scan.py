"""Selective scan of a state space model (the core of Mamba), with one hardware scan per state.

For each channel c and state n the recurrence is
``h[t] = exp(delta[c, t] * a[c, n]) * h[t - 1] + delta[c, t] * u[c, t] * b[n, t]``, and the result
is ``y[c, t] = sum over n of h[t] * g[n, t]``. Channels lie in partitions, time in the free
dimension. `tensor_tensor_scan` runs the recurrence over a chunk of time; the last column of a chunk
is the initial state of the next.
"""

from __future__ import annotations

import sys

import numpy as np

import nki
import nki.isa as nisa
import nki.language as nl

CHUNK = 512
# Decays are below 1, so rounding errors of a step do not grow; sums of `states` values of about 1.
TOLERANCE = 2e-5


@nki.jit
def state_space_scan(delta, u, a, b, g):
    """The scan.

    Args: delta and u, (channels, time); a, (channels, states); b and g, (states, time).
    Returns: (channels, time).
    """
    channels, time = u.shape
    pmax = nl.tile_size.pmax
    out = nl.ndarray((channels, time), dtype=u.dtype, buffer=nl.shared_hbm)
    for c in range(0, channels, pmax):
        p = min(pmax, channels - c)
        rates = nl.ndarray((p, a.shape[1]), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=rates, src=a[c : c + p])
        carried = nl.ndarray(rates.shape, dtype=nl.float32, buffer=nl.sbuf)
        nisa.memset(dst=carried, value=0.0)
        for t in range(0, time, CHUNK):
            end = min(t + CHUNK, time)
            total = scan_chunk(
                load(delta[c : c + p, t:end]), load(u[c : c + p, t:end]), rates,
                load_for_all(b[:, t:end], p), load_for_all(g[:, t:end], p), carried,
            )  # fmt: skip
            nisa.dma_copy(dst=out[c : c + p, t:end], src=total)
    return out


def scan_chunk(delta, u, rates, b, g, carried):
    """Results (P, T) of one chunk; updates `carried`, the states (P, N) at its end."""
    p, states = rates.shape
    size = u.shape[1]
    weighted = nl.ndarray((p, size), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_tensor(dst=weighted, data1=delta, data2=u, op=nl.multiply)
    total = nl.ndarray((p, size), dtype=nl.float32, buffer=nl.sbuf)
    for n in range(states):
        decay = nl.ndarray((p, size), dtype=nl.float32, buffer=nl.sbuf)
        nisa.activation(dst=decay, op=nl.exp, data=delta, scale=rates[:, n : n + 1])
        given = nl.ndarray((p, size), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_tensor(dst=given, data1=weighted, data2=b[:, n], op=nl.multiply)
        state = nl.ndarray((p, size), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_tensor_scan(
            dst=state, data0=decay, data1=given, initial=carried[:, n : n + 1],
            op0=nl.multiply, op1=nl.add,
        )  # fmt: skip
        nisa.tensor_copy(dst=carried[:, n : n + 1], src=state[:, size - 1 : size])
        seen = total if n == 0 else given
        nisa.tensor_tensor(dst=seen, data1=state, data2=g[:, n], op=nl.multiply)
        if n > 0:
            nisa.tensor_tensor(dst=total, data1=total, data2=seen, op=nl.add)
    return total


def load(source):
    """A piece of a matrix in SBUF."""
    tile = nl.ndarray(source.shape, dtype=source.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=source)
    return tile


def load_for_all(source, p):
    """A small (states, time) matrix, once in each of p partitions: (p, states, time)."""
    tile = nl.ndarray((p, *source.shape), dtype=source.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=source.expand_dim(0).broadcast(0, p))
    return tile


def reference(delta, u, a, b, g):
    """The same scan in float64, one step after the other."""
    delta, u, a, b, g = (array.astype(np.float64) for array in (delta, u, a, b, g))
    state, result = np.zeros(a.shape), np.empty(u.shape)
    for t in range(u.shape[1]):
        state = np.exp(delta[:, t, None] * a) * state + (delta * u)[:, t, None] * b[None, :, t]
        result[:, t] = state @ g[:, t]
    return result


def run(channels=200, states=8, time=1200, **options):
    """Results of the kernel and of NumPy; `options` are those of nki.simulate."""
    rng = np.random.default_rng(0)
    delta = rng.uniform(0.01, 0.5, (channels, time)).astype(np.float32)
    a = -rng.uniform(0.5, 2.0, (channels, states)).astype(np.float32)
    u, b, g = (
        rng.standard_normal(shape).astype(np.float32)
        for shape in ((channels, time), (states, time), (states, time))
    )
    got = nki.simulate(state_space_scan, **options)(delta, u, a, b, g)
    return got, reference(delta, u, a, b, g)


def main() -> int:
    """Check one size; 0 if it is right."""
    got, want = run()
    error = float(np.abs(got - want).max())
    good = error <= TOLERANCE
    print(f"state_space_scan: error {error:.1e} <= {TOLERANCE:.1e} {'pass' if good else 'FAIL'}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
