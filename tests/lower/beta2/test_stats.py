"""Statistics of batch normalisation by the second road."""

from __future__ import annotations

from opennki import klr
from opennki.isa.stats import SundaBNAggr, SundaBNStats
from opennki.testing.statements import emitted, lowered, tile, whole


def test_statistics():
    args = klr.BatchNormStats(whole("t", 128, 6), whole("x", 128, 8), None)
    assert lowered("batchNormStats", args) == "I-0 = BNStats DVE outs(%t) ins(%x)"


def test_their_aggregate():
    args = klr.BatchNormAggregate(whole("t", 128, 2), whole("x", 128, 6), None)
    assert lowered("batchNormAggregate", args) == "I-0 = BNStatsAggregate DVE outs(%t) ins(%x)"


def test_plain_calls_are_plain_statements():
    for inst in (
        SundaBNStats(dst=tile("t", 128, 6), data=tile("x", 128, 8)),
        SundaBNAggr(dst=tile("t", 128, 2), data=tile("x", 128, 6)),
    ):
        assert not klr.uses_extensions(emitted(inst))
