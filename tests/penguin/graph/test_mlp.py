"""The gated perceptron as a graph op: meaning and rules."""

from __future__ import annotations

import numpy as np
import pytest

from opennki.isa.enums import ActFunc

SHAPES = (
    "%x: float32[4, 8]; %g: float32[8, 6]; %u: float32[8, 6]; %d: float32[6, 8]; %y: float32[4, 8]"
)
CALL = "mlp dst=%y, src=%x, gate=%g, up=%u, down=%d"


def test_worked_by_hand(builder, argument, meaning):
    """relu(2) * 6 - relu(-2) * 5 and so on: one token, two inner columns."""
    weights = (argument(name, 2, 2) for name in "gud")
    y = builder.mlp(argument("x", 1, 2), *weights, activation=ActFunc.Relu)
    arrays = {
        "x": [[1, 2]], "g": [[0, 0], [1, -1]], "u": [[4, 1], [1, 2]], "d": [[10, 1], [100, 100]],
    }  # fmt: skip
    got = meaning(builder.function, y, **{n: np.float32(v) for n, v in arrays.items()})
    assert got.tolist() == [[120, 12]]


def test_silu_opens_by_half_at_zero_and_wholly_far_from_it(builder, argument, meaning):
    x, w = argument("x", 1, 1), argument("w", 1, 1)
    y = builder.mlp(x, w, w, w)
    got = meaning(builder.function, y, x=np.float32([[100]]), w=np.float32([[1]]))
    assert got.tolist() == [[10000]]


@pytest.mark.parametrize(
    ("old", "new", "more", "code", "message"),
    [
        (
            "%u: float32[8, 6]", "%u: float32[6, 8]", "", "NKI2802",
            "`up` of mlp has the shape (6, 8); (8, 6) is needed, as `gate` says",
        ),
        (
            "%d: float32[6, 8]", "%d: float32[6, 7]", "", "NKI2802",
            "`down` of mlp has the shape (6, 7); (6, 8) is needed, as `gate` says",
        ),
        (
            "%g: float32[8, 6]", "%g: float32[1, 8, 6]", "", "NKI2801",
            "`gate` of mlp has rank 3; rank 2 is needed",
        ),
        (
            "%d: float32", "%d: bfloat16", "", "NKI2803",
            "`down` of mlp is bfloat16, and `src` is float32",
        ),
        (
            "", "", ", activation=Exp", "NKI2804",
            "activation of mlp is Exp; Silu, Gelu, Gelu_apprx_tanh, Gelu_apprx_sigmoid, Relu, "
            "Sigmoid is allowed",
        ),
    ],
)  # fmt: skip
def test_rules(refused, old, new, more, code, message):
    assert refused(SHAPES, CALL) == []
    found = refused(SHAPES.replace(old, new), CALL + more)
    assert (code, message) in found, found
