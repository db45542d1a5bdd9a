"""activate2 by the second road."""

from __future__ import annotations

from dataclasses import replace

import pytest

from opennki import klr
from opennki.base.diag import NkiError
from opennki.isa.activate2 import Activate2
from opennki.isa.enums import ActFunc, AluOp
from opennki.testing.statements import emitted, lowered, number, tile, whole

ARGS = klr.Activate2(
    whole("t", 128, 4), whole("x", 128, 4), klr.AluOp.mult, klr.AluOp.subtract, number(2.0),
    klr.Tile(whole("b", 128, 1)), klr.ActivationFunc.prelu, number(0.5), klr.AluOp.max,
    whole("most", 128, 1), klr.AccumCmd.Accumulate, False, True, None,
)  # fmt: skip


def test_it_is_a_form_of_activation():
    assert lowered("activate2", ARGS) == (
        "I-0 = Activation ACT outs(%t, %most) ins(%x, 2.0:float32, %b, 0.5:float32) "
        "{acc=Accumulate, alpha=0.0, func=Prelu, is_activate2=true, op0=mult, op1=subtract, "
        "reduce_op=max, reverse1=true, scale=1.0}"
    )


def test_there_is_nothing_to_load():
    wrong = replace(ARGS, reduceCmd=klr.AccumCmd.LoadAccumulate)
    with pytest.raises(NkiError, match=r"NKI4501.*accumulation command.*LoadAccumulate"):
        lowered("activate2", wrong)


def test_a_plain_call_is_a_plain_statement():
    inst = Activate2(
        dst=tile("t", 128, 4), op=ActFunc.Exp, data=tile("x", 128, 4), imm0=2.0, imm1=0.0,
        op0=AluOp.mult, op1=AluOp.add,
    )  # fmt: skip
    assert not klr.uses_extensions(emitted(inst))
