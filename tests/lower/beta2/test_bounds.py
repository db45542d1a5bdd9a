"""`sequenceBounds` and its BIR."""

from __future__ import annotations

import nki.isa as nisa
from opennki import klr

from .statements import called, lowered, operators, tensor, tile


def test_bounds_are_those_of_ids():
    args = klr.SequenceBounds(tensor("d", (1, 2, 8)), tensor("s", (1, 8)), None)
    assert lowered("sequenceBounds", args) == "GetSequenceBounds POOL outs(%d) ins(%s)"


def test_a_call_is_published():
    def call(x):
        dst = tile((1, 2, 8))
        nisa.sequence_bounds(dst, x)
        return dst

    made = called(call, "float32[1, 8]")
    assert operators(made) == ["sequenceBounds"]
    assert not klr.uses_extensions(made)
