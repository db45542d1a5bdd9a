"""What messages tell newcomers: whole sentences, what to write instead, no advice that fails."""

from __future__ import annotations

import math

import numpy as np
import pytest

import opennki.api.isa as nisa
import opennki.api.language as nl
from opennki.api.jit import simulate
from opennki.base.diag import Diagnostic, NkiError

ONES = np.ones((128, 64), np.float32)


def refused(use, array=ONES, target="trn2") -> Diagnostic:
    """The only problem of a kernel that passes its argument to `use`."""

    def kernel(x):
        use(x)
        return x

    with pytest.raises(NkiError) as caught:
        simulate(kernel, target=target)(array)
    (found,) = caught.value.diagnostics
    return found


def tile(x):
    return nl.load(x)


# ---- Python that needs values --------------------------------------------------------------------

NEEDS = {
    "list": (list, "iteration"),
    "int": (int, "conversion to an integer"),
    "float": (float, "conversion to a float"),
    "complex": (complex, "conversion to a complex number"),
    "round": (lambda t: round(t, 1), "rounding"),
    "trunc": (math.trunc, "conversion to an integer"),
    "format": ("{:.2f}".format, "formatting as a number"),
}


def test_a_condition_on_one_element_needs_its_value():
    found = refused(lambda x: bool(tile(x)[0:1, 0:1]))
    assert found.code.id == "NKI1002"
    assert found.message == (
        "a condition (`if`, `while`, `and`, `or`, `not`, bool()) needs the elements of "
        "float32[1, 1] in sbuf, view of `load`, which are known on the device only"
    )


@pytest.mark.parametrize("name", NEEDS)
def test_what_needs_values_is_said_in_a_sentence(name):
    use, what = NEEDS[name]
    found = refused(lambda x: use(tile(x)))
    assert found.code.id == "NKI1002"
    assert found.message == (
        f"{what} needs the elements of float32[128, 64] in sbuf, which are known on the device only"
    )
    assert "while_loop" not in found.hint
    assert ("for i in range(128)" in found.hint) == (name == "list")


# ---- operators -----------------------------------------------------------------------------------

OPERATORS = {
    "t + t": (lambda t: t + t, "nl.add(a, b)", "nisa.tensor_tensor with op=nl.add"),
    "t * 2": (lambda t: t * 2, "nl.multiply(a, b)", "nisa.tensor_scalar with op0=nl.multiply"),
    "2.0 - t": (
        lambda t: 2.0 - t, "nl.subtract(a, b)",
        "nisa.tensor_scalar with op0=nl.subtract and reverse0=True",
    ),
    "t @ t": (lambda t: t @ t, "nl.matmul(a, b)", "nisa.nc_matmul"),
    "-t": (lambda t: -t, "nl.negative(x)", ""),
}  # fmt: skip


@pytest.mark.parametrize("name", OPERATORS)
def test_operators_name_a_function_and_an_instruction(name):
    use, function, instruction = OPERATORS[name]
    found = refused(lambda x: use(tile(x)))
    assert found.code.id == "NKI1003"
    assert found.hint.startswith(f"{function} returns a new tile")
    writes = f"{instruction} writes the tile that you pass as dst"
    assert found.hint.endswith(writes if instruction else "returns a new tile")
    called = function.partition("(")[0].removeprefix("nl.")
    assert hasattr(nl, called)


def test_comparisons_say_that_python_cannot_branch_on_a_tile():
    found = refused(lambda x: tile(x) > 0)
    assert "`if` cannot branch on one" in found.hint
    assert "NKI1002" in found.hint


# ---- arguments -----------------------------------------------------------------------------------


def test_lists_are_named_where_an_array_is_needed():
    found = refused(lambda x: x.shape, ONES.tolist())
    assert found.code.id == "NKI1018"
    assert found.loc.function == "<lambda>"
    assert found.hint.startswith("`x` is a list, which stays one inside of a kernel: pass an array")


def test_arrays_are_described_in_one_line():
    found = refused(lambda x: nisa.tensor_copy(dst=tile(x), src=ONES))
    assert found.message.endswith("must be a tensor, and is a NumPy array float32[128, 64]")


def test_numpy_functions_have_their_names():
    found = refused(lambda x: nisa.activation(dst=tile(x), op=np.exp, data=tile(x)))
    assert found.message.endswith("and is the NumPy function np.exp")


def test_a_function_among_the_operators_says_where_it_belongs():
    def use(x):
        t = tile(x)
        nisa.tensor_tensor(dst=t, data1=t, data2=t, op=nl.exp)

    found = refused(use)
    assert "it supports operators such as nl.add" in found.message
    assert found.hint.endswith("nisa.activation has nl.exp")


def test_too_many_arguments_are_answered_with_those_there_are():
    def inner(a, *, scale=1.0):
        return a, scale

    assert refused(lambda x: inner(x, 2.0)).hint == "`inner` takes a; pass scale by keyword"

    def plain(a):
        return a

    assert refused(lambda x: plain(x, 2.0)).hint == "`plain` takes a"


@pytest.mark.parametrize(
    ("dtype", "said"), [("float64", "x.float()"), ("int64", "x.to(torch.int32)")]
)
def test_torch_tensors_are_converted_as_torch_does_it(dtype, said):
    torch = pytest.importorskip("torch")
    found = refused(lambda x: None, torch.ones((4, 4), dtype=getattr(torch, dtype)))
    assert found.code.id == "NKI1011"
    assert found.hint == f"convert it before the call: {said}"


# ---- sizes and dtypes ----------------------------------------------------------------------------


def test_no_slice_is_larger_than_what_is_sliced():
    def of(columns):
        return lambda x: nisa.bn_stats(dst=nl.ndarray((128, columns), nl.float32), data=tile(x))

    assert refused(of(5)).hint == "make `dst` a tile of (128, 6)"
    assert refused(of(7)).hint == "slice `dst` to (128, 6)"


@pytest.mark.parametrize("wide", ["stationary", "moving"])
def test_both_ways_of_making_widths_equal_are_named(wide):
    def use(x):
        operands = {n: tile(x) for n in ("stationary", "moving")}
        narrow = ({*operands} - {wide}).pop()
        operands[narrow] = nl.ndarray((128, 64), nl.bfloat16)
        nisa.nc_matmul(dst=nl.ndarray((64, 64), nl.float32, nl.psum), **operands)

    found = refused(use)
    assert found.code.id == "NKI2201"
    assert found.hint.startswith(f"convert `{wide}` to bfloat16, which is faster, or `")
    assert "to float32, with nisa.tensor_copy" in found.hint


def test_start_partitions_are_alternatives():
    def use(x):
        t = tile(x)
        nisa.tensor_copy(dst=t[0:64], src=t[16:80])

    assert refused(use).hint.startswith("place the data at partition 0 or 64")


def test_targets_have_both_of_their_names():
    def use(x):
        t = tile(x)
        nisa.bn_stats(dst=nl.ndarray((128, 6), nl.float32), data=nl.ndarray((128, 513), t.dtype))

    said = refused(use, target="trn3").message
    assert said == (
        "operand `data` has elements per partition (F) = 513; "
        "bn_stats takes at most 512 on trn3 (corev4)"
    )


# ---- options -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "code"),
    [({"stepp": True}, "NKI1004"), ({"level": "hlo"}, "NKI7012"), ({"target": "x"}, "NKI1023")],
)
def test_simulate_refuses_options_at_once(options, code):
    with pytest.raises(NkiError) as caught:
        simulate(lambda x: x, **options)
    assert caught.value.code == code
    assert caught.value.diagnostics[0].file == __file__


@pytest.mark.parametrize(
    ("argument", "kind"), [(5, "an int"), (2.5, "a float"), ("x", "a str"), (None, "None")]
)
def test_a_constant_in_place_of_an_array_is_named(argument, kind):
    def kernel(x, scale):
        return nl.ndarray(scale.shape, x.dtype, nl.shared_hbm)

    with pytest.raises(NkiError) as caught:
        simulate(kernel, target="trn2")(ONES, argument)
    hint = caught.value.diagnostics[0].hint
    assert hint.startswith(f"`scale` is {kind}, which stays one inside of a kernel")
    assert "--arg scale=f32[128,512]" in hint


def test_a_name_that_is_missing_is_no_argument():
    def kernel(x, scale=None):
        return nl.ndarray(shape, x.dtype, nl.shared_hbm)  # noqa: F821  # the mistake

    with pytest.raises(NkiError) as caught:
        simulate(kernel, target="trn2")(ONES)
    assert "`scale`" not in caught.value.diagnostics[0].hint


def test_a_method_does_not_count_itself_among_its_arguments():
    found = refused(lambda x: tile(x).permute(0, 1))
    assert found.code.id == "NKI1006"
    assert found.message == "`permute` takes at most 1 positional argument(s), and got 2"
