"""Attention, forward, without the matrix of scores in memory.

Queries are taken 128 at a time, keys 512 at a time. What is carried from one block of keys to the
next, for each query: minus the largest score so far, the sum of the exponentials, and the sum of
the values that they weight. When a larger score comes, both sums shrink by ``exp(old - new)``.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any, Final

from opennki.api import jit

from .tiles import (
    BANK,
    ROWS,
    View,
    load,
    load_transposed,
    nisa,
    nl,
    spans,
    store,
    tile,
    transposed,
)

MAX_QUERY: Final = 4096
"""Largest size of a query: a block of keys, turned, then takes 64 KiB of each partition."""

MAX_VALUE: Final = BANK
"""Largest size of a value: a row of results is summed in one PSUM bank."""

RESIDENT_BYTES: Final = 64 * 1024
"""Bytes per partition of keys and values that stay in SBUF; more are read for each block again."""

MASKED: Final = -3.0e38
"""What a score becomes that is not seen: finite, so that no infinity meets another."""


@dataclass
class Keys:
    """A block of keys and values in SBUF.

    Attributes: start, its first key; turned, the keys' transpose in tiles of 128 dimensions;
    values, in tiles of 128 keys.
    """

    start: int
    turned: list[View]
    values: list[View]

    @property
    def count(self) -> int:
        """How many keys there are."""
        return int(self.turned[0].shape[1])


@dataclass
class Sums:
    """What is known of a block of queries after some keys: see the top of the file."""

    low: View
    total: View
    values: View


@jit
def attention(
    query: Any, key: Any, value: Any, causal: bool = False, scale: float | None = None
) -> Any:
    """``softmax(query @ key.T * scale) @ value`` on the last two dimensions.

    Args: query, (..., queries, d); key, (..., keys, d); value, (..., keys, e), d at most 4096 and e
        at most 512; causal, query i sees keys 0 to i; scale, ``1 / sqrt(d)`` unless it is given.
    Returns: (..., queries, e).
    """
    assert query.shape[-1] <= MAX_QUERY, f"a query has {query.shape[-1]} > {MAX_QUERY} elements"
    assert value.shape[-1] <= MAX_VALUE, f"a value has {value.shape[-1]} > {MAX_VALUE} elements"
    factor = query.shape[-1] ** -0.5 if scale is None else scale
    out = nl.ndarray((*query.shape[:-1], value.shape[-1]), dtype=query.dtype, buffer=nl.shared_hbm)
    heads = [matrices(x) for x in (out, query, key, value)]
    for result, q, k, v in zip(*heads, strict=True):
        one_head(result, q, (k, v), factor, causal)
    return out


def matrices(x: View) -> list[View]:
    """The last two dimensions of `x`, one view for each index of those before."""
    stack = x.reshape((prod(x.shape[:-2]), *x.shape[-2:]))
    return [stack[index] for index in range(stack.shape[0])]


def one_head(out: View, query: View, cache: tuple[View, View], scale: float, causal: bool) -> None:
    """Attention of one head; `cache`, its keys and values in HBM."""
    blocks = list(spans(cache[0].shape[0], BANK))
    kept = [load_keys(cache, at, n) for at, n in blocks] if resident(cache) else []
    for row, height in spans(query.shape[0], ROWS):
        turned = load_transposed(query[row : row + height])
        sums = None
        for index, (start, width) in enumerate(blocks):
            if causal and start >= row + height:
                break
            keys = kept[index] if kept else load_keys(cache, start, width)
            scores = products(turned, keys, scale)
            if causal and start + width > row + 1:
                hide_later(scores, row - start)
            sums = attend(sums, scores, keys)
        assert sums is not None
        finish(out[row : row + height], sums)


def resident(cache: tuple[View, View]) -> bool:
    """Whether all keys and values of a head stay in SBUF."""
    key, value = cache
    columns = key.shape[0] * -(-key.shape[1] // ROWS)
    columns += -(-value.shape[0] // ROWS) * value.shape[1]
    return bool(columns * key.dtype.itemsize <= RESIDENT_BYTES)


def load_keys(cache: tuple[View, View], start: int, width: int) -> Keys:
    """The keys and values of a block."""
    key, value = (x[start : start + width] for x in cache)
    values = [load(value[at : at + count]) for at, count in spans(width, ROWS)]
    return Keys(start, load_transposed(key), values)


def products(query: list[View], keys: Keys, scale: float) -> View:
    """Scores of queries (turned, in tiles of 128 dimensions) and keys: (queries, keys), float32."""
    queries = query[0].shape[1]
    summed = tile(queries, keys.count, psum=True)
    for index, (one, other) in enumerate(zip(query, keys.turned, strict=True)):
        nisa.nc_matmul(dst=summed, stationary=one, moving=other, accumulate=index > 0)
    scores = tile(queries, keys.count)
    nisa.activation(dst=scores, op=nl.copy, data=summed, scale=scale)
    return scores


def hide_later(scores: View, ahead: int) -> None:
    """Mask keys that come after their query; the first query comes `ahead` keys after the first."""
    nisa.affine_select(
        dst=scores, pattern=[[-1, scores.shape[1]]], offset=ahead, channel_multiplier=1,
        on_true_tile=scores, on_false_value=MASKED, cmp_op=nl.greater_equal,
    )  # fmt: skip


def attend(before: Sums | None, scores: View, keys: Keys) -> Sums:
    """The sums after one more block of keys."""
    queries = scores.shape[0]
    low, total = tile(queries, 1), tile(queries, 1)
    nisa.tensor_reduce(dst=low, op=nl.maximum, data=scores, axis=1, negate=True)
    if before is not None:
        nisa.tensor_tensor(dst=low, data1=low, data2=before.low, op=nl.minimum)
    weights = tile(queries, keys.count, keys.values[0].dtype)
    nisa.activation_reduce(
        dst=weights, op=nl.exp, data=scores, bias=low, reduce_op=nl.add, reduce_res=total
    )
    added = weighted(weights, keys.values)
    values = tile(queries, added.shape[1])
    if before is None:
        nisa.tensor_copy(dst=values, src=added)
        return Sums(low, total, values)
    shrink = tile(queries, 1)
    nisa.activation(dst=shrink, op=nl.exp, data=before.low, scale=-1.0, bias=low)
    for new, old, more in ((total, before.total, total), (values, before.values, added)):
        nisa.scalar_tensor_tensor(
            dst=new, data=old, op0=nl.multiply, operand0=shrink, op1=nl.add, operand1=more
        )
    return Sums(low, total, values)


def weighted(weights: View, values: list[View]) -> View:
    """``weights @ values`` in PSUM; the weights are turned for it, 128 keys at a time."""
    queries, columns = weights.shape[0], values[0].shape[1]
    summed = tile(queries, columns, psum=True)
    for index, piece in enumerate(values):
        start, count = index * ROWS, piece.shape[0]
        turned = tile(count, queries, weights.dtype)
        transposed(weights[:, start : start + count], turned)
        nisa.nc_matmul(dst=summed, stationary=turned, moving=piece, accumulate=index > 0)
    return summed


def finish(out: View, sums: Sums) -> None:
    """Divide the weighted values by the sums of their weights, and write them."""
    inverse = tile(sums.total.shape[0], 1)
    nisa.reciprocal(dst=inverse, data=sums.total)
    result = tile(sums.values.shape[0], sums.values.shape[1], out.dtype)
    nisa.tensor_scalar(dst=result, data=sums.values, op0=nl.multiply, operand0=inverse)
    store(out, result)
