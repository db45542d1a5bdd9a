"""Operators and functions of one and two tiles: shapes that combine, dtypes, masks, both roads."""

from __future__ import annotations

import numpy as np
import pytest

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl

X = (np.arange(32 * 24).reshape(32, 24) % 37 - 12).astype(np.float32) / 4


def run(kernel, *arrays, target="trn1"):
    return nki.jit(kernel, platform_target=target)(*arrays)


def stored(tile):
    """A new output with the contents of `tile`."""
    out = nl.ndarray(tile.shape, dtype=tile.dtype, buffer=nl.shared_hbm)
    nl.store(out, tile)
    return out


SHAPES = [
    ((32, 24), (32, 24)), ((32, 24), (32, 1)), ((32, 1), (32, 24)), ((32, 24), (1, 24)),
    ((1, 24), (32, 24)), ((32, 24), (1, 1)), ((32, 1), (1, 24)), ((32, 4, 6), (32, 4, 1)),
    ((32, 4, 6), (32, 1, 6)), ((32, 4, 6), (1, 1, 6)), ((32, 1), (32, 4, 6)),
]  # fmt: skip


@pytest.mark.parametrize(("first", "second"), SHAPES, ids=str)
@pytest.mark.parametrize("name", ["add", "subtract", "maximum", "less"])
def test_tiles_of_shapes_that_combine(road, name, first, second):
    a = np.resize(X, first).astype(np.float32)
    b = np.resize(X[::-1, ::-1], second).astype(np.float32)

    def kernel(x, y):
        return stored(getattr(nl, name)(nl.load(x), nl.load(y)))

    wide = a.reshape(32, 1, 1) if len(first) < len(second) else a
    assert np.array_equal(run(kernel, a, b), getattr(np, name)(wide, b))


def test_shapes_that_do_not_combine(told):
    def kernel(x, y):
        return stored(nl.load(x) + nl.load(y))

    assert told(kernel, X, X[:16])[0].startswith("NKI2101")
    assert told(kernel, X, X[:, :5])[0].startswith("NKI2127")


@pytest.mark.parametrize(
    ("sign", "numpy"),
    [
        ("x + 2", lambda x: x + 2), ("2 - x", lambda x: 2 - x), ("x * x", lambda x: x * x),
        ("1 / (x * x + 1)", lambda x: 1 / (x * x + 1)), ("-x", lambda x: -x),
        ("abs(x)", abs), ("x > 1", lambda x: x > 1), ("x == x", lambda x: x == x),
        ("x % 2", lambda x: x % 2), ("~(x > 1)", lambda x: ~(x > 1)),
        ("(x > 1) & (x < 2)", lambda x: (x > 1) & (x < 2)), ("(x > 1) * x", lambda x: (x > 1) * x),
        ("(x > 1) | (x < 0)", lambda x: (x > 1) | (x < 0)), ("x[...]", lambda x: x),
        ("x[-8:, -4:]", lambda x: x[-8:, -4:]), ("x[:, 3]", lambda x: x[:, 3:4]),
    ],
)  # fmt: skip
def test_operators(road, sign, numpy):
    def kernel(a):
        x = nl.load(a)
        return stored(eval(sign, {"x": x}))

    assert np.allclose(run(kernel, X), numpy(X), rtol=1e-5)


def test_operators_in_place(road):
    def kernel(a):
        x = nl.load(a)
        x -= 1.0
        x *= x
        x[0:16, 0:4] += 3.0
        return stored(x)

    want = (X - 1) ** 2
    want[:16, :4] += 3
    assert np.allclose(run(kernel, X), want)


@pytest.mark.parametrize(
    ("first", "second", "kind"),
    [
        ("float32", "bfloat16", "float32"), ("bfloat16", "float16", "float32"),
        ("int32", "float16", "float16"), ("int8", "int32", "int32"), ("uint8", "int8", "int16"),
    ],
)  # fmt: skip
def test_dtypes_that_combine(first, second, kind):
    found = []

    def kernel(x):
        tile = nl.load(x)
        sum = nl.copy(tile, dtype=first) + nl.copy(tile, dtype=second)
        found.append(str(sum.dtype))
        return stored(sum)

    values = run(kernel, np.abs(X).round())
    assert found == [kind]
    assert np.array_equal(np.asarray(values, np.float32), 2 * np.abs(X).round())


def test_numbers_and_truths_have_dtypes():
    found = {}

    def kernel(x):
        tile = nl.load(x)
        found["fraction"] = str((tile + 0.5).dtype)
        found["integer"] = str((tile + 1).dtype)
        found["truth"] = str((tile > 1).dtype)
        found["given"] = str(nl.greater(tile, 1, dtype=nl.float32).dtype)
        return stored(tile + 0.5)

    whole = X.round().astype(np.int32)
    assert np.array_equal(run(kernel, whole), whole + 0.5)
    assert found == {
        "fraction": "float32", "integer": "int32", "truth": "bool", "given": "float32",
    }  # fmt: skip


@pytest.mark.parametrize("name", ["exp", "tanh", "floor", "square", "negative", "sin"])
def test_masks_and_dtypes_of_functions(road, name):
    def kernel(a):
        x = nl.load(a)
        y = nl.load(a)
        i, j = nl.mgrid[0:32, 0:24]
        y[0:20, 0:10] = getattr(nl, name)(x, mask=(i < 20) & (j < 10))[0:20, 0:10]
        return stored(y)

    want = X.copy()
    want[:20, :10] = getattr(np, name)(X)[:20, :10]
    assert np.allclose(run(kernel, X), want, atol=1e-3, rtol=1e-3)


@pytest.mark.parametrize("shape", [(32, 24), (32, 1), (1, 24)])
def test_where(road, shape):
    other = np.resize(X + 50, shape).astype(np.float32)

    def kernel(a, b):
        x = nl.load(a)
        return stored(nl.where(x > 0, x, nl.load(b)))

    assert np.array_equal(run(kernel, X, other), np.where(X > 0, X, other))


def test_where_under_a_mask_with_numbers(road):
    def kernel(a):
        x = nl.load(a)
        i, j = nl.mgrid[0:32, 0:24]
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        nl.store(out, 9.0)
        chosen = nl.where(x > 0, 1.0, x, mask=(j < 7))
        nl.store(out[i, j], chosen[i, j], mask=(j < 7))
        return out

    want = np.where(X > 0, 1, X)
    want[:, 7:] = 9
    assert np.array_equal(run(kernel, X), want)


def test_refuses_keywords_that_no_function_has(told):
    def kernel(a):
        return stored(nl.exp(nl.load(a), colour=1))

    assert told(kernel, X)[0].startswith("NKI1004")


def test_limits_and_bytes():
    from neuronxcc.nki.language.constants import sizeinbytes

    assert nl.fp32.min == np.finfo(np.float32).min
    assert nl.fp32.max == np.finfo(np.float32).max
    assert [sizeinbytes(d) for d in (nl.float32, np.float16, nl.int8)] == [4, 2, 1]


@pytest.mark.parametrize("column", [False, True])
def test_tiles_of_many_dimensions(road, column):
    def kernel(x, y):
        tile, other = nl.load(x), nl.load(y)
        grid = nl.mgrid[0:32, 0:2, 0:3, 0:2, 0:2, 0:2, 0:3]
        p, a, b, c, d, e, f = grid
        flat = a * 72 + c * 36 + d * 18 + e * 9 + f * 3 + b
        out = nl.zeros((32, 144), dtype=nl.float32)
        right = other[:, 0:1] if column else other[p, flat]
        out[p, flat] = tile[p, flat] + right
        out[p, flat] += 1.0
        return stored(out)

    x = np.arange(32 * 144, dtype=np.float32).reshape(32, 144)
    y = x[::-1].copy()
    assert np.array_equal(run(kernel, x, y), x + (y[:, :1] if column else y) + 1)


def test_filling_many_dimensions(road):
    def kernel(x):
        out = nl.load(x)
        p, a, b, c, d, e, f = nl.mgrid[0:32, 0:2, 0:2, 0:2, 0:2, 0:2, 0:2]
        out[p, a * 96 + b * 48 + c * 24 + d * 12 + e * 6 + f * 3] = 7.0
        return stored(out)

    x = np.arange(32 * 192, dtype=np.float32).reshape(32, 192)
    want = x.copy()
    want[:, ::3] = 7
    assert np.array_equal(run(kernel, x), want)
