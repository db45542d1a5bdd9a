"""Reductions along the free dimensions by the second road."""

from __future__ import annotations

from dataclasses import replace

import pytest

from opennki import klr
from opennki.base.diag import NkiError
from opennki.isa.enums import AluOp
from opennki.isa.reduce import TensorReduceOp, TensorScalarCacheReduce
from opennki.testing.statements import emitted, lowered, number, tile, whole


def reduced(dims):
    args = klr.TensorReduce(
        whole("t", 128, 1), whole("x", 128, 2, 1, 3, 1), klr.AluOp.max, klr.TensorSubDim[dims],
        False, None, False,
    )  # fmt: skip
    return lowered("tensorReduce", args)


@pytest.mark.parametrize(
    ("dims", "attrs"),
    [
        ("X", "op=max"),
        ("XY", "axis=XY, op=max"),
        ("XYZ", "axis=XYZ, op=max"),
        ("XYZW", "axis=XYZW, op=max"),
    ],
)
def test_a_reduction_names_its_dimensions(dims, attrs):
    assert reduced(dims) == f"I-0 = TensorReduce DVE outs(%t) ins(%x) {{{attrs}}}"


def test_partitions_are_not_reduced():
    args = klr.TensorReduce(
        whole("t", 128, 1), whole("x", 128, 6), klr.AluOp.max, klr.TensorSubDim.XY, False, None,
        False,
    )  # fmt: skip
    with pytest.raises(NkiError, match=r"NKI4501.*unsupported opDim of an access of 2 pairs.*XY"):
        lowered("tensorReduce", args)


def test_a_negated_reduction():
    args = klr.TensorReduce(
        whole("t", 128, 1), whole("x", 128, 6), klr.AluOp.add, klr.TensorSubDim.X, True, None, True
    )
    assert "{negate=true, op=add}" in lowered("tensorReduce", args)


def test_dimensions_of_size_one_are_left_out():
    inst = TensorReduceOp(
        dst=tile("t", 128, 2), op=AluOp.add, data=tile("x", 128, 2, 1, 3, 1), axis=(2, 3, 4)
    )
    made = emitted(inst)
    assert made.args.opDim is klr.TensorSubDim.X
    assert not klr.uses_extensions(made)
    assert lowered(made.kind, made.args) == (
        "I-0 = TensorReduce DVE outs(%t) ins(%x[0; 6*128, 3*2, 1*3]) {op=add}"
    )


def reduction(**changed):
    args = klr.TensorScalarReduce(
        whole("t", 128, 4), whole("x", 128, 4), number(2.0), klr.AluOp.mult, False, None,
        klr.AluOp.add, whole("sum", 128, 1), klr.AccumCmd.ZeroAccumulate, None,
    )  # fmt: skip
    return lowered("tensorScalarReduce", replace(args, **changed))


@pytest.mark.parametrize(
    ("changed", "outs", "ins", "attrs"),
    [
        ({}, "%t, %sum", "%x, 2.0:float32", "acc=ZeroAccumulate, op0=mult, op1=add"),
        ({"hasReduceRes": False}, "%t", "%x, 2.0:float32", "acc=ZeroAccumulate, op0=mult, op1=add"),
        (
            {"reduceCmd": klr.AccumCmd.LoadAccumulate, "reduceInit": klr.IntImm(3)},
            "%t, %sum", "%x, 2.0:float32, 3:int32", "acc=LoadAccumulate, op0=mult, op1=add",
        ),
        (
            {
                "reduceCmd": klr.AccumCmd.LoadAccumulate, "reduceInitTile": whole("i", 128, 1),
                "negateReduceRes": True,
            },
            "%t, %sum", "%x, 2.0:float32, %i",
            "acc=LoadAccumulate, negate_second_output=true, op0=mult, op1=add",
        ),
        (
            {"operand0": klr.Imm(klr.PointerImm()), "op0": klr.AluOp.abs, "reverse0": True},
            "%t, %sum", "%x", "acc=ZeroAccumulate, op0=abs, op1=add, reverse0=true",
        ),
    ],
)  # fmt: skip
def test_a_reduction_of_a_tile_and_a_scalar(changed, outs, ins, attrs):
    want = f"I-0 = TensorScalarCache DVE outs({outs}) ins({ins}) {{{attrs}}}"
    assert reduction(**changed) == want


def test_what_a_reduction_cannot_do():
    with pytest.raises(
        NkiError, match=r"NKI4501.*unsupported reduceOp of tensorScalarReduce.*none"
    ):
        reduction(reduceOp=None)
    with pytest.raises(NkiError, match=r"NKI4501.*reduceInit and reduceInitTile"):
        reduction(reduceInit=klr.FloatImm(0.0), reduceInitTile=whole("i", 128, 1))


def call(**more):
    return TensorScalarCacheReduce(
        dst=tile("t", 128, 4), data=tile("x", 128, 4), op0=AluOp.add, operand0=1.0,
        reduce_op=AluOp.add, **more,
    )  # fmt: skip


def test_a_plain_call_is_a_plain_statement():
    assert not klr.uses_extensions(emitted(call(reduce_res=tile("sum", 128, 1))))


def test_a_reduction_that_stays_in_the_accumulators_repeats_its_tile():
    made = emitted(call(reduce_res=None)).args
    assert (made.hasReduceRes, made.reduceRes) == (False, made.dst)
