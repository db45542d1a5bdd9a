"""Passes over Penguin, from text to text."""

from __future__ import annotations

import pytest

from opennki.base.diag import NkiError
from opennki.base.passes import FLAT, VERIFIED
from opennki.penguin.passes import PASSES, UnrollLoops

TILES = "%t: float32[128, 64] sbuf\n%u: float32[128, 64] sbuf"


def test_unroll_substitutes_the_index(check_pass):
    cx = check_pass(
        "unroll-loops",
        before="for i in affine(0, 2) { memset.vector dst=%t[32*i; 64*128, 1*32], value=0 }",
        after="""memset.vector dst=%t[0; 64*128, 1*32], value=0
                 memset.vector dst=%t[32; 64*128, 1*32], value=0""",
        tensors=TILES,
    )
    assert cx.counts == {"loops": 1}


def test_unroll_expands_nests_and_attributes(check_pass):
    check_pass(
        "unroll-loops",
        before="""for i in sequential(2, 6, 2) { for j in affine(1, -1, -1) {
                    iota.gpsimd dst=%t, pattern=[[1, 64]], offset=10*i - j } }""",
        after="".join(
            f"iota.gpsimd dst=%t, pattern=[[1, 64]], offset={n}\n" for n in (19, 20, 39, 40)
        ),
        tensors=TILES,
    )


def test_unroll_names_copies_after_their_trips(check_pass):
    check_pass(
        "unroll-loops",
        before="""for i in affine(0, 2) { a = memset.vector dst=%t, value=0
                    for j in affine(4, 6) { b = memset.vector dst=%u, value=0 after [a] } }""",
        after="".join(
            f"a.{i} = memset.vector dst=%t, value=0\n"
            + "".join(f"b.{i}.{j} = memset.vector dst=%u, value=0 after [a.{i}]\n" for j in (0, 1))
            for i in (0, 1)
        ),
        tensors=TILES,
    )


def test_unroll_leads_edges_from_outside_to_the_last_trip(check_pass):
    check_pass(
        "unroll-loops",
        before="""for i in affine(0, 2) { #0 = memset.vector dst=%t, value=0 }
                  memset.vector dst=%u, value=0 after [#0]""",
        after="""memset.vector dst=%t, value=0
                 #0 = memset.vector dst=%t, value=0
                 memset.vector dst=%u, value=0 after [#0]""",
        tensors=TILES,
    )


def test_unroll_keeps_regions_and_drops_loops_that_never_run(check_pass):
    check_pass(
        "unroll-loops",
        before="""for i in affine(0, 2) { no_reorder { memset.vector dst=%t, value=0 } }
                  for j in affine(0, 0) { memset.vector dst=%t, value=0 }""",
        after="no_reorder { memset.vector dst=%t, value=0 }\n" * 2,
        tensors=TILES,
    )


def test_unroll_stops_at_its_limit(check_pass, function):
    body = "for i in affine(0, 10) { for j in affine(0, 10) { memset.vector dst=%t, value=0 } }"
    check_pass("unroll-loops{limit=100}", body, "memset.vector dst=%t, value=0\n" * 100, TILES)
    with pytest.raises(NkiError) as refused:
        check_pass("unroll-loops{limit=99}", body, "", TILES)
    assert refused.value.code == "NKI9003"
    assert "100 instructions (the limit is 99)" in refused.value.diagnostics[0].message


def test_simplify_replaces_what_has_one_value(check_pass):
    cx = check_pass(
        "simplify-indices",
        before="""for i in affine(1, 2) { for j in affine(0, 2) {
                    a = memset.vector dst=%t[32*i + 16*j; 64*128, 1*16], value=0 } }
                  for k in affine(3, 3) { memset.vector dst=%t, value=0 }""",
        after="""for j in affine(0, 2) {
                   a = memset.vector dst=%t[16*j + 32; 64*128, 1*16], value=0 }""",
        tensors=TILES,
    )
    assert cx.counts == {"loops": 2}


def test_passes_declare_names_and_states():
    assert len({p.name for p in PASSES}) == len(PASSES)
    assert (UnrollLoops.requires, UnrollLoops.ensures) == ({VERIFIED}, {FLAT})
    assert UnrollLoops(limit=3).text == "unroll-loops{limit=3}"
