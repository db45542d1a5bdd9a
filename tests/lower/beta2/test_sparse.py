"""`nonzeroWithCount`, `topk`, and their BIR."""

from __future__ import annotations

import nki.isa as nisa
import nki.language as nl
from opennki import klr

from .statements import called, lowered, operators, refused, tensor, tile

DST, SRC = tensor("d", (16, 9), "int32"), tensor("s", (16, 8))


def test_numbers_are_operands():
    args = klr.NonzeroWithCount(DST, SRC, klr.IntImm(5), klr.IntImm(-1))
    want = "NonzeroWithCount POOL outs(%d) ins(%s, 5:int32, -1:int32)"
    assert lowered("nonzeroWithCount", args) == want


def test_numbers_must_be_integers():
    args = klr.NonzeroWithCount(DST, SRC, klr.FloatImm(5.0), klr.IntImm(-1))
    assert refused("nonzeroWithCount", args) == "indexOffset: float"
    args = klr.NonzeroWithCount(DST, SRC, klr.IntImm(5), klr.NatImm(2**31))
    assert refused("nonzeroWithCount", args) == "paddingVal: nat"


def test_the_largest_are_found_by_a_custom_operation():
    values, places = tensor("v", (16, 4), "bfloat16"), tensor("i", (16, 4), "uint32")
    args = klr.TopK(values, places, tensor("s", (16, 8), "bfloat16"), 100)
    want = "CustomOp POOL outs(%v, %i) ins(%s, 100:int32)"
    assert lowered("topk", args) == f'{want} {{is_builtin=true, opFunctionName="topk"}}'


def test_one_call_is_published_and_one_is_not():
    def count(x):
        dst = tile((16, 9), nl.int32)
        nisa.nonzero_with_count(dst, x)
        return dst

    def largest(x):
        values, places = tile((16, 4), nl.bfloat16), tile((16, 4), nl.uint32)
        nisa.topk(values, places, x, 100)
        return values

    made = called(count, "float32[16, 8]")
    assert operators(made) == ["nonzeroWithCount"]
    assert not klr.uses_extensions(made)
    made = called(largest, "bfloat16[16, 8]")
    assert operators(made) == ["topk"]
    assert klr.uses_extensions(made)
