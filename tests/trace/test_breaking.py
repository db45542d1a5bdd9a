"""What nasty callers do: exceptions of any class, kernels of any kind, debuggers on threads."""

from __future__ import annotations

import copy
import functools
import sys
import threading

import numpy as np
import pytest

import nki
import nki.isa as nisa
import nki.language as nl
import opennki
from opennki.base.diag import NkiError

X = np.arange(32, dtype=np.float32).reshape(4, 8)


class NeedsTwo(Exception):
    """An exception whose constructor does not take one text."""

    def __init__(self, first, second):
        super().__init__(first, second)
        self.first = first


class NewNeedsTwo(Exception):
    """The same, in `__new__`."""

    def __new__(cls, first, second):
        return super().__new__(cls, first, second)


class Unprintable(ValueError):
    """An exception that has no text."""

    def __str__(self):
        raise RuntimeError("no text")


class Final(Exception):
    """An exception class that forbids subclasses."""

    def __init_subclass__(cls):
        raise RuntimeError("final")


RAISED = [
    NeedsTwo(1, 2), NewNeedsTwo(1, 2), Unprintable("x"), MemoryError(), OSError(2, "gone"),
    UnicodeDecodeError("utf8", b"a", 0, 1, "why"), StopIteration(3), KeyError("k"),
]  # fmt: skip


@pytest.mark.parametrize("error", RAISED, ids=lambda e: type(e).__name__)
def test_an_exception_of_any_class_keeps_its_class(error):
    @nki.jit
    def kernel(x):
        raise error

    with pytest.raises(type(error)) as caught:
        kernel(X)
    assert isinstance(caught.value, NkiError)
    assert caught.value.code == "NKI1018"


def test_an_exception_keeps_its_attributes():
    @nki.jit
    def kernel(x):
        raise NeedsTwo("a", "b")

    with pytest.raises(NeedsTwo) as caught:
        kernel(X)
    assert caught.value.first == "a"


def test_a_class_that_cannot_be_combined_becomes_a_plain_error():
    @nki.jit
    def kernel(x):
        raise Final("x")

    with pytest.raises(NkiError, match="raised Final: x"):
        kernel(X)


@pytest.mark.parametrize("cls", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_interrupts_pass_through(cls):
    @nki.jit
    def kernel(x):
        raise cls

    with pytest.raises(cls):
        kernel(X)
    nki.jit(lambda x: x)(X)


def copied(x, n=1.0):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.add(nl.load(x), n))
    return out


class Layer:
    """Has kernels as methods, and is one."""

    def __init__(self):
        self.bias = 2.0

    @nki.jit
    def kernel(self, x):
        return copied(x, self.bias)

    def __call__(self, x):
        return copied(x, self.bias)


@pytest.mark.parametrize(
    ("kernel", "args", "added"),
    [
        (Layer().kernel, (X,), 2),
        (Layer().kernel[1], (X,), 2),
        (Layer.kernel, (Layer(), X), 2),
        (nki.jit(Layer()), (X,), 2),
        (nki.jit(functools.partial(copied, n=3.0)), (X,), 3),
        (nki.jit(functools.partial(copied, X)), (), 1),
        (nki.jit(staticmethod(copied)), (X,), 1),
    ],
)
def test_a_kernel_may_be_anything_that_runs_a_function(kernel, args, added):
    assert np.array_equal(kernel(*args), X + added)
    assert repr(kernel).startswith("<nki kernel ")
    assert opennki.check(kernel, *args) == []


@pytest.mark.parametrize("thing", [3, None, "x", len, np.add, Layer, classmethod(copied)])
def test_a_kernel_may_not_be_something_without_code(thing):
    with pytest.raises(NkiError, match="NKI1025"):
        nki.simulate(thing)


@pytest.mark.parametrize(
    "value",
    [np.complex64(1), np.datetime64("2020"), {1}, (i for i in ()), b"x", ..., 1j, object()],
    ids=lambda v: type(v).__name__,
)
def test_values_outside_the_language_are_refused(value):
    with pytest.raises(NkiError, match="NKI1010"):
        nki.jit(lambda x, value: x)(X, value)


@pytest.mark.parametrize("value", [np.dtype("float32"), nl.float32, np.str_("a"), np.int64(3)])
def test_plain_values_are_accepted(value):
    seen = []

    def kernel(x, value):
        seen.append(value)
        return x

    nki.jit(kernel)(X, value)
    assert seen == [value]


def test_a_result_that_contains_itself_is_refused():
    def kernel(x):
        endless = []
        endless.append(endless)
        return endless

    with pytest.raises(NkiError, match=r"NKI1014.*contains itself"):
        nki.jit(kernel)(X)


def test_a_function_that_is_called_like_an_operator_is_none():
    def maximum(a, b):
        return a

    def kernel(x):
        t = nl.load(x)
        nisa.tensor_tensor(dst=t, data1=t, data2=t, op=maximum)
        return x

    with pytest.raises(NkiError, match="NKI1007"):
        nki.jit(kernel)(X)


def test_copying_an_object_keeps_its_tensors():
    def kernel(x):
        assert copy.deepcopy({"x": x})["x"] is x
        return copied(x)

    assert np.array_equal(nki.jit(kernel)(X), X + 1)


def test_threads_leave_the_debugger_as_it_was():
    before = sys.breakpointhook
    meet = threading.Barrier(4, timeout=60)

    def kernel(x):
        meet.wait()
        return copied(x)

    results = []
    threads = [
        threading.Thread(target=lambda i=i: results.append((i, nki.jit(kernel)(X + i))))
        for i in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(r, X + i + 1) for i, r in results)
    assert len(results) == 4
    assert sys.breakpointhook is before
