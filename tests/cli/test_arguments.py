"""The grammar of --arg and --grid, and the arrays that are made from it."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from opennki.base import dtypes
from opennki.base.diag import NkiError
from opennki.cli.arguments import FILLS, Filled, parse_arguments, parse_grid
from opennki.cli.inputs import make_arrays
from opennki.driver import ArraySpec


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("n=3", 3),
        ("n=-2", -2),
        ("eps=1e-6", 1e-6),
        ("flag=true", True),
        ("flag=False", False),
        ("which=none", None),
        ("shape=(3,4)", (3, 4)),
        ("scales=[0.5, 2]", [0.5, 2]),
        ("signs=[1, -1]", [1, -1]),
        ("mode=fast", "fast"),
        ('mode="3"', "3"),
        ("dtype=bfloat16", "bfloat16"),
    ],
)
def test_constants(text: str, value: object):
    parsed = parse_arguments([text])[text.partition("=")[0]]
    assert (parsed, isinstance(parsed, bool)) == (value, isinstance(value, bool))


@pytest.mark.parametrize(
    ("text", "dtype", "shape", "fill"),
    [
        ("x=bf16[128,512]", "bfloat16", (128, 512), "normal"),
        ("x=float32[7]:ones", "float32", (7,), "ones"),
        ("x = i32[2, 3, 4]:arange", "int32", (2, 3, 4), "arange"),
    ],
)
def test_arrays(text: str, dtype: str, shape: tuple[int, ...], fill: str):
    assert parse_arguments([text]) == {"x": Filled(ArraySpec(shape, dtypes.dtype(dtype)), fill)}


@given(st.sampled_from(dtypes.ALL), st.lists(st.integers(1, 999), min_size=1, max_size=5))
def test_the_text_of_a_spec_reads_back(dtype: dtypes.DType, shape: list[int]):
    spec = ArraySpec(tuple(shape), dtype)
    assert ArraySpec.parse(str(spec)) == spec


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("x", "it has no `=`"),
        ("3=x", "`3` is not the name of a parameter"),
        ("x=", "`` is neither an array nor a constant"),
        ("x=f32[128", "neither an array nor a constant"),
        ("x=f33[128]", "there is no dtype f33; did you mean f32?"),
        ("x=f32[]", "every size must be a positive integer"),
        ("x=f32[0,3]", "every size must be a positive integer"),
        ("x=f32[3]:twos", "`twos` is none of normal, rand, ones, zeros, arange"),
        ("x=[128,512]", "did you mean x=f32[128,512]? (a tuple is written x=(128, 512))"),
        ("x=[3]", "did you mean x=f32[3]? (a tuple is written x=(3,))"),
        ("x=__import__('os')", "neither an array nor a constant"),
    ],
)
def test_what_is_wrong_is_said(text: str, why: str):
    with pytest.raises(NkiError) as caught:
        parse_arguments([text])
    assert caught.value.code == "NKI7004"
    assert why in caught.value.diagnostics[0].message


def test_every_wrong_argument_is_reported():
    with pytest.raises(NkiError) as caught:
        parse_arguments(["a", "n=3", "x=f33[1]", "n=4"])
    assert len(caught.value.diagnostics) == 3


def test_a_file_gives_its_array(directory):
    np.save("x.npy", np.arange(6, dtype=np.float32))
    assert parse_arguments(["x=@x.npy"])["x"].tolist() == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("array", "why"),
    [
        (np.array([object()]), "Object arrays cannot be loaded"),
        (np.zeros(3), "its dtype is float64"),
    ],
)
def test_a_file_that_holds_no_usable_array(array: np.ndarray, why: str):
    np.save("x.npy", array, allow_pickle=True)
    with pytest.raises(NkiError, match="NKI7015") as caught:
        parse_arguments(["x=@x.npy"])
    assert why in str(caught.value)


def test_grid():
    assert (parse_grid(None), parse_grid("2"), parse_grid("2,4")) == (None, (2,), (2, 4))
    for wrong in ("", "0", "-1", "two", "2,,2"):
        with pytest.raises(NkiError, match="NKI7012"):
            parse_grid(wrong)


@pytest.mark.parametrize("dtype", dtypes.ALL, ids=str)
@pytest.mark.parametrize("fill", FILLS)
def test_every_dtype_and_fill_gives_a_finite_array(dtype: dtypes.DType, fill: str):
    wanted = {"x": Filled(ArraySpec((4, 5), dtype), fill)}
    made = make_arrays(wanted, 0)["x"]
    assert made.shape == (4, 5)
    assert made.dtype == (np.dtype(bool) if dtype == "bool" else dtype.np)
    if dtype not in dtypes.PACKED:
        assert np.isfinite(made.astype(np.float32)).all()


def test_contents_depend_on_seed_and_name_only():
    spec = Filled(ArraySpec((8, 8), dtypes.bfloat16))
    alone, both = make_arrays({"x": spec}, 1), make_arrays({"y": spec, "x": spec}, 1)
    assert alone["x"].dtype == ml_dtypes.bfloat16
    assert (alone["x"] == both["x"]).all()
    assert (both["x"] != both["y"]).any()
    assert (alone["x"] != make_arrays({"x": spec}, 2)["x"]).any()


def test_fills():
    spec = ArraySpec((2, 3), dtypes.float32)
    made = {f: make_arrays({"x": Filled(spec, f)}, 0)["x"].tolist() for f in FILLS}
    assert made["ones"] == [[1, 1, 1], [1, 1, 1]]
    assert made["zeros"] == [[0, 0, 0], [0, 0, 0]]
    assert made["arange"] == [[0, 1, 2], [3, 4, 5]]
    assert all(0 <= v < 1 for row in made["rand"] for v in row)
    assert any(v < 0 for row in made["normal"] for v in row)
