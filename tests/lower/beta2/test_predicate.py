"""Selections and predicated copies by the second road."""

from __future__ import annotations

from dataclasses import replace

import pytest

from opennki import klr
from opennki.base.diag import NkiError
from opennki.base.dtypes import uint8
from opennki.isa.enums import AluOp
from opennki.isa.predicate import AffSelTensorScalarOp, SelectReduce, TensorCopyPredicated
from opennki.testing.statements import emitted, lowered, number, tile, whole

CHOICE = whole("p", 128, 4, dtype=uint8)
SELECT = klr.SelectReduce(
    whole("t", 128, 4), CHOICE, whole("x", 128, 4), number(-1.0), None, klr.AccumCmd.Idle,
    klr.AluOp.max, False, None,
)  # fmt: skip
COPY = klr.CopyPredicated(whole("t", 128, 4), whole("x", 128, 4), CHOICE, None, False)


@pytest.mark.parametrize(
    ("fill", "text"), [(klr.FloatImm(-1.5), "-1.5"), (klr.IntImm(-9999), "-9999")]
)
def test_an_affine_selection(fill, text):
    pattern = klr.DataPattern(3, [klr.APPair(-1, 4)], 1)
    args = klr.NcAffineSelect(
        whole("t", 128, 4), pattern, whole("x", 128, 4), fill, None, klr.AluOp.is_ge
    )
    assert lowered("ncAffineSelect", args) == (
        "I-0 = TensorScalarAffineSelect POOL outs(%t) ins(%x) {base=3, channel_multiplier=1, "
        f"compare_op=is_ge, fill_value={text}, pattern=[[-1, 4]]}}"
    )


@pytest.mark.parametrize(
    ("changed", "outs", "ins", "attrs"),
    [
        ({}, "%t", "%p, %x, -1.0:float32", "reduce_op=max"),
        (
            {"onFalse": klr.Tile(whole("f", 128, 1)), "reversePred": True}, "%t", "%p, %x, %f",
            "reduce_op=max, reverse_pred=true",
        ),
        (
            {"reduceCmd": klr.AccumCmd.ZeroAccumulate, "reduceRes": whole("most", 128, 1)},
            "%t, %most", "%p, %x, -1.0:float32",
            "accumulator_cmd=ZeroAccumulate, reduce_op=max",
        ),
        (
            {"onFalse": klr.Imm(klr.PointerImm()), "onTrueImm": klr.FloatImm(2.0)}, "%t",
            "%p, 2.0:float32", "reduce_op=max",
        ),
    ],
)  # fmt: skip
def test_a_selection(changed, outs, ins, attrs):
    made = lowered("selectReduce", replace(SELECT, **changed))
    assert made == f"I-0 = CopyPredicated DVE outs({outs}) ins({ins}) {{{attrs}}}"


def test_a_selection_has_nothing_to_load():
    wrong = replace(SELECT, reduceCmd=klr.AccumCmd.LoadAccumulate)
    with pytest.raises(NkiError, match=r"NKI4501.*accumulation command.*LoadAccumulate"):
        lowered("selectReduce", wrong)


def test_predicated_copies():
    assert lowered("copyPredicated", COPY) == "I-0 = CopyPredicated DVE outs(%t) ins(%p, %x)"
    number_ = replace(COPY, srcImm=klr.FloatImm(7.0), reversePred=True)
    assert lowered("copyPredicated", number_) == (
        "I-0 = CopyPredicated DVE outs(%t) ins(%p, 7.0:float32) {reverse_pred=true}"
    )


def test_plain_calls_are_plain_statements():
    dst, data = tile("t", 128, 4), tile("x", 128, 4)
    predicate = tile("p", 128, 4, dtype=uint8)
    for inst in (
        AffSelTensorScalarOp(
            dst=dst, pattern=((1, 4),), channel_multiplier=-1, on_true_tile=data, on_false_value=0.0
        ),
        SelectReduce(dst=dst, predicate=predicate, on_true=data, on_false=0.0),
        TensorCopyPredicated(dst=dst, src=data, predicate=predicate),
    ):
        assert not klr.uses_extensions(emitted(inst))


def test_a_copied_number_is_an_extension_and_its_tile_the_result():
    predicate = tile("p", 128, 4, dtype=uint8)
    copy = emitted(TensorCopyPredicated(dst=tile("t", 128, 4), src=1.0, predicate=predicate))
    assert (copy.args.src, copy.args.srcImm) == (copy.args.dst, klr.FloatImm(1.0))
    select = emitted(
        SelectReduce(
            dst=tile("t", 128, 4),
            predicate=predicate,
            on_true=1,
            on_false=None,
            reduce_op=AluOp.max,
        )
    )
    assert (select.args.onTrue, select.args.onTrueImm) == (select.args.dst, klr.IntImm(1))
    assert select.args.onFalse == klr.Imm(klr.PointerImm())
