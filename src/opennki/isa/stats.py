"""Mean and variance on the vector engine: statistics of a tile, and their aggregation."""

from __future__ import annotations

import numpy as np

from opennki.base.codes import NKI2411
from opennki.base.diag import Problems, problem
from opennki.ir import ON_CHIP, Inst, View, inp, instruction, out
from opennki.ir.scalar import Array
from opennki.target import SUNDA, Target

from .enums import Engine

ONE = np.float32(1)


@instruction(
    "bn_stats", emit="bn_stats_inst", bir="BNStats", klr="BatchNormStats", engines=(Engine.DVE,),
    since=SUNDA,
)  # fmt: skip
class SundaBNStats(Inst):
    """Count, mean and ``variance * count`` of the even and of the odd elements of each partition.

    ``dst[p] = (n, mean, M2, n', mean', M2')``, first for elements 0, 2, 4, ... then for 1, 3, ...
    One element leaves the odd triple zero.

    Source: NKI ISA reference, bn_stats. The float32 recurrence is Welford's, one element a step:
    ``mean' = (1 - 1/n) * mean + x / n; M2 += (x - mean') * (x - mean)``.
    """

    dst: View = out(ON_CHIP, "P 6")
    data: View = inp(ON_CHIP, "P F", F="bn_stats_max")

    def sem(self, data: Array) -> Array:
        with np.errstate(all="ignore"):
            return np.concatenate([_welford(data[:, 0::2]), _welford(data[:, 1::2])], axis=1)


def _welford(data: Array) -> Array:
    """Count, mean and M2 of each row of a float32 array, as columns."""
    mean: Array = np.zeros(len(data), np.float32)
    spread: Array = np.zeros(len(data), np.float32)
    count = data.shape[1]
    for n in range(count):
        x = data[:, n]
        weight = ONE / np.float32(n + 1)
        moved = (ONE - weight) * mean + weight * x
        spread = spread + (x - moved) * (x - mean)
        mean = moved
    return np.stack([np.full(len(data), count, np.float32), mean, spread], axis=1)


@instruction(
    "bn_aggr", emit="bn_aggr_inst", bir="BNStatsAggregate", klr="BatchNormAggregate",
    engines=(Engine.DVE,), since=SUNDA,
)  # fmt: skip
class SundaBNAggr(Inst):
    """Mean and population variance from triples ``(count, mean, variance * count)``.

    `data` holds one or more triples per partition; ``dst[p] = (mean, variance)``.

    Source: NKI ISA reference, bn_aggr. Triples are merged in order in float32 by Chan's rule:
    ``N = n + n'; mean = (mean * n + mean' * n') / N;
    variance = (variance * n + M2') / N + n' * n * (mean - mean')^2 / N^2``.
    Model: triples of count 0 change nothing; if all are such, mean and variance are 0.
    """

    dst: View = out(ON_CHIP, "P 2")
    data: View = inp(ON_CHIP, "P F")

    def check(self, t: Target) -> Problems:
        if self.data.free_size % 3:
            yield problem(NKI2411, operand="data", got=self.data.free_size)

    def sem(self, data: Array) -> Array:
        total, mean, variance = (np.zeros(len(data), np.float32) for _ in range(3))
        for column in range(0, data.shape[1], 3):
            n, m, spread = data[:, column], data[:, column + 1], data[:, column + 2]
            both = total + n
            with np.errstate(all="ignore"):
                delta = mean - m
                merged = (mean * total + m * n) / both
                within = (variance * total + spread) / both
                between = n * total * delta * delta / (both * both)
            some = n != 0
            mean = np.where(some, merged, mean)
            variance = np.where(some, within + between, variance)
            total = both
        return np.stack([mean, variance], axis=1)
