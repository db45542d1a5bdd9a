"""The vector engine's exponential by the second road."""

from __future__ import annotations

from opennki import klr
from opennki.isa.exponential import Exponential
from opennki.testing.statements import emitted, lowered, number, tile, whole


def exponential(top, result, command, start):
    args = klr.Exponential(whole("t", 128, 4), whole("x", 128, 4), top, result, command, start)
    return lowered("exponential", args)


def test_an_exponential():
    assert exponential(number(0.0), None, klr.AccumCmd.Idle, number(0.0)) == (
        "I-0 = Exponential DVE outs(%t) ins(%x, 0.0:float32, 0.0:float32) {reduce_cmd=Idle}"
    )


def test_its_sum_is_a_second_result():
    top, start = klr.Tile(whole("top", 128, 1)), klr.Tile(whole("i", 128, 1))
    made = exponential(top, whole("sum", 128, 1), klr.AccumCmd.LoadAccumulate, start)
    assert made == (
        "I-0 = Exponential DVE outs(%t, %sum) ins(%x, %top, %i) {reduce_cmd=LoadAccumulate}"
    )


def test_a_plain_call_is_a_plain_statement():
    inst = Exponential(dst=tile("t", 128, 4), src=tile("x", 128, 4))
    assert not klr.uses_extensions(emitted(inst))
