"""`shuffle` and its BIR."""

from __future__ import annotations

import nki.isa as nisa
from opennki import klr

from .statements import called, lowered, operators, refused, tensor, tile

A, B = tensor("a", (32, 8)), tensor("b", (32, 8))


def test_a_mask_is_a_list_of_integers():
    mask = [klr.IntImm(k) for k in range(31, -1, -1)]
    numbers = ", ".join(str(k) for k in range(31, -1, -1))
    want = f"StreamShuffle DVE outs(%a) ins(%b) {{mask=[{numbers}]}}"
    assert lowered("shuffle", klr.Shuffle(A, B, mask, None)) == want


def test_other_entries_are_refused():
    mask = [klr.IntImm(0), klr.FloatImm(1.0)]
    assert refused("shuffle", klr.Shuffle(A, B, mask, None)) == "shuffleMask: float"


def test_a_call_is_published():
    def call(x):
        dst = tile(x.shape)
        nisa.nc_stream_shuffle(dst, x, [*range(31), 255])
        return dst

    made = called(call, "float32[32, 8]")
    assert operators(made) == ["shuffle"]
    assert not klr.uses_extensions(made)
