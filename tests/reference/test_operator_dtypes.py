"""Operators on every dtype, in every form of their operands, against NumPy in float32.

Values are small, so that float32 holds every result that the dtype of the result does.
"""

from __future__ import annotations

import numpy as np
import pytest

import nki
import nki.language as nl
from opennki.base.dtypes import dtype as named
from opennki.base.numerics import from_f32, to_f32
from opennki.testing.programs import RUNNERS

F32 = np.float32
DTYPES = (
    "bool", "uint8", "int8", "uint16", "int16", "uint32", "int32", "float8_e4m3", "float8_e5m2",
    "float16", "bfloat16", "float32",
)  # fmt: skip
OPERATORS = {
    "add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.divide,
    "maximum": np.maximum, "minimum": np.minimum, "mod": np.mod, "fmod": np.fmod,
    "power": np.power, "equal": np.equal, "not_equal": np.not_equal, "less": np.less,
    "less_equal": np.less_equal, "greater": np.greater, "greater_equal": np.greater_equal,
    "logical_and": np.logical_and, "logical_or": np.logical_or, "logical_xor": np.logical_xor,
}  # fmt: skip

# form: shapes of the tiles, and the operands that are made of tiles x and y
FORMS = {
    "two tiles": (((8, 4), (8, 4)), lambda x, y: (x, y)),
    "five dimensions": (((4, 2, 2, 3, 2), (4, 2, 2, 3, 2)), lambda x, y: (x, y)),
    "strided views": (((8, 4, 6), (8, 4, 6)), lambda x, y: (x[:, ::2, 1:4], y[:, 1::2, 3:6])),
    "a vector": (((8, 4), (8, 1)), lambda x, y: (x, y)),
    "a vector first": (((8, 1), (8, 4)), lambda x, y: (x, y)),
    "an integer": (((8, 4),), lambda x: (x, 3)),
    "an integer first": (((8, 4),), lambda x: (3, x)),
    "a fraction": (((8, 4),), lambda x: (x, 2.5)),
    "a truth value": (((8, 4),), lambda x: (x, True)),
    "a NumPy scalar": (((8, 4),), lambda x: (x, np.float32(1.5))),
    "a NumPy integer": (((8, 4),), lambda x: (np.int64(2), x)),
    "an array without dimensions": (((8, 4),), lambda x: (x, np.array(2, np.int16))),
}


@nki.jit
def applied(*arrays, name, form):
    """The operator `name` of tiles of `arrays`, in one `form`."""
    make = FORMS[form][1]
    made = getattr(nl, name)(*make(*[nl.load(array) for array in arrays]))
    out = nl.ndarray(made.shape, made.dtype, nl.shared_hbm)
    nl.store(out, made)
    return out


def expected(name, form, arrays, dtype):
    """NumPy's result of the same operands in float32, rounded once to `dtype`."""
    wide = [to_f32(a, dtype) for a in arrays]
    operands = [
        o if isinstance(o, np.ndarray) and o.ndim else F32(o) for o in FORMS[form][1](*wide)
    ]
    exact = np.asarray(OPERATORS[name](*operands), F32)
    integers = form not in ("a fraction", "a NumPy scalar")
    if dtype == "uint32" and name == "subtract" and integers:  # in 32 bits, where it wraps
        return np.where(exact < 0, exact.astype(np.float64) + 2**32, exact).astype(np.uint32)
    return from_f32(exact, dtype)


def check(name, dtype, form, target, level):
    rng = np.random.default_rng(7)
    kind = named(dtype)
    high = 2 if dtype == "bool" else 7
    arrays = [rng.integers(1, high, shape).astype(kind.np) for shape in FORMS[form][0]]
    given = [a.astype(np.bool_) for a in arrays] if dtype == "bool" else arrays
    got = nki.simulate(applied, target=target, level=level)(*given, name=name, form=form)
    want = expected(name, form, arrays, kind)
    assert got.shape == want.shape
    got, want = (to_f32(np.asarray(a).view(kind.np), kind) for a in (got, want))
    rounded_twice = 2.0**-22 if kind == nl.float32 else 0  # by NumPy's function, and by ours
    np.testing.assert_allclose(got, want, rtol=rounded_twice)


@pytest.mark.filterwarnings("ignore::opennki.base.diag.NkiWarning")
@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_an_operator_gives_what_numpy_gives(name, dtype):
    for form in FORMS:
        check(name, dtype, form, "trn2", "penguin")


@pytest.mark.filterwarnings("ignore::opennki.base.diag.NkiWarning")
@pytest.mark.parametrize("level", RUNNERS)
@pytest.mark.parametrize("target", ["trn1", "trn2", "trn3"])
@pytest.mark.parametrize("form", FORMS)
def test_every_form_works_at_every_level_on_every_target(form, target, level):
    for name, dtype in (("subtract", "bfloat16"), ("less", "int32"), ("multiply", "float8_e4m3")):
        check(name, dtype, form, target, level)


UNARY = {
    "exp": np.exp, "tanh": np.tanh, "relu": lambda x: np.maximum(x, 0), "square": np.square,
    "abs": np.abs, "sign": np.sign, "sqrt": np.sqrt, "reciprocal": lambda x: 1 / x,
    "negative": np.negative, "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc,
    "sin": np.sin, "cos": np.cos, "arctan": np.arctan, "copy": lambda x: x,
    "logical_not": lambda x: x == 0,
}  # fmt: skip
VIEWS = {
    "permuted": lambda x: x.permute((0, 3, 2, 1, 4)),
    "strided": lambda x: x[:, :, ::2, 1:3],
    "merged": lambda x: x.flatten_dims(1, 3),
    "indexed": lambda x: x[:, 1, 2],
}
ARRAYS = {
    "permuted": lambda x: x.transpose(0, 3, 2, 1, 4),
    "strided": lambda x: x[:, :, ::2, 1:3],
    "merged": lambda x: x.reshape(4, 24, 2),
    "indexed": lambda x: x[:, 1, 2],
}


@nki.jit
def of_a_view(x, name, view, memory):
    tile = nl.load(x)
    if memory == "psum":
        moved = nl.ndarray(x.shape, x.dtype, nl.psum)
        nki.isa.tensor_copy(dst=moved, src=tile)
        tile = moved
    made = getattr(nl, name)(VIEWS[view](tile))
    out = nl.ndarray(made.shape, made.dtype, nl.shared_hbm)
    nl.store(out, made)
    return out


@pytest.mark.parametrize("name", UNARY)
@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("memory", ["sbuf", "psum"])
def test_a_function_of_a_view_in_either_memory(name, view, memory, rng):
    x = (rng.integers(1, 96, (4, 2, 3, 4, 2)) / 32).astype(F32)
    want = np.asarray(UNARY[name](ARRAYS[view](x).astype(np.float64)), F32)
    for level in RUNNERS:
        got = nki.simulate(of_a_view, target="trn2", level=level)(x, name, view, memory)
        assert got.shape == want.shape
        np.testing.assert_allclose(got, want, rtol=1e-6, atol=4e-7)  # as the functions say


FOLDS = {
    "sum": np.sum, "max": np.max, "min": np.min, "mean": np.mean, "prod": np.prod, "var": np.var,
}  # fmt: skip


@nki.jit
def folded(x, name, axis, permuted):
    tile = nl.load(x)
    tile = tile.permute((0, 2, 1, 3)) if permuted else tile
    made = getattr(nl, name)(tile, axis=axis, keepdims=True)
    out = nl.ndarray(made.shape, made.dtype, nl.shared_hbm)
    nl.store(out, made)
    return out


@pytest.mark.filterwarnings("ignore::opennki.base.diag.NkiWarning")
@pytest.mark.parametrize("name", FOLDS)
@pytest.mark.parametrize("dtype", ["uint8", "int32", "bfloat16", "float16", "float32"])
@pytest.mark.parametrize("target", ["trn1", "trn2", "trn3"])
def test_a_fold_of_any_dtype_rounds_once(name, dtype, target):
    kind = named(dtype)
    x = np.random.default_rng(3).integers(1, 3, (4, 2, 3, 2)).astype(kind.np)
    for axis in (-1, (2, 3), [1, 2, 3]):
        for permuted in (False, True):
            wide = to_f32(x, kind).astype(np.float64)
            wide = wide.transpose(0, 2, 1, 3) if permuted else wide
            axes = axis if isinstance(axis, int) else tuple(axis)
            want = from_f32(FOLDS[name](wide, axis=axes, keepdims=True).astype(F32), kind)
            got = nki.simulate(folded, target=target, level="program")(x, name, axis, permuted)
            assert got.shape == want.shape
            got, want = to_f32(got, kind), to_f32(want, kind)
            np.testing.assert_allclose(got, want, rtol=0 if dtype != "float32" else 1e-6)
