"""Searches by the second road."""

from __future__ import annotations

import pytest

from opennki import klr
from opennki.base.diag import NkiError
from opennki.base.dtypes import uint32
from opennki.isa.search import (
    MaxIndexAndMatchReplace,
    SundaMatchReplace8,
    SundaMax8,
    SundaMaxIndex8,
)
from opennki.testing.statements import emitted, lowered, tile, whole

PLACES = whole("where", 128, 8, dtype=uint32)


def replacing(value, places=None):
    args = klr.MatchReplace8(
        whole("t", 128, 9), whole("x", 128, 9), whole("v", 128, 8), value, places, None
    )
    return lowered("matchReplace8", args)


def test_the_largest_values():
    args = klr.Max8(whole("t", 128, 8), whole("x", 128, 9), None)
    assert lowered("max8", args) == "I-0 = Max DVE outs(%t) ins(%x)"


def test_where_values_are():
    args = klr.FindIndex8(PLACES, whole("x", 128, 9), whole("v", 128, 8), None)
    assert lowered("findIndex8", args) == "I-0 = MaxIndex DVE outs(%where) ins(%x, %v)"


@pytest.mark.parametrize(
    ("places", "opcode", "outs"),
    [(None, "MatchReplace", "%t"), (PLACES, "MaxIndexAndMatchReplace", "%t, %where")],
)
def test_replacing_values_has_two_opcodes(places, opcode, outs):
    want = f"I-0 = {opcode} DVE outs({outs}) ins(%x, %v) {{imm_value=-1.5}}"
    assert replacing(klr.FloatImm(-1.5), places) == want


def test_an_integer_may_replace_values():
    assert replacing(klr.IntImm(0)).endswith("{imm_value=0}")


@pytest.mark.parametrize("wrong", [klr.PointerImm(), klr.RegisterImm(3)])
def test_only_a_number_replaces_values(wrong):
    with pytest.raises(NkiError, match=rf"NKI4501.*unsupported immediate.*{wrong.schema.name}"):
        replacing(wrong)


def test_plain_calls_are_plain_statements():
    data, vals = tile("x", 128, 9), tile("v", 128, 8)
    places = tile("where", 128, 8, dtype=uint32)
    for inst in (
        SundaMax8(dst=tile("t", 128, 8), src=data),
        SundaMaxIndex8(dst=places, data=data, vals=vals),
        SundaMatchReplace8(dst=tile("t", 128, 9), data=data, vals=vals, imm=-1.0),
        MaxIndexAndMatchReplace(
            dst=tile("t", 128, 9), dst_idx=places, data=data, vals=vals, imm=-1.0
        ),
    ):
        assert not klr.uses_extensions(emitted(inst))
