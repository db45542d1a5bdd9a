"""Dependences: sound against an oracle that compares bytes, and no more than the bytes need."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opennki.backend.schedule import Tracks, decode, dependences
from opennki.base import dtypes
from opennki.birpy import AccessPattern, Instruction, MemoryType
from opennki.isa.enums import Engine


def test_raw_war_and_waw_between_engines(make):
    fn = make.function(
        "%a: float32[128, 8] SB Internal address=0\n%b: float32[128, 8] SB Internal address=32",
        """I-1 = Memset DVE outs(%a) ins()
           I-2 = TensorCopy ACT outs(%b) ins(%a)
           I-3 = Memset POOL outs(%a) ins()
           I-4 = Memset DVE outs(%b) ins()""",
    )
    assert make.edges(fn) == {
        ("I-1", "I-2", "Flow"), ("I-2", "I-3", "Anti"), ("I-2", "I-4", "Output"),
    }  # fmt: skip


def test_one_engine_needs_no_edges(make):
    fn = make.function(
        "%a: float32[128, 8] SB Internal address=0",
        "I-1 = Memset DVE outs(%a) ins()\nI-2 = TensorCopy DVE outs(%a) ins(%a)",
    )
    assert make.edges(fn) == set()


def test_a_transfer_is_not_ordered_by_its_queue(make):
    fn = make.function(
        "%x: float32[128, 8] DRAM Internal\n%a: float32[128, 8] SB Internal address=0",
        """I-1 = Memset ACT outs(%a) ins()
           I-2 = DMACopy ACT outs(%x) ins(%a)
           I-3 = Memset ACT outs(%a) ins()
           I-4 = DMACopy ACT outs(%x) ins(%a)""",
    )
    assert make.edges(fn) == {
        ("I-1", "I-2", "Flow"), ("I-2", "I-3", "Anti"), ("I-2", "I-4", "Output"),
        ("I-3", "I-4", "Flow"),
    }  # fmt: skip


def test_even_and_odd_columns_are_independent(make):
    fn = make.function(
        "%a: float32[128, 8] SB Internal address=0",
        """I-1 = Memset DVE outs(%a[0; 8*128, 2*4]) ins()
           I-2 = Memset POOL outs(%a[1; 8*128, 2*4]) ins()
           I-3 = TensorCopy ACT outs(%a[1; 8*128, 2*4]) ins(%a[0; 8*128, 2*4])""",
    )
    assert make.edges(fn) == {("I-1", "I-3", "Flow"), ("I-2", "I-3", "Output")}


def test_windows_of_a_matrix_are_independent(make):
    fn = make.function(
        "%x: float32[256, 64] DRAM Internal\n%a: float32[128, 32] SB Internal address=0",
        """I-1 = DMACopy SP outs(%x[0; 64*128, 1*32]) ins(%a)
           I-2 = DMACopy ACT outs(%x[32; 64*128, 1*32]) ins(%a)
           I-3 = DMACopy POOL outs(%x[8192; 64*128, 1*32]) ins(%a)
           I-4 = DMACopy SP outs(%a) ins(%x[32; 64*128, 1*32])""",
    )
    flows = {edge for edge in make.edges(fn) if edge[2] != "Anti"}
    assert flows == {("I-2", "I-4", "Flow")}


def test_different_partitions_are_independent(make):
    fn = make.function(
        "%a: float32[64, 8] SB Internal address=0 partition=0\n"
        "%b: float32[64, 8] SB Internal address=0 partition=64",
        "I-1 = Memset DVE outs(%a) ins()\nI-2 = Memset POOL outs(%b) ins()",
    )
    assert make.edges(fn) == set()


def test_the_next_tenant_of_an_address_waits_for_the_last(make):
    fn = make.function(
        "%a: float32[128, 8] SB Internal address=0\n%b: float32[128, 8] SB Internal address=0\n"
        "%c: float32[128, 8] SB Internal address=64",
        """I-1 = Memset DVE outs(%a) ins()
           I-2 = TensorCopy ACT outs(%c) ins(%a)
           I-3 = Memset POOL outs(%b) ins()""",
    )
    assert ("I-2", "I-3", "Output") in make.edges(fn)


def test_tiles_that_overlap_while_live_are_one_place(make):
    fn = make.function(
        "%a: float32[128, 8] SB Internal user_allocated address=0\n"
        "%b: float32[128, 8] SB Internal user_allocated address=16",
        """I-1 = Memset DVE outs(%a) ins()
           I-2 = Memset POOL outs(%b[0; 8*128, 1*4]) ins()
           I-3 = Memset POOL outs(%b[4; 8*128, 1*4]) ins()
           I-4 = TensorCopy ACT outs(%a[0; 8*128, 1*4]) ins(%a[4; 8*128, 1*4])""",
    )
    names = {(a, b) for a, b, _ in make.edges(fn)}
    assert names == {("I-1", "I-2"), ("I-2", "I-4"), ("I-1", "I-4")}


def test_explicit_edges_count(make):
    fn = make.function(
        "%a: float32[128, 8] SB Internal address=0\n%b: float32[128, 8] SB Internal address=32",
        "I-1 = Memset DVE outs(%a) ins()\nI-2 = Memset POOL outs(%b) ins() after [I-1:Ordered]",
    )
    assert make.edges(fn) == {("I-1", "I-2", "Ordered")}


@given(st.data())
@settings(max_examples=120)
def test_every_conflict_of_bytes_is_ordered(make, new, data):
    fn = data.draw(make.functions())
    instructions = list(fn.instructions())
    tracks = Tracks(instructions)
    producers = [
        [decode(e)[0] for e in edges.values()] for edges in dependences(instructions, tracks)
    ]
    before = make.ordered(instructions, tracks, producers)
    for earlier, later in make.conflicts(fn):
        assert earlier in before[later], (earlier, later)


@given(st.data())
@settings(max_examples=120)
def test_within_one_storage_every_edge_is_a_conflict_of_bytes(make, new, data):
    loc = new("t", MemoryType.SB, (4, 12), dtypes.uint16, address=8)
    matrix = new("x", MemoryType.DRAM, (6, 8), dtypes.uint16)
    made = []
    for node in range(data.draw(st.integers(2, 24))):
        ins = (data.draw(make.windows(data.draw(st.sampled_from([loc, matrix])))),)
        outs = (data.draw(make.windows(data.draw(st.sampled_from([loc, matrix])))),)
        engine = data.draw(st.sampled_from(make.engines))
        made.append(Instruction("TensorCopy", engine, f"I-{node}", ins, outs, {}))
    fn = make.of([loc, matrix], made)
    conflicts = make.conflicts(fn)
    for later, edges in enumerate(dependences(made, Tracks(made))):
        for edge in edges.values():
            assert (decode(edge)[0], later) in conflicts


def test_many_regions_of_one_storage_stay_exact(make, new):
    """More windows than are compared one by one, read as a whole in between."""
    matrix = new("x", MemoryType.DRAM, (64, 64), dtypes.uint8)
    tile = new("t", MemoryType.SB, (64, 64), dtypes.uint8, address=0)
    made = []
    whole = AccessPattern(matrix, 0, ((64, 64), (1, 64)), dtypes.uint8)
    for turn in range(2):
        for row in range(0, 64, 8):
            for column in range(0, 64, 8):
                window = AccessPattern(matrix, row * 64 + column, ((64, 8), (1, 8)), dtypes.uint8)
                engine = make.engines[(row // 8 + turn) % 5]
                name = f"I-{turn}.{row}.{column}"
                made.append(Instruction("TensorCopy", engine, name, (), (window,), {}))
        all_of_it = AccessPattern(tile, 0, ((64, 64), (1, 64)), dtypes.uint8)
        made.append(Instruction("TensorCopy", Engine.SP, f"R-{turn}", (whole,), (all_of_it,), {}))
    fn = make.of([matrix, tile], made)
    conflicts = make.conflicts(fn)
    tracks = Tracks(made)
    producers = [[decode(e)[0] for e in edges.values()] for edges in dependences(made, tracks)]
    assert all((p, later) in conflicts for later, ps in enumerate(producers) for p in ps)
    before = make.ordered(made, tracks, producers)
    assert all(earlier in before[later] for earlier, later in conflicts)


@pytest.mark.parametrize(
    ("slots", "slot"),
    [
        (2, "%s{i}: float32[128, 8] SB Internal user_allocated address={sbuf}"),
        (8, "%s{i}: float32[128, 8] PSUM Internal user_allocated address={psum}"),
    ],
)
def test_the_distance_of_dependences_is_the_number_of_slots(make, slots, slot):
    """Slot i mod n, by the author's addresses: a write waits for the use n trips before it."""
    lines, memlocs = [], ["%o: float32[128, 8] SB Internal address=4096"]
    for i in range(2 * slots):
        memlocs.append(slot.format(i=i, sbuf=i % slots * 32, psum=i % slots * 2048))
        lines.append(f"W-{i} = Memset POOL outs(%s{i}) ins()")
        lines.append(f"U-{i} = TensorCopy DVE outs(%o) ins(%s{i})")
    into_writes = {
        edge[:2]
        for edge in make.edges(make.function("\n".join(memlocs), "\n".join(lines)))
        if edge[1].startswith("W")
    }
    assert into_writes == {(f"U-{i}", f"W-{i + slots}") for i in range(slots)}
