"""Fixtures for functions of `nki.language`: run one on arrays, list its instructions and errors."""

from __future__ import annotations

import numpy as np
import pytest

import opennki.api.language as nl
from opennki.api import simulate
from opennki.base.diag import NkiError
from opennki.target import target as named
from opennki.trace import TraceContext


def kernel_of(function):
    """A kernel that loads its arguments, applies `function` to the tiles and stores the result."""

    def kernel(*arrays):
        made = function(*[nl.load(array) for array in arrays])
        out = nl.ndarray(made.shape, made.dtype, nl.shared_hbm)
        if made.buffer is nl.psum:
            made = nl.copy(made)
        nl.store(out, made)
        return out

    return kernel


@pytest.fixture
def run():
    """``run(function, *arrays)``: the result of `function` of tiles with these contents."""

    def call(function, *arrays, target="trn2"):
        result = simulate(kernel_of(function), target=target)(*arrays)
        return np.asarray(result)

    return call


@pytest.fixture
def traced():
    """``traced(kernel, *arrays)``: what tracing a kernel gives."""

    def call(kernel, *arrays, target="trn2", grid=(), ids=()):
        return TraceContext(kernel, named(target), grid, ids).trace_kernel(arrays, {})

    return call


@pytest.fixture
def opcodes(traced):
    """``opcodes(function, *arrays)``: instructions of `function` by count, without the loads."""

    def call(function, *arrays, target="trn2"):
        def kernel(*inputs):
            function(*[nl.load(array) for array in inputs])
            return inputs[0]

        counts = traced(kernel, *arrays, target=target).function.counts()
        counts["dma_copy"] -= len(arrays)
        return {name: count for name, count in counts.items() if count}

    return call


@pytest.fixture
def refused(traced):
    """``refused(kernel, *arrays)``: the one diagnostic that tracing `kernel` ends with."""

    def call(kernel, *arrays, target="trn2"):
        with pytest.raises(NkiError) as caught:
            traced(kernel, *arrays, target=target)
        (found,) = caught.value.diagnostics
        return found

    return call
