"""Flash attention, forward: ``softmax(q @ k.T / sqrt(d)) @ v`` with no seq x seq matrix in memory.

Queries are taken 128 at a time (rows of the PE array), keys 512 at a time (a PSUM bank of scores).
Per row three things are carried from block to block: the largest score so far, the sum of
exponentials, and the weighted sum of values. When a larger score turns up, the others are scaled
down by ``exp(old - new)``, which is the whole trick.

Run it with ``--seq``, ``--dim``, ``--dtype`` and ``--causal``; it checks itself against NumPy and
says how many instructions each engine has.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter

import ml_dtypes
import numpy as np

import nki
import nki.isa as nisa
import nki.language as nl
import opennki

ROWS = 128
KEYS = 512
# What a masked score becomes. Finite, so that no infinity meets another one on the way.
MASKED = -3.0e38
# Results are averages of values of about 1. float32: rounding of scores and sums; bfloat16: inputs
# are exact, the scaled queries and the probabilities are rounded to 8 bits before a product.
TOLERANCE = {"float32": 5e-6, "bfloat16": 3e-2}
DTYPES = {"float32": np.dtype(np.float32), "bfloat16": np.dtype(ml_dtypes.bfloat16)}


@nki.jit
def flash_attention(q, k, v, causal=False):
    """Attention of one head.

    Args: q, k and v, (seq, d) of one dtype, seq a multiple of 128 and d at most 128; causal, query
        i sees keys 0 to i only. Returns: (seq, d).
    """
    seq, d = q.shape
    assert seq % ROWS == 0, f"seq is {seq}, which is not a multiple of {ROWS}"
    assert d <= nl.tile_size.pmax, f"d is {d}; the PE array contracts at most 128"
    out = nl.ndarray(q.shape, dtype=q.dtype, buffer=nl.shared_hbm)
    q_t = load_transposed(q, scale=d**-0.5)
    k_t = load_transposed(k, scale=1.0)
    values = load_tiles(v)
    for row in range(0, seq, ROWS):
        state = None
        end = row + ROWS if causal else seq
        for key in range(0, end, KEYS):
            width = min(KEYS, end - key)
            scores = nl.ndarray((ROWS, width), dtype=nl.float32, buffer=nl.psum)
            nisa.nc_matmul(
                dst=scores, stationary=q_t[:, row : row + ROWS], moving=k_t[:, key : key + width]
            )
            if causal and key + width == end:
                scores = mask_diagonal(scores)
            state = attend(state, scores, values[:, key // ROWS : (key + width) // ROWS])
        store(out[row : row + ROWS], state)
    return out


def load_tiles(x):
    """A (seq, d) matrix in SBUF as (128, seq / 128, d): row ``128 * i + p`` in partition p."""
    seq, d = x.shape
    tiles = nl.ndarray((ROWS, seq // ROWS, d), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tiles, src=x.reshape((seq // ROWS, ROWS, d)).permute((1, 0, 2)))
    return tiles


def load_transposed(x, scale):
    """``x.T * scale`` in SBUF, (d, seq): blocks of 128 rows are turned by the PE array."""
    seq, d = x.shape
    tiles = load_tiles(x)
    turned = nl.ndarray((d, seq), dtype=x.dtype, buffer=nl.sbuf)
    for start in range(0, seq, KEYS):
        width = min(KEYS, seq - start)
        block = nl.ndarray((d, width), dtype=x.dtype, buffer=nl.psum)
        for i in range(0, width, ROWS):
            tile = tiles[:, (start + i) // ROWS]
            nisa.nc_transpose(dst=block[:, i : i + ROWS], data=tile, engine=nisa.engine.tensor)
        nisa.activation(dst=turned[:, start : start + width], op=nl.copy, data=block, scale=scale)
    return turned


def mask_diagonal(scores):
    """The scores in SBUF; in the last 128 columns only those with column <= row survive."""
    masked = nl.ndarray(scores.shape, dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=masked, src=scores)
    square = masked[:, scores.shape[1] - ROWS :]
    nisa.affine_select(
        dst=square, pattern=[[-1, ROWS]], channel_multiplier=1, on_true_tile=square,
        on_false_value=MASKED, cmp_op=nl.greater_equal,
    )  # fmt: skip
    return masked


def attend(state, scores, values):
    """Take one block of keys into account.

    Args: state, tiles (-largest score, sum, weighted values) so far, None at first; scores, (128,
        keys); values, (128, keys / 128, d). Returns: the new state.
    """
    low = nl.ndarray((ROWS, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_reduce(dst=low, op=nl.maximum, data=scores, axis=1, negate=True)
    if state is not None:
        nisa.tensor_tensor(dst=low, data1=low, data2=state[0], op=nl.minimum)
    weights = nl.ndarray(scores.shape, dtype=values.dtype, buffer=nl.sbuf)
    total = nl.ndarray((ROWS, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.activation_reduce(
        dst=weights, op=nl.exp, data=scores, bias=low, reduce_op=nl.add, reduce_res=total
    )
    product = weighted_values(weights, values)
    result = nl.ndarray(product.shape, dtype=nl.float32, buffer=nl.sbuf)
    if state is None:
        nisa.tensor_copy(dst=result, src=product)
        return low, total, result
    old_low, old_total, old_result = state
    shrink = nl.ndarray((ROWS, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.activation(dst=shrink, op=nl.exp, data=old_low, scale=-1.0, bias=low)
    for new, old, added in ((total, old_total, total), (result, old_result, product)):
        nisa.scalar_tensor_tensor(
            dst=new, data=old, op0=nl.multiply, operand0=shrink, op1=nl.add, operand1=added
        )
    return low, total, result


def weighted_values(weights, values):
    """``weights @ values`` in PSUM, (128, d); the weights are turned for it, 128 keys at a time."""
    turned_psum = nl.ndarray(weights.shape, dtype=weights.dtype, buffer=nl.psum)
    for i in range(0, weights.shape[1], ROWS):
        piece = slice(i, i + ROWS)
        nisa.nc_transpose(
            dst=turned_psum[:, piece], data=weights[:, piece], engine=nisa.engine.tensor
        )
    turned = nl.ndarray(weights.shape, dtype=weights.dtype, buffer=nl.sbuf)
    nisa.tensor_copy(dst=turned, src=turned_psum)
    product = nl.ndarray((ROWS, values.shape[2]), dtype=nl.float32, buffer=nl.psum)
    for i in range(values.shape[1]):
        piece = turned[:, i * ROWS : (i + 1) * ROWS]
        nisa.nc_matmul(dst=product, stationary=piece, moving=values[:, i])
    return product


def store(out, state):
    """Divide the weighted values by the sum of the weights and write them."""
    _, total, result = state
    inverse = nl.ndarray(total.shape, dtype=nl.float32, buffer=nl.sbuf)
    nisa.reciprocal(dst=inverse, data=total)
    final = nl.ndarray(result.shape, dtype=out.dtype, buffer=nl.sbuf)
    nisa.tensor_scalar(dst=final, data=result, op0=nl.multiply, operand0=inverse)
    nisa.dma_copy(dst=out, src=final)


def reference(q, k, v, causal):
    """The same in float64, with the whole matrix of scores."""
    q, k, v = (x.astype(np.float64) for x in (q, k, v))
    scores = q @ k.T / np.sqrt(q.shape[1])
    if causal:
        scores = np.where(np.tri(len(q), dtype=bool), scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True) @ v


def arguments(seq, dim, dtype):
    """Random queries, keys and values."""
    rng = np.random.default_rng(0)
    return [rng.standard_normal((seq, dim)).astype(DTYPES[dtype]) for _ in range(3)]


def run(seq=512, dim=128, causal=False, dtype="float32", **options):
    """Results of the kernel and of NumPy; `options` are those of nki.simulate."""
    q, k, v = arguments(seq, dim, dtype)
    got = nki.simulate(flash_attention, **options)(q, k, v, causal)
    return got, reference(q, k, v, causal)


def report(compiled, seconds):
    """Print what each engine has to do."""
    counts = compiled.program.counts()
    print(
        f"  {counts['dmas']} DMAs, {counts['waits']} semaphore waits; simulated in {seconds:.1f} s"
    )
    for core in compiled.program.cores:
        for engine, queue in core.queues.items():
            kinds = Counter(command.inst.opcode for command in queue.commands)
            shown = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
            print(f"  {engine.name:5} {len(queue.commands):6} instructions: {shown}")


def main(argv=None) -> int:
    """Run one size and check it; 0 if it is right."""
    parser = argparse.ArgumentParser(description="Flash attention of one head on the simulator.")
    parser.add_argument("--seq", type=int, default=512, help="keys and queries, multiple of 128")
    parser.add_argument("--dim", type=int, default=128, help="size of a head, at most 128")
    parser.add_argument("--dtype", choices=sorted(DTYPES), default="float32")
    parser.add_argument("--causal", action="store_true", help="hide later keys from a query")
    options = parser.parse_args(argv)
    q, k, v = arguments(options.seq, options.dim, options.dtype)
    start = time.perf_counter()
    compiled = opennki.compile(flash_attention, q, k, v, causal=options.causal)
    got = compiled.run(q, k, v)
    seconds = time.perf_counter() - start
    want = reference(q, k, v, options.causal)
    error, limit = float(np.abs(got.astype(float) - want).max()), TOLERANCE[options.dtype]
    good = bool(error <= limit)
    kind = "causal " if options.causal else ""
    print(f"{kind}attention, seq {options.seq}, head {options.dim}, {options.dtype}:")
    print(f"  max error {error:.1e} <= {limit:.0e} {'pass' if good else 'FAIL'}")
    report(compiled, seconds)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
