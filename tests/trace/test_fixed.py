"""Tensors stay what they are: attributes, the constructor, and the launch that they belong to."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import opennki.api.isa as nisa
import opennki.api.language as nl
from opennki.api import simulate
from opennki.base.diag import NkiError
from opennki.target import target
from opennki.trace import TraceContext

ONE = np.ones((1, 1), np.float32)
F32 = nl.float32


def told(kernel, *arguments):
    """Code and hint of the one thing that a launch of `kernel` is refused for."""
    with pytest.raises(NkiError) as caught:
        simulate(kernel, target="trn2")(*(arguments or (ONE,)))
    (found,) = caught.value.diagnostics
    return found.code.id, found.hint


@pytest.mark.parametrize(
    ("name", "value", "instead"),
    [
        ("shape", (1, 1, 1), "t.reshape(shape)"), ("dtype", nl.int32, "t.view(dtype)"),
        ("strides", (1, 1), "t.ap(pattern)"), ("offset", 0, "t.ap(pattern, offset)"),
        ("buffer", nl.psum, "nl.ndarray(..., buffer=buffer)"), ("ndim", 3, ""), ("other", 1, ""),
        ("tensor", None, ""),
    ],
)  # fmt: skip
@pytest.mark.parametrize("make", [lambda t: t, lambda t: t[0:1], lambda t: t.permute((0, 1))])
def test_an_attribute_cannot_be_assigned(name, value, instead, make):
    code, hint = told(lambda x: setattr(make(nl.load(x)), name, value))
    assert code == "NKI1063"
    assert instead in hint


def test_an_attribute_cannot_be_deleted():
    assert told(lambda x: delattr(nl.load(x), "shape"))[0] == "NKI1063"


def leaked(x):
    """What a launch leaves in a list: its output."""
    kept = []

    def kernel(x):
        kept.append(nl.ndarray((1, 1), F32, nl.shared_hbm))
        nisa.dma_copy(dst=kept[0], src=x)
        return kept[0]

    simulate(kernel, target="trn2")(x)
    return kept[0]


def test_a_tensor_of_an_earlier_launch_is_no_operand_no_result_and_no_argument():
    old = leaked(ONE)

    def reads(x):
        out = nl.ndarray((1, 1), F32, nl.shared_hbm)
        nisa.dma_copy(dst=out, src=old)
        return out

    def through_a_view(x):
        out = nl.ndarray((1, 1), F32, nl.shared_hbm)
        nisa.dma_copy(dst=out, src=x)  # the same call as the next, with tensors of this launch
        nisa.dma_copy(dst=old[0:1], src=x)
        return out

    assert told(reads)[0] == "NKI1062"
    assert told(through_a_view)[0] == "NKI1062"
    assert told(lambda x: old)[0] == "NKI1062"


@pytest.mark.parametrize(
    ("use", "code"),
    [
        (lambda x, reg, t, loop: nisa.register_move(reg, 1), "NKI1062"),
        (lambda x, reg, t, loop: [0 for _ in nl.dynamic_range(reg)], "NKI1062"),
        (lambda x, reg, t, loop: nl.fori_loop(0, reg, lambda i: None), "NKI1062"),
        (lambda x, reg, t, loop: nl.while_loop(reg, lambda r: r), "NKI1062"),
        (lambda x, reg, t, loop: nl.load(x[nl.ds(reg, 1)]), "NKI1062"),
        (lambda x, reg, t, loop: nl.load(x.vector_select(0, t)), "NKI1062"),
        (lambda x, reg, t, loop: nisa.dma_compute(x, [x, x.vector_select(0, t)], nl.add),
         "NKI1062"),
        (lambda x, reg, t, loop: [0 for _ in loop], "NKI1043"),
    ],
)  # fmt: skip
def test_registers_indices_and_loops_of_an_earlier_launch_are_refused(use, code):
    kept = []

    def earlier(x):
        rows = nl.ndarray((4, 1), dtype=nl.int32, buffer=nl.sbuf)
        kept.extend([nisa.register_alloc(1), rows, nl.dynamic_range(2)])
        return x

    def later(x):
        use(x, *kept)
        return x

    array = np.zeros((4, 4), np.float32)
    simulate(earlier, target="trn2")(array)
    assert told(later, array)[0] == code


def test_copies_of_a_tensor_are_that_tensor():
    old = leaked(ONE)
    assert copy.copy(old) is old
    assert copy.deepcopy([old])[0] is old
    again = pickle.loads(pickle.dumps(old))
    assert (again.shape, again.dtype, again.buffer) == (old.shape, old.dtype, old.buffer)


def test_a_tensor_is_bound_to_storage_that_exists():
    def kernel(x):
        t = nl.load(x)
        again = nl.NkiTensor((4, 8), F32, t.tensor)
        assert isinstance(again, nl.NkiTensor)
        assert (again.shape, again.strides, again.buffer) == ((4, 8), (8, 1), nl.sbuf)
        nisa.memset(dst=again, value=3.0)
        out = nl.ndarray((4, 8), F32, nl.shared_hbm)
        nl.store(out, t)
        return out

    assert (simulate(kernel, target="trn2")(np.zeros((4, 8), np.float32)) == 3).all()


def test_a_placeholder_has_a_shape_and_no_memory():
    t = nl.NkiTensor((128, 64), nl.bfloat16, None, buffer=nl.psum, name="weights")
    assert (t.shape, t.dtype, t.buffer, t.name) == ((128, 64), nl.bfloat16, nl.psum, "weights")
    assert t.reshape((128, 8, 8)).get_pattern() == [[64, 128], [8, 8], [1, 8]]


def test_a_placeholder_is_no_operand():
    def kernel(x):
        nisa.memset(dst=nl.NkiTensor((1, 4), F32, None), value=0)
        return x

    assert told(kernel)[0] == "NKI1062"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (((4, 0), F32, None), "NKI1007"), ((4, F32, None), "NKI1007"),
        (((4, 4), "float64", None), "NKI3004"), (((4, 4), F32, 0), "NKI1007"),
        (((4, 4), F32, None, "sbuf"), "NKI1007"),
    ],
)  # fmt: skip
def test_a_constructor_that_makes_no_sense(arguments, code):
    assert told(lambda x: nl.NkiTensor(*arguments))[0] == code


@pytest.mark.parametrize(
    "changed", [{"shape": (1, 2)}, {"dtype": nl.int32}, {"buffer": nl.psum}]
)  # fmt: skip
def test_storage_is_bound_as_what_it_is(changed):
    def kernel(x):
        given = {"shape": (1, 1), "dtype": F32, "storage": nl.load(x).tensor}
        nl.NkiTensor(**{**given, **changed})

    assert told(kernel)[0] == "NKI1007"


def test_a_finished_trace_takes_no_more_instructions():
    kept = []

    def kernel(x):
        kept.append(nl.zeros((1, 1), F32))
        return x

    TraceContext(kernel, target("trn2")).trace_kernel((ONE,), {})
    assert kept[0].tensor.retired
