"""Softmax and RMS normalisation as graph ops: meaning and rules."""

from __future__ import annotations

import numpy as np
import pytest


def test_softmax_of_equal_and_of_distant_numbers(builder, argument, meaning):
    y = builder.softmax(argument("x", 2, 4))
    x = np.array([[7, 7, 7, 7], [0, 0, 200, 0]], np.float32)
    got = meaning(builder.function, y, x=x)
    assert got.tolist() == [[0.25] * 4, [0, 0, 1, 0]]


def test_softmax_along_the_first_dimension(builder, argument, meaning):
    y = builder.softmax(argument("x", 2, 3), axis=0)
    x = np.log(np.array([[1, 2, 3], [3, 2, 1]], np.float32))
    got = meaning(builder.function, y, x=x)
    np.testing.assert_allclose(got, [[0.25, 0.5, 0.75], [0.75, 0.5, 0.25]], rtol=1e-6)


def test_rms_norm_worked_by_hand(builder, argument, meaning):
    """mean(9, 16) = 12.5, whose root with eps = 3.5 is 4."""
    y = builder.rms_norm(argument("x", 1, 2), argument("w", 2), eps=3.5)
    got = meaning(builder.function, y, x=np.float32([[3, 4]]), w=np.float32([1, 10]))
    assert got.tolist() == [[0.75, 10.0]]


@pytest.mark.parametrize(
    ("tensors", "statement", "code", "message"),
    [
        (
            "%x: float32[8, 4]; %y: float32[4, 8]", "softmax dst=%y, src=%x", "NKI2802",
            "`dst` of softmax has the shape (4, 8); (8, 4) is needed, as `src` says",
        ),
        (
            "%x: float32[8, 4]; %y: float32[8, 4]", "softmax dst=%y, src=%x, axis=2", "NKI2804",
            "axis of softmax is 2; -2 to 1 is allowed",
        ),
        (
            "%x: float32[8, 4]; %y: bfloat16[8, 4]", "softmax dst=%y, src=%x", "NKI2803",
            "`dst` of softmax is bfloat16, and `src` is float32",
        ),
        (
            "%x: float32[8, 4]; %w: float32[8]; %y: float32[8, 4]",
            "rms_norm dst=%y, src=%x, weight=%w", "NKI2802",
            "`weight` of rms_norm has the shape (8,); (4,) is needed, as the last size of `src` "
            "says",
        ),
        (
            "%x: float32[8, 4]; %w: float32[4]; %y: float32[8, 4]",
            "rms_norm dst=%y, src=%x, weight=%w, eps=-1.0", "NKI2804",
            "eps of rms_norm is -1.0; a finite number that is 0 or more is allowed",
        ),
        (
            "%x: int32[8, 4]; %y: int32[8, 4]", "softmax dst=%y, src=%x", "NKI2106",
            "operand `dst` is int32; softmax accepts float16, bfloat16, float32 on trn2 "
            "(cayman)",
        ),
    ],
)  # fmt: skip
def test_rules(refused, tensors, statement, code, message):
    found = refused(tensors, statement)
    assert (code, message) in found, found


def test_operands_are_in_hbm(refused):
    text = "%x: float32[8, 4]; %y: float32[8, 4]; %t: float32[8, 4]"
    assert refused(text, "softmax dst=%y, src=%x") == []
    lines = text.replace("%t: float32[8, 4]", "%t: float32[8, 4] sbuf address=0 //")
    assert [code for code, _ in refused(lines, "softmax dst=%y, src=%t")] == ["NKI2105"]
