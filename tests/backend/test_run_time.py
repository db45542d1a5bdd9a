"""What allocation and scheduling make of run-time loops: places that last, and sections."""

from __future__ import annotations

import pytest

from opennki.backend import build
from opennki.backend.program import Repeat, Segment
from opennki.birpy import parse_module
from opennki.target import target

T = target("trn2")
WIDTH = 20_000  # three tiles of it do not fit into a partition, two do
TEXT = """bir.module arch=gen3 version=2 {{
  function @f inputs=[] outputs=[y] {{
    memloc %y: float32[128, {w}] DRAM ExternalOutput
    memloc %a: float32[128, {w}] SB Internal
    memloc %b: float32[128, {w}] SB Internal
    memloc %c: float32[128, {w}] SB Internal
    memloc %n: int32[1, 1] REG Internal
    memloc %i: int32[1, 1] REG Internal
    block Block1 {{
      I-0 = RegisterMove ALL outs(%n) ins(3:int32)
      I-1 = Memset DVE outs(%a) ins() {{constant=0, mode=Const}}
      dynamic L %i = 0..%n {{
        block b {{
{body}
        }}
      }}
      I-9 = DMACopy SP outs(%y) ins(%{end}) {{mode=Copy}}
    }}
  }}
}}"""
FIRST = "I-2 = Memset DVE outs(%b) ins() {constant=0, mode=Const}"
USES_B = "I-3 = TensorCopy DVE outs(%b) ins(%b)"
SECOND = "I-4 = Memset DVE outs(%c) ins() {constant=0, mode=Const}"
USES_C = "I-5 = TensorCopy DVE outs(%c) ins(%c)"
USES_A = "I-6 = TensorCopy DVE outs(%a) ins(%a)"


def made(*body: str, end: str = "a"):
    text = TEXT.format(w=WIDTH, body="\n".join(body), end=end)
    return build(parse_module(text), T)


def test_tiles_of_one_trip_may_share_a_place_and_those_of_all_trips_may_not():
    program, found = made(FIRST, USES_B, SECOND, USES_C)
    assert found == []
    places = {m.name: m.address for m in program.cores[0].memlocs.values()}
    assert places["b"] == places["c"]
    assert abs(places["a"] - places["b"]) >= 4 * WIDTH


@pytest.mark.parametrize(
    ("body", "end"),
    [
        ((USES_B, FIRST, SECOND, USES_C), "a"),  # the next trip reads what this one wrote
        ((FIRST, SECOND, USES_B, USES_C), "a"),  # both are needed at once
        ((FIRST, USES_B, SECOND, USES_A), "b"),  # needed after the loop
    ],
)
def test_a_tile_keeps_its_place_as_long_as_a_trip_may_need_it(body, end):
    program, found = made(*body, end=end)
    if end == "b":
        body = (*body, USES_C)
        program, found = made(*body, end=end)
    assert program is None
    assert {d.code.id[:5] for d in found} == {"NKI50"}


def test_a_loop_is_a_section_between_segments():
    program, _ = made(FIRST, USES_B, SECOND, USES_C)
    before, loop, after = program.cores[0].sections
    assert isinstance(before, Segment)
    assert isinstance(after, Segment)
    assert isinstance(loop, Repeat)
    (inside,) = loop.body
    names = [[c.inst.name for q in s.queues.values() for c in q.commands]
             for s in (before, inside, after)]  # fmt: skip
    assert [sorted(n) for n in names] == [["I-0", "I-1"], ["I-2", "I-3", "I-4", "I-5"], ["I-9"]]
    for segment in (before, inside, after):
        for queue in segment.queues.values():
            for command in queue.commands:  # semaphores begin at 0 in every segment
                assert all(number in segment.semaphores for number, _ in command.waits)
