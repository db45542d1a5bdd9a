"""Attention as a graph op: meaning and rules."""

from __future__ import annotations

import numpy as np
import pytest

from opennki.base.diag import NkiError


def test_queries_weight_values_by_their_likeness_to_keys(builder, argument, meaning):
    """Scores 0 and ln 3 give the weights 1/4 and 3/4."""
    names = ("q", "k", "v")
    y = builder.attention(*(argument(name, 2, 1) for name in names), scale=1.0)
    q, k, v = np.float32([[1], [0]]), np.float32([[0], [np.log(3)]]), np.float32([[8], [16]])
    got = meaning(builder.function, y, q=q, k=k, v=v)
    np.testing.assert_allclose(got, [[14], [12]], rtol=1e-6)


def test_a_causal_query_sees_no_later_key(builder, argument, meaning):
    names = ("q", "k", "v")
    y = builder.attention(*(argument(name, 3, 1) for name in names), causal=True)
    q = k = np.zeros((3, 1), np.float32)
    got = meaning(builder.function, y, q=q, k=k, v=np.float32([[3], [5], [7]]))
    assert got.tolist() == [[3], [4], [5]]


def test_the_scale_is_one_over_the_root_of_the_size(builder, argument):
    q = argument("q", 2, 16)
    builder.attention(q, q, q)
    (op,) = builder.function.body
    assert op.factor == 0.25


def test_heads_and_the_size_of_values_are_kept(builder, argument):
    q, k, v = argument("q", 2, 3, 5, 8), argument("k", 2, 3, 7, 8), argument("v", 2, 3, 7, 4)
    assert builder.attention(q, k, v).shape == (2, 3, 5, 4)


SHAPES = "%q: float32[4, 8]; %k: float32[6, 8]; %v: float32[6, 5]; %y: float32[4, 5]"
CALL = "attention dst=%y, query=%q, key=%k, value=%v"


@pytest.mark.parametrize(
    ("old", "new", "more", "code", "message"),
    [
        (
            "", "", ", causal=true", "NKI2802",
            "`key` of attention has the shape (6, 8); (4, 8) is needed, as `query`, of which each "
            "sees the keys up to it, says",
        ),
        (
            "%v: float32[6, 5]", "%v: float32[7, 5]", "", "NKI2802",
            "`value` of attention has the shape (7, 5); (6, 5) is needed, as `key` says",
        ),
        (
            "%y: float32[4, 5]", "%y: float32[4, 8]", "", "NKI2802",
            "`dst` of attention has the shape (4, 8); (4, 5) is needed, as `query` with `value` "
            "says",
        ),
        (
            "%q: float32[4, 8]", "%q: float32[8]", "", "NKI2801",
            "`query` of attention has rank 1; rank 2 or more is needed",
        ),
        (
            "%v: float32", "%v: float16", "", "NKI2803",
            "`value` of attention is float16, and `query` is float32",
        ),
        ("", "", ", scale=inf", "NKI2804", "scale of attention is inf; a finite number is allowed"),
    ],
)  # fmt: skip
def test_rules(refused, old, new, more, code, message):
    assert refused(SHAPES, CALL) == []
    found = refused(SHAPES.replace(old, new), CALL + more)
    assert (code, message) in found, found


def test_the_builder_refuses_at_once(builder, argument):
    with pytest.raises(NkiError, match="NKI2801"):
        builder.attention(argument("q", 4), argument("k", 4, 8), argument("v", 4, 8))
    assert builder.function.body == []
    assert list(builder.function.tensors) == ["q", "k", "v"]
