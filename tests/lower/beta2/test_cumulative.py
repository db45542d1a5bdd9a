"""Running reductions by the second road."""

from __future__ import annotations

import pytest

from opennki import klr
from opennki.base.diag import NkiError
from opennki.isa.cumulative import TensorScalarCacheCumulative
from opennki.isa.enums import AluOp
from opennki.testing.statements import emitted, lowered, number, tile, whole


def running(imm1=None, cmd=klr.AccumCmd.ZeroAccumulate, reverse=klr.TensorScalarReverseOps.none):
    args = klr.TensorScalarCumulative(
        whole("t", 128, 4), whole("x", 128, 4), klr.AluOp.mult, klr.AluOp.add, number(2.0), imm1,
        cmd, reverse, None,
    )  # fmt: skip
    return lowered("tensorScalarCumulative", args)


def test_a_running_sum():
    assert running() == (
        "I-0 = TensorScalarCache DVE outs(%t) ins(%x, 2.0:float32) "
        "{acc=ZeroAccumulate, mode=Cumulative, op0=mult, op1=add}"
    )


def test_a_running_sum_that_starts_with_a_tile():
    start = klr.Tile(whole("i", 128, 1))
    assert running(start, klr.AccumCmd.LoadAccumulate, klr.TensorScalarReverseOps.first) == (
        "I-0 = TensorScalarCache DVE outs(%t) ins(%x, 2.0:float32, %i) "
        "{acc=LoadAccumulate, mode=Cumulative, op0=mult, op1=add, reverse0=true}"
    )


@pytest.mark.parametrize("name", ["second", "both"])
def test_the_second_operator_is_not_reversed(name):
    text = f"NKI4501.*unsupported reverse of tensorScalarCumulative.*{name}"
    with pytest.raises(NkiError, match=text):
        running(reverse=klr.TensorScalarReverseOps[name])


def test_a_plain_call_is_a_plain_statement():
    inst = TensorScalarCacheCumulative(
        dst=tile("t", 128, 4), src=tile("x", 128, 4), op0=AluOp.mult, op1=AluOp.add, imm0=1.0
    )
    assert not klr.uses_extensions(emitted(inst))
