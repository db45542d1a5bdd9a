"""Selection by index by the second road."""

from __future__ import annotations

from dataclasses import replace
from math import inf, nan

import pytest

from opennki import klr
from opennki.base.diag import NkiError
from opennki.isa.enums import AluOp
from opennki.isa.range_select import RangeSelect
from opennki.testing.statements import emitted, lowered, tile, whole

ARGS = klr.NcRangeSelect(
    whole("t", 128, 4), klr.AccumCmd.ZeroAccumulate, whole("most", 128, 1), klr.AluOp.max,
    klr.AluOp.is_ge, klr.AluOp.is_lt, whole("low", 128, 1), whole("high", 128, 1),
    klr.FloatImm(16.0), whole("x", 128, 4), klr.FloatImm(-2.0), None,
)  # fmt: skip


def test_a_selection_by_index():
    assert lowered("ncRangeSelect", ARGS) == (
        "I-0 = RangeSelect DVE outs(%t, %most) ins(%x, %low, %high) "
        "{base=16, compare_op0=is_ge, compare_op1=is_lt, fill_value=-2.0}"
    )


@pytest.mark.parametrize(
    ("changed", "attrs"),
    [
        ({"reduceOp": None, "rangeStart": klr.IntImm(16)}, ""),
        ({"reduceOp": klr.AluOp.min}, ", reduce_op=min"),
        ({"reduceCommand": klr.AccumCmd.Idle}, ", reduce_cmd=Idle"),
        ({"reduceCommand": klr.AccumCmd.Accumulate}, ", reduce_cmd=Accumulate"),
    ],
)
def test_its_reduction(changed, attrs):
    made = lowered("ncRangeSelect", replace(ARGS, **changed))
    want = f"{{base=16, compare_op0=is_ge, compare_op1=is_lt, fill_value=-2.0{attrs}}}"
    assert made.endswith(want)


@pytest.mark.parametrize("start", [0.5, inf, -inf, nan])
def test_the_first_index_is_an_integer(start):
    with pytest.raises(NkiError, match=rf"NKI4501.*unsupported rangeStart.*{start}"):
        lowered("ncRangeSelect", replace(ARGS, rangeStart=klr.FloatImm(start)))


def test_a_selection_has_nothing_to_load():
    wrong = replace(ARGS, reduceCommand=klr.AccumCmd.LoadAccumulate)
    with pytest.raises(NkiError, match=r"NKI4501.*accumulation command.*LoadAccumulate"):
        lowered("ncRangeSelect", wrong)


def test_a_plain_call_is_a_plain_statement():
    inst = RangeSelect(
        dst=tile("t", 128, 4), on_true_tile=tile("x", 128, 4), comp_op0=AluOp.is_ge,
        comp_op1=AluOp.is_lt, bound0=tile("low", 128, 1), bound1=tile("high", 128, 1),
    )  # fmt: skip
    made = emitted(inst)
    assert not klr.uses_extensions(made)
    assert made.args.rangeStart == klr.FloatImm(0.0)
