"""Functions with scale and bias by the second road."""

from __future__ import annotations

from dataclasses import replace

import pytest

from opennki import klr
from opennki.base.diag import NkiError
from opennki.builder.klr_emit.activation import FUNCTIONS as WRITTEN
from opennki.isa.activation import ActivationAccumulationOp, ActivationOp
from opennki.isa.enums import ActFunc, AluOp
from opennki.lower.beta2.enums import FUNCTIONS as READ
from opennki.testing.statements import emitted, lowered, number, tile, whole

REDUCED = {"accumulatorCmd": klr.AccumCmd.ZeroAccumulate, "reduceRes": whole("sum", 128, 1)}


def activation(kind="ncActivate", **changed):
    args = klr.NcActivate(
        whole("t", 128, 4), whole("x", 128, 4), klr.AccumCmd.Idle, klr.ActivationFunc.exp,
        number(2.0), whole("b", 128, 1), None, None, None,
    )  # fmt: skip
    return lowered(kind, replace(args, **changed))


@pytest.mark.parametrize(
    ("changed", "outs", "ins", "attrs"),
    [
        ({}, "%t", "%x, %b", "alpha=0.0, func=Exp, scale=2.0"),
        ({"bias": None}, "%t", "%x", "alpha=0.0, func=Exp, scale=2.0"),
        (
            {"bias": None, "biasImm": klr.IntImm(1)}, "%t", "%x, 1:int32",
            "alpha=0.0, func=Exp, scale=2.0",
        ),
        (
            {"scale": klr.Tile(whole("s", 128, 1))}, "%t", "%x, %b, %s",
            "alpha=0.0, func=Exp, scale=1.0",
        ),
        (
            {"scale": klr.Tile(whole("s", 128, 1)), "bias": None}, "%t", "%x, -0.0:float32, %s",
            "alpha=0.0, func=Exp, scale=1.0",
        ),
        (
            {"activationFunc": klr.ActivationFunc.prelu, "alpha": 0.25}, "%t", "%x, %b",
            "alpha=0.25, func=Prelu, scale=2.0",
        ),
        (
            {**REDUCED, "reduceOp": klr.AluOp.add}, "%t, %sum", "%x, %b",
            "acc=ZeroAccumulate, alpha=0.0, func=Exp, reduce_op=add, scale=2.0",
        ),
        (
            {"accumulatorCmd": klr.AccumCmd.Accumulate, "reduceOp": klr.AluOp.add}, "%t", "%x, %b",
            "acc=Accumulate, alpha=0.0, func=Exp, reduce_op=add, scale=2.0",
        ),
    ],
)  # fmt: skip
def test_an_activation(changed, outs, ins, attrs):
    assert activation(**changed) == f"I-0 = Activation ACT outs({outs}) ins({ins}) {{{attrs}}}"


@pytest.mark.parametrize("op", ["add", "max", "abs_max"])
def test_a_reduction_names_its_operator(op):
    made = activation("activationReduce", **REDUCED, reduceOp=klr.AluOp[op])
    assert made == (
        "I-0 = Activation ACT outs(%t, %sum) ins(%x, %b) "
        f"{{acc=ZeroAccumulate, alpha=0.0, func=Exp, reduce_op={op}, scale=2.0}}"
    )


@pytest.mark.parametrize(
    ("kind", "changed", "text"),
    [
        ("ncActivate", {"scale": klr.Imm(klr.IntImm(2))}, "scale of activation.*int"),
        ("ncActivate", {"biasImm": klr.FloatImm(1.0)}, "activation.*bias and biasImm"),
        (
            "ncActivate", {"accumulatorCmd": klr.AccumCmd.LoadAccumulate},
            "accumulation command.*LoadAccumulate",
        ),
        ("activationReduce", REDUCED, "reduceOp of activationReduce.*none"),
    ],
)  # fmt: skip
def test_what_an_activation_cannot_do(kind, changed, text):
    with pytest.raises(NkiError, match=f"NKI4501.*unsupported {text}"):
        activation(kind, **changed)


def test_every_function_has_one_name_in_each_form():
    assert {func: READ[WRITTEN[func]] for func in ActFunc} == {func: func for func in ActFunc}


def call(**more):
    return ActivationOp(dst=tile("t", 128, 4), op=ActFunc.Exp, data=tile("x", 128, 4), **more)


@pytest.mark.parametrize(
    "inst",
    [
        call(),
        call(bias=tile("b", 128, 1), scale=2),
        call(scale=tile("s", 128, 1)),
        ActivationAccumulationOp(
            dst=tile("t", 128, 4), op=ActFunc.Ln, data=tile("x", 128, 4), reduce_op=AluOp.add,
            reduce_res=tile("sum", 128, 1),
        ),
    ],
)  # fmt: skip
def test_a_plain_call_is_a_plain_statement(inst):
    assert not klr.uses_extensions(emitted(inst))


def test_a_number_as_bias_is_an_extension():
    made = emitted(call(bias=1.0))
    assert made.args.biasImm == klr.FloatImm(1.0)
    assert klr.uses_extensions(made)
