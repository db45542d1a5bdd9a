"""The graph op of attention, forward."""

from __future__ import annotations

import numpy as np

from opennki.base.codes import NKI2804
from opennki.base.diag import Problems, problem
from opennki.ir import HBM, View, attr, inp, instruction, out
from opennki.ir.scalar import Array
from opennki.target import Target

from .op import CALL, ENGINES, FLOATS, GraphOp, Shape


@instruction(emit="attention", bir=CALL, engines=ENGINES, owner=False)
class AttentionOp(GraphOp):
    """``dst = softmax(query @ key.T * scale) @ value`` on the last two dimensions.

    `query` is (..., queries, d), `key` (..., keys, d), `value` (..., keys, e), `dst` (..., queries,
    e); the dimensions before them, batches and heads, are the same in all. `scale` is ``1 /
    sqrt(d)`` unless it is given. With `causal` query i sees the keys 0 to i only, and there are as
    many keys as queries.

    Source: Penguin, "ISA instruction classes" (TiledNativeKernel, variant Attention). Model: its
    operands and attributes.
    """

    dst: View = out(HBM, "...", FLOATS)
    query: View = inp(HBM, "...", FLOATS)
    key: View = inp(HBM, "...", FLOATS)
    value: View = inp(HBM, "...", FLOATS)
    causal: bool = attr(bool, False)
    scale: float | None = attr(float, None, optional=True)

    @classmethod
    def result_shapes(cls, *operands: Shape) -> tuple[Shape, ...]:
        """That of `query`, with the last size of `value`."""
        query, _, value = operands
        return ((*query[:-1], *value[-1:]),)

    @property
    def factor(self) -> float:
        """What products of queries and keys are multiplied by."""
        return self.query.shape[-1] ** -0.5 if self.scale is None else self.scale

    def check(self, t: Target) -> Problems:
        """The shapes fit as the class says; `scale` is finite."""
        found = [p for name in ("query", "key", "value") for p in self.has_rank(name, 2)]
        yield from found
        if found:
            return
        query, key = tuple(self.query.shape), tuple(self.key.shape)
        keys = query[-2] if self.causal else key[-2]
        why = "`query`" if not self.causal else "`query`, of which each sees the keys up to it,"
        yield from self.has_shape("key", (*query[:-2], keys, query[-1]), why)
        yield from self.has_shape("value", (*key[:-1], self.value.shape[-1]), "`key`")
        want = (*query[:-1], self.value.shape[-1])
        yield from self.has_shape("dst", want, "`query` with `value`")
        yield from self.has_one_dtype()
        if self.scale is not None and not np.isfinite(self.scale):
            got, allowed = self.scale, "a finite number"
            yield problem(NKI2804, name="scale", op="attention", got=got, allowed=allowed)

    def sem(self, query: Array, key: Array, value: Array) -> Array:
        """The formula of the class, with the whole matrix of scores."""
        scores = query @ np.swapaxes(key, -1, -2) * np.float32(self.factor)
        if self.causal:
            seen = np.tri(scores.shape[-2], scores.shape[-1], dtype=np.bool_)
            scores = np.where(seen, scores, np.float32(-np.inf))
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        made: Array = weights / weights.sum(axis=-1, keepdims=True) @ value
        return made
