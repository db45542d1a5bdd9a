"""Kernels and their errors cross between processes."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import nki
import nki.language as nl
import opennki
from opennki.base.diag import NkiError


@nki.jit
def double(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.load(x)
    nl.store(out, nl.add(t, t))
    return out


def ramp(shape):
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


class Wrong(ValueError):
    """What a kernel raises, with an argument that its constructor asks for."""

    def __init__(self, number):
        super().__init__(f"number {number}")


@pytest.mark.parametrize("error", [KeyError("key"), Wrong(3), ZeroDivisionError()])
def test_errors_of_user_code_cross_between_processes(error):
    @nki.jit
    def fails(x):
        raise error

    with pytest.raises(type(error)) as caught:
        fails(ramp((4, 8)))
    again = pickle.loads(pickle.dumps(caught.value))
    assert isinstance(again, (NkiError, type(error)))
    assert isinstance(again, type(error))
    assert str(again) == str(caught.value)
    assert again.diagnostics[0].line == caught.value.diagnostics[0].line


def test_an_error_of_a_local_class_crosses_as_a_plain_one():
    class Local(Exception):
        pass

    @nki.jit
    def fails(x):
        raise Local("here")

    with pytest.raises(Local) as caught:
        fails(ramp((4, 8)))
    again = pickle.loads(pickle.dumps(caught.value))
    assert type(again) is NkiError
    assert str(again) == str(caught.value)


def plain(x):
    return double(x)


class Model:
    @nki.jit
    def forward(self, x):
        return double(x)


@pytest.mark.parametrize(
    "kernel",
    [
        double, nki.simulate(double, level="penguin"), double.with_schedule([]), nki.jit(plain),
        nki.simulate(plain), opennki.launch(double, ranks=1), Model().forward,
    ],
)  # fmt: skip
def test_kernels_cross_between_processes_by_name(kernel):
    again = pickle.loads(pickle.dumps(kernel))
    x = ramp((4, 8))
    assert np.array_equal(np.ravel(again(x)), np.ravel(kernel(x)))


def test_kernels_keep_their_options_between_processes():
    again = pickle.loads(pickle.dumps(nki.simulate(double[2], strict=True, target="trn2")))
    assert again.fn is double.fn
    assert (again.request.grid, again.request.strict) == ((2,), True)
    assert again.request.target == "trn2"
