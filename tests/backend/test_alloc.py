"""Allocation: lives, places that never overlap, what is said when something does not fit."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opennki.backend.alloc import (
    liveness,
    occupancy,
    place_dram,
    place_psum,
    place_sbuf,
)
from opennki.backend.alloc.pack import FreeSpace, Item, pack
from opennki.backend.pipeline import build
from opennki.backend.verify import check_banks, check_overlaps, check_placement
from opennki.base import dtypes
from opennki.base.loc import SrcLoc
from opennki.birpy import Instruction, MemoryType, Module
from opennki.birpy.parser import parse_module
from opennki.isa.enums import Engine
from opennki.target import target

SUNDA = target("sunda")


def lives(fn):
    return {loc.name: life for loc, life in liveness(fn).lives.items()}


def messages(found):
    return [f"{d.code.id}: {d.message}" for d in found]


def test_a_life_is_from_first_to_last_use(make):
    fn = make.function(
        "%a: float32[128, 8] SB Internal\n%b: float32[128, 8] SB Internal\n"
        "%c: float32[128, 8] SB Internal",
        """I-1 = Memset DVE outs(%a) ins()
           I-2 = TensorCopy DVE outs(%b) ins(%a)
           I-3 = TensorCopy DVE outs(%b) ins(%b)""",
    )
    assert lives(fn) == {"a": (0, 1), "b": (1, 2)}


LOOP = """I-0 = Memset DVE outs(%a) ins()
loop L1 i = 0..4 {{
  block B {{
    {body}
  }}
}}
I-9 = Memset DVE outs(%a) ins()"""


@pytest.mark.parametrize(
    ("body", "life"),
    [
        # written before it is read in every trip: free outside of these lines
        ("I-1 = Memset DVE outs(%b) ins()\nI-2 = TensorCopy DVE outs(%a) ins(%b)\n"
         "I-3 = Memset DVE outs(%a) ins()", (1, 2)),
        # read first: holds what the trip before wrote
        ("I-3 = Memset DVE outs(%a) ins()\nI-1 = TensorCopy DVE outs(%a) ins(%b)\n"
         "I-2 = Memset DVE outs(%b) ins()", (1, 3)),
        # a part is written, all of it is read
        ("I-3 = Memset DVE outs(%a) ins()\nI-1 = Memset DVE outs(%b[2*i; 8*128, 1*2]) ins()\n"
         "I-2 = TensorCopy DVE outs(%a) ins(%b)", (1, 3)),
        # the part that is read is the part that was written
        ("I-3 = Memset DVE outs(%a) ins()\nI-1 = Memset DVE outs(%b[2*i; 8*128, 1*2]) ins()\n"
         "I-2 = TensorCopy DVE outs(%a[0; 8*128, 1*2]) ins(%b[2*i; 8*128, 1*2])", (2, 3)),
        # predicated copies and accumulating products keep the old contents
        ("I-3 = Memset DVE outs(%a) ins()\nI-1 = CopyPredicated DVE outs(%b) ins(%a)\n"
         "I-2 = TensorCopy DVE outs(%a) ins(%b)", (1, 3)),
    ],
)  # fmt: skip
def test_life_in_a_loop(make, body, life):
    fn = make.function(
        "%a: float32[128, 8] SB Internal\n%b: float32[128, 8] SB Internal", LOOP.format(body=body)
    )
    assert lives(fn) == {"a": (0, 4), "b": life}


def test_what_a_loop_shares_with_the_outside_lives_over_it(make):
    fn = make.function(
        "%a: float32[128, 8] SB Internal\n%b: float32[128, 8] SB Internal",
        """I-0 = Memset DVE outs(%a) ins()
           loop L1 i = 0..4 { block B {
             I-1 = TensorCopy DVE outs(%b) ins(%a)
             I-2 = Memset POOL outs(%b) ins()
             I-3 = Memset POOL outs(%b) ins()
           } }""",
    )
    assert lives(fn) == {"a": (0, 3), "b": (1, 3)}


RENEWING = """I-0 = RegisterMove ALL outs(%r) ins(1:int32)
while L %r new %a, %b, %c {{
  block B {{
    I-1 = Memset DVE outs(%b) ins()
    I-2 = RegisterMove ALL outs(%r) ins(0:int32)
  }}
}}
I-3 = Memset DVE outs({after}) ins()"""


@pytest.mark.parametrize(("after", "life"), [("%d", None), ("%a", (1, 3))])
def test_a_loop_that_renews_what_is_used_outside_of_it_uses_it(make, after, life):
    """Otherwise each trip would spoil what has its place meanwhile."""
    locs = [f"%{name}: float32[128, 8] PSUM Internal" for name in "abcd"]
    fn = make.function(
        "\n".join(["%r: int32[1, 1] REG Internal", *locs]), RENEWING.format(after=after)
    )
    assert lives(fn).get("a") == life
    assert lives(fn)["b"] == (1, 1)
    loop = fn.blocks[0].instructions[1]
    build(Module([fn], "gen1"), SUNDA, until="ALLOCATED")
    assert [m.name for m in loop.new] == (["a", "b"] if life else ["b"])


def test_equal_tiles_rotate_through_the_memory(make):
    """The next tile takes a fresh place while there is one, so it waits for nobody."""
    fn = make.function(
        "%a: float32[128, 8] SB Internal\n%b: float32[128, 8] SB Internal",
        "I-1 = Memset DVE outs(%a) ins()\nI-2 = Memset DVE outs(%b) ins()",
    )
    assert list(place_sbuf(liveness(fn), SUNDA)) == []
    assert [m.address for m in fn.memlocs.values()] == [0, 32]


def test_psum_takes_whole_banks_and_rotates(make):
    tiles = "\n".join(f"%p{i}: float32[128, 8] PSUM Internal" for i in range(10))
    body = "\n".join(f"I-{i} = Memset DVE outs(%p{i}) ins()" for i in range(10))
    fn = make.function(tiles, body)
    assert list(place_psum(liveness(fn), SUNDA)) == []
    assert [m.bank for m in fn.memlocs.values()] == [0, 1, 2, 3, 4, 5, 6, 7, 0, 1]
    assert all(m.address == 2048 * m.bank for m in fn.memlocs.values())


def test_a_psum_tile_may_take_several_banks_but_not_more_than_there_are(make):
    fn = make.function(
        "%p: float32[128, 1024] PSUM Internal\n%q: float32[128, 8192] PSUM Internal",
        "I-1 = Memset DVE outs(%p) ins()\nI-2 = Memset DVE outs(%q) ins()",
    )
    assert messages(place_psum(liveness(fn), SUNDA)) == [
        "NKI5005: `q` has 32768 bytes per partition; a PSUM bank has 2048"
    ]
    assert (fn.memlocs["p"].bank, fn.memlocs["p"].address) == (0, 0)


def test_an_address_that_was_chosen_is_kept_and_kept_free(make):
    fn = make.function(
        "%a: float32[128, 40000] SB Internal user_allocated address=4000\n"
        "%b: float32[128, 1000] SB Internal\n%c: float32[128, 1000] SB Internal",
        """I-1 = Memset DVE outs(%b) ins()
           I-2 = Memset DVE outs(%a) ins()
           I-3 = TensorCopy DVE outs(%c) ins(%b)
           I-4 = TensorCopy DVE outs(%c) ins(%a)""",
    )
    assert list(place_sbuf(liveness(fn), SUNDA)) == []
    assert fn.memlocs["a"].address == 4000
    assert fn.memlocs["b"].address == 0
    assert fn.memlocs["c"].address >= 164_000


def test_too_much_that_is_live_names_the_largest(make):
    tiles = "\n".join(f"%t{i}: float32[128, {5000 * (i + 1)}] SB Internal" for i in range(4))
    body = "\n".join(f"I-{i} = Memset DVE outs(%t{i}) ins()" for i in range(4))
    fn = make.function(tiles, body + "\nI-9 = TensorTensor DVE outs(%t3) ins(%t0, %t1, %t2)")
    found = list(place_sbuf(liveness(fn), SUNDA))
    assert messages(found) == [
        "NKI5002: 195.3 KiB (200000 bytes) per partition of SBUF are in use from this line on; "
        "trn1 (sunda) has 176 KiB (180224 bytes)"
    ]
    assert found[0].hint == (
        "use smaller tiles, or write tiles to HBM with nisa.dma_copy until they are needed"
    )
    assert found[0].notes == [
        f"`t{i}` takes {kib} KiB ({20000 * (i + 1)} bytes)"
        for i, kib in ((3, 78.1), (2, 58.6), (1, 39.1), (0, 19.5))
    ]
    assert all(m.address is None for m in fn.memlocs.values())


def test_nine_banks_at_once_are_too_many(make):
    tiles = "\n".join(f"%p{i}: float32[128, 8] PSUM Internal" for i in range(9))
    body = "\n".join(f"I-{i} = Memset DVE outs(%p{i}) ins()" for i in range(9))
    reads = ", ".join(f"%p{i}" for i in range(9))
    fn = make.function(tiles, body + f"\nI-9 = TensorTensor DVE outs(%p0) ins({reads})")
    found = list(place_psum(liveness(fn), SUNDA))
    assert messages(found) == [
        "NKI5002: 18 KiB (18432 bytes) per partition of PSUM are in use from this line on; "
        "trn1 (sunda) has 16 KiB (16384 bytes)"
    ]
    assert found[0].hint == (
        "copy results to SBUF with nisa.tensor_copy and use their banks again: "
        "a PSUM tensor takes whole banks of 2 KiB (2048 bytes), however small it is"
    )
    assert found[0].notes[0] == "`p0` takes 1 PSUM bank with its 32 bytes"
    assert found[0].notes[-1] == "3 more take 6 KiB (6144 bytes)"


def test_the_line_is_the_first_at_which_too_much_is_live(make):
    """Not the one at which most is."""
    tiles = "\n".join(f"%t{i}: float32[128, 20000] SB Internal" for i in range(4))
    body = "\n".join(f"I-{i} = Memset DVE outs(%t{i}) ins()" for i in range(4))
    fn = make.function(tiles, body + "\nI-9 = TensorTensor DVE outs(%t3) ins(%t0, %t1, %t2)")
    for line, inst in enumerate(fn.instructions(), 5):
        inst.loc = SrcLoc("k.py", line)
    (found,) = place_sbuf(liveness(fn), SUNDA)
    assert found.line == 7
    assert found.facts["need"] == "234.4 KiB (240000 bytes)"
    assert len(found.notes) == 3


def test_a_gap_that_is_too_small_is_said_to_be_so(make):
    """Addresses in the middle leave two gaps of which neither is large enough."""
    fn = make.function(
        "%a: float32[128, 1000] SB Internal user_allocated address=90000\n"
        "%b: float32[128, 25000] SB Internal",
        "I-1 = Memset DVE outs(%a) ins()\nI-2 = Memset DVE outs(%b) ins()\n"
        "I-3 = TensorCopy DVE outs(%b) ins(%a)",
    )
    assert messages(place_sbuf(liveness(fn), SUNDA)) == [
        "NKI5006: `b` needs 100000 bytes in one piece; 176224 bytes of SBUF are free, "
        "the largest gap has 90000"
    ]


@pytest.mark.parametrize(
    ("memloc", "said"),
    [
        ("%a: float32[128, 1000] SB Internal user_allocated address=400000",
         ["NKI5001: `a` is placed at 400000 and needs 4000 bytes; "
          "SBUF of trn1 (sunda) has 180224 per partition"]),
        ("%a: float32[128, 1000] SB Internal user_allocated address=176224", []),
        ("%a: uint8[128, 4000] SB Internal user_allocated address=176225",
         ["NKI5001: `a` is placed at 176225 and needs 4000 bytes; "
          "SBUF of trn1 (sunda) has 180224 per partition"]),
        ("%a: float32[128, 8] SB Internal user_allocated address=6",
         ["NKI5007: `a` is placed at 6, which is not a multiple of 4"]),
        ("%a: float32[128, 256] PSUM Internal user_allocated address=1024",
         ["NKI5003: `a` is placed at 1024, which is not the start of a PSUM bank of 2048 bytes"]),
        ("%a: float32[128, 256] PSUM Internal user_allocated address=6144", []),
        ("%a: float32[96, 8] SB Internal user_allocated address=0 partition=64",
         ["NKI5008: address (64, 0) of `a` is not usable: it has 96 partitions from 64; "
          "trn1 (sunda) has 128"]),
    ],
)  # fmt: skip
def test_chosen_addresses_are_checked(make, memloc, said):
    assert messages(check_placement(make.function(memloc, ""), SUNDA)) == said


def test_overlap_is_a_warning_only_while_both_live(make):
    tiles = (
        "%a: float32[128, 8] SB Internal user_allocated address=0\n"
        "%b: float32[128, 8] SB Internal user_allocated address=16\n"
        "%c: float32[64, 8] SB Internal user_allocated address=0\n"
        "%d: float32[64, 8] SB Internal user_allocated address=0 partition=64"
    )
    both = "I-1 = Memset DVE outs(%a) ins()\nI-2 = TensorCopy DVE outs(%b) ins(%a)"
    found = list(check_overlaps(liveness(make.function(tiles, both))))
    assert messages(found) == ["NKI5004: `a` and `b` share bytes while both are in use"]
    assert found[0].severity.value == "warning"
    apart = "I-1 = Memset DVE outs(%a) ins()\nI-2 = Memset DVE outs(%b) ins()"
    assert list(check_overlaps(liveness(make.function(tiles, apart)))) == []
    halves = "I-1 = Memset DVE outs(%c) ins()\nI-2 = TensorCopy DVE outs(%d) ins(%c)"
    assert list(check_overlaps(liveness(make.function(tiles, halves)))) == []


MATMUL = "I-1 = Matmult PE outs(%acc[{start}; 1024*128, 1*512]) ins(%x, %w)"
OPERANDS = (
    "%acc: float32[128, 1024] PSUM Internal user_allocated address=0\n"
    "%x: bfloat16[128, 512] SB Internal\n%w: bfloat16[128, 128] SB Internal"
)


def test_a_matmul_writes_one_bank(make):
    said = ["NKI5204: operand `dst` reaches from PSUM bank 0 to bank 1; a matmul writes one bank"]
    straddling = make.function(OPERANDS, MATMUL.format(start=256))
    assert messages(check_banks(straddling, SUNDA)) == said
    assert list(check_banks(make.function(OPERANDS, MATMUL.format(start=512)), SUNDA)) == []
    rolled = f"loop L i = 0..2 {{ block B {{ {MATMUL.format(start='256*i')} }} }}"
    assert messages(check_banks(make.function(OPERANDS, rolled), SUNDA)) == said
    assert list(check_banks(straddling, target("corev4"))) == []


def test_dram_is_placed_in_order_and_shared_storages_agree():
    text = """bir.module arch=sunda version=2 {
      function @a inputs=[x] outputs=[] {
        memloc %x: float32[100] DRAM ExternalInput
        memloc %mine: uint8[100] DRAM Internal
        memloc %both: uint8[10] DRAM Internal shared
        block Block1 { }
      }
      function @b inputs=[] outputs=[] {
        memloc %both: uint8[10] DRAM Internal shared
        memloc %mine: uint8[100] DRAM Internal
        memloc %more: uint8[100] DRAM Internal
        block Block1 { }
      }
    }"""
    module = parse_module(text)
    assert list(place_dram(module, SUNDA)) == []
    first, second = ({m.name: m.address for m in f.memlocs.values()} for f in module.functions)
    assert first == {"x": None, "both": 0, "mine": 64}
    assert second == {"both": 0, "mine": 64, "more": 192}


def test_the_report_names_what_is_alive_at_the_peak(make):
    fn = make.function(
        "%a: float32[128, 8] SB Internal\n%b: float32[128, 16] SB Internal\n"
        "%p: float32[128, 8] PSUM Internal\n%q: float32[128, 8] PSUM Internal",
        """I-1 = Memset DVE outs(%a) ins()
           I-2 = Memset DVE outs(%b) ins()
           I-3 = Memset DVE outs(%p) ins()
           I-4 = TensorTensor DVE outs(%q) ins(%a, %b, %p)""",
    )
    live = liveness(fn)
    assert [*place_sbuf(live, SUNDA), *place_psum(live, SUNDA)] == []
    assert occupancy(fn, SUNDA).render() == (
        "memory of main\n"
        "  SBUF: 96 of 180224 bytes per partition (0.1 %) at I-2\n"
        "         64      64  b\n"
        "          0      32  a\n"
        "  PSUM: 4096 of 16384 bytes per partition (25.0 %) at I-4\n"
        "          0    2048  p\n"
        "       2048    2048  q\n"
        "    tensors per bank: 0: 1, 1: 1, 2: 0, 3: 0, 4: 0, 5: 0, 6: 0, 7: 0\n"
    )


@given(
    st.lists(
        st.tuples(st.integers(1, 40), st.integers(0, 30), st.integers(0, 12), st.booleans()),
        max_size=30,
    ),
    st.sampled_from([60, 100, 200]),
)
@settings(max_examples=200)
def test_items_never_overlap_while_both_live(drawn, capacity):
    items = [
        Item(None, size, (start, start + length), start * 3 % (capacity - size) if fixed else None,
             4, 2)
        for size, start, length, fixed in sorted(drawn, key=lambda d: d[1])
    ]  # fmt: skip
    if pack(items, capacity) is not None:
        assert all(item.fixed or item.address is None for item in items)
        return
    for index, one in enumerate(items):
        assert 0 <= one.address <= capacity - one.size
        assert one.fixed or one.address % 2 == 0
        for other in items[:index]:
            if one.fixed and other.fixed:
                continue
            apart = one.end < other.start or other.end < one.start
            low, high = (
                max(one.address, other.address),
                min(one.address + one.size, other.address + other.size),
            )
            assert apart or low >= high


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 40), st.integers(1, 12)), max_size=30))
def test_free_space_is_a_set_of_units(steps):
    free, units = FreeSpace(50), set(range(50))
    for take, low, size in steps:
        high = min(low + size, 50)
        if take:
            free.take(low, high)
            units -= set(range(low, high))
        elif not units & set(range(low, high)):
            free.give(low, high)
            units |= set(range(low, high))
        pieces = list(zip(free.starts, free.ends, strict=True))
        assert {u for a, b in pieces for u in range(a, b)} == units
        assert all(b < c for (_, b), (c, _) in pairwise(pieces))


def test_packing_by_size_fills_what_order_in_time_cannot():
    """Short-lived items in the low half leave a hole that a long one needs."""
    items = [
        Item("a", 4, (0, 1)), Item("b", 2, (0, 9)), Item("c", 4, (1, 3)),
        Item("d", 8, (4, 9)),
    ]  # fmt: skip
    assert pack(items, 10) is None
    places = {i.owner: (i.address, i.address + i.size) for i in items}
    assert places["b"][1] <= places["d"][0] or places["d"][1] <= places["b"][0]


def test_what_nothing_uses_occupies_nothing(make, new):
    locs = [new(f"t{i}", MemoryType.SB, (128, 1 + i % 7), dtypes.bfloat16) for i in range(50)]
    made = [Instruction("Memset", Engine.DVE, f"I-{i}", (), (), {}) for i in range(3)]
    fn = make.of(locs, made)
    assert list(place_sbuf(liveness(fn), SUNDA)) == []
    assert {m.address for m in locs} == {0}
