"""Expansion of loops."""

from __future__ import annotations

import pytest

from opennki.backend import Flatten
from opennki.base.diag import NkiError
from opennki.birpy.printer import print_instruction

MEMLOCS = "%a: float32[128, 8] SB Internal address=0\n%b: float32[128, 8] SB Internal address=32"


def flat(make, body, limit=100):
    module = Flatten(limit).module(make.module(MEMLOCS, body))
    return [print_instruction(i) for i in module.functions[0].instructions()]


def test_offsets_are_numbers_and_names_have_the_trip(make):
    body = """loop L i = 4..8 step 2 { block B {
      I-1 = Memset DVE outs(%a[i - 4; 8*128, 1*2]) ins()
      loop K j = 0..2 { block C {
        I-2 = TensorCopy ACT outs(%b[2*i + j - 8; 8*128, 1*1]) ins(%a[0; 8*128, 1*1])
      } }
    } }
    I-3 = Memset DVE outs(%b) ins()"""
    assert flat(make, body) == [
        "I-1.0 = Memset DVE outs(%a[0; 8*128, 1*2]) ins()",
        "I-2.0.0 = TensorCopy ACT outs(%b[0; 8*128, 1*1]) ins(%a[0; 8*128, 1*1])",
        "I-2.0.1 = TensorCopy ACT outs(%b[1; 8*128, 1*1]) ins(%a[0; 8*128, 1*1])",
        "I-1.1 = Memset DVE outs(%a[2; 8*128, 1*2]) ins()",
        "I-2.1.0 = TensorCopy ACT outs(%b[4; 8*128, 1*1]) ins(%a[0; 8*128, 1*1])",
        "I-2.1.1 = TensorCopy ACT outs(%b[5; 8*128, 1*1]) ins(%a[0; 8*128, 1*1])",
        "I-3 = Memset DVE outs(%b) ins()",
    ]


def test_edges_lead_to_the_same_trip_or_to_the_last_one(make):
    body = """I-0 = Memset DVE outs(%a) ins()
    loop L i = 0..2 { block B {
      I-1 = Memset DVE outs(%a) ins()
      I-2 = Memset POOL outs(%b) ins() after [I-0:Ordered, I-1:Ordered]
    } }
    I-3 = Memset ACT outs(%b) ins() after [I-2:Ordered]"""
    assert [line.partition(" after ")[2] for line in flat(make, body)] == [
        "", "", "[I-0:Ordered, I-1.0:Ordered]", "", "[I-0:Ordered, I-1.1:Ordered]",
        "[I-2.1:Ordered]",
    ]  # fmt: skip


def test_code_without_loops_is_not_copied(make):
    module = make.module(MEMLOCS, "I-1 = Memset DVE outs(%a) ins()")
    assert Flatten().module(module) is module


def test_a_loop_without_trips_vanishes_with_its_edges(make):
    body = """loop L i = 0..0 { block B { I-1 = Memset DVE outs(%a) ins() } }
    I-2 = Memset POOL outs(%b) ins() after [I-1:Ordered]"""
    assert flat(make, body) == ["I-2 = Memset POOL outs(%b) ins()"]


def test_what_varies_not_is_shared(make):
    body = "loop L i = 0..3 { block B { I-1 = TensorCopy DVE outs(%a[i; 8*128, 1*1]) ins(%b) } }"
    module = Flatten().module(make.module(MEMLOCS, body))
    copies = list(module.functions[0].instructions())
    assert len({id(c.ins[0]) for c in copies}) == len({id(c.attrs) for c in copies}) == 1
    assert [c.outs[0].offset for c in copies] == [0, 1, 2]


def test_too_much_code_is_refused(make):
    body = """loop L i = 0..11 { block B { loop K j = 0..10 { block C {
        I-1 = Memset DVE outs(%a) ins() } } } }"""
    with pytest.raises(NkiError) as caught:
        flat(make, body, limit=100)
    assert caught.value.diagnostics[0].message == (
        "opennki does not model loops that expand to 110 instructions (the limit is 100) yet"
    )
    assert len(flat(make, body, limit=110)) == 110
