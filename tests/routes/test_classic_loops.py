"""Loops of the first generation on both roads: rolled, expanded, and traced trip by trip.

KLR has no loops, so that on its road every trip is traced. The first road's loops must come to the
same when they are expanded, but for tiles: a body that was traced once has them once.
"""

from __future__ import annotations

import re
import warnings

import numpy as np
from hypothesis import given, settings

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
from opennki.base.diag import NkiError
from opennki.base.passes import PassContext
from opennki.birpy import difference, print_module
from opennki.driver import Request, defaults
from opennki.driver.compiled import compile_kernel
from opennki.lower import BirCodeGenLoop
from opennki.penguin import print_function, verify
from opennki.penguin.passes import UnrollLoops

from ..trace.classic.model import COLUMNS, ROWS, kernels, traced  # noqa: TID252 - shared
from ..trace.classic.test_sums import X, Y, sums  # noqa: TID252 - shared
from ..trace.classic.test_sums import traced as traced_sum  # noqa: TID252 - shared
from .conftest import check_texts

ARRAY = np.zeros((ROWS, COLUMNS), np.float32)


def forms(kernel, *arrays):
    """The kernel rolled, traced trip by trip, and by the second road; None if it is refused."""
    made = []
    for options in ({}, {"unroll": True}, {"frontend": "beta2"}):
        with defaults(Request(**options)), warnings.catch_warnings():
            warnings.simplefilter("error")
            try:
                made.append(compile_kernel(kernel.fn, arrays, {}, kernel.request.resolve()))
            except NkiError:
                return None
    return made


def statements(text):
    """The instructions of a text, with the tiles of a variable as one."""
    lines = [line.partition("  //")[0] for line in text.splitlines()]
    kept = [re.sub(r"(%[A-Za-z_]\w*)\.\d+\b", r"\1", line) for line in lines]
    return [line for line in kept if not line.lstrip().startswith("tensor ")]


def check(kernel, *arrays):
    found = forms(kernel, *arrays)
    if found is None:
        return
    rolled, unrolled, second = found
    assert difference(unrolled.bir, second.bir) is None
    check_texts(rolled.penguin)
    flat = rolled.penguin[0]
    UnrollLoops().run(flat, PassContext())
    assert not list(verify(flat))
    assert statements(print_function(flat)) == statements(print_function(unrolled.penguin[0]))
    one, other = (BirCodeGenLoop().run_on_module([f]) for f in (flat, unrolled.penguin[0]))
    assert len(print_module(one).splitlines()) <= len(print_module(other).splitlines())


@settings(max_examples=60, deadline=None)
@given(kernels())
def test_masked_loops_are_the_same_on_both_roads(spec):
    check(traced(spec), ARRAY)


@settings(max_examples=40, deadline=None)
@given(sums())
def test_sums_in_loops_are_the_same_on_both_roads(spec):
    check(traced_sum(spec), X, Y)


def test_static_loops_are_the_same_on_both_roads():
    @nki.jit
    def kernel(x, y):
        out = nl.ndarray((3, 4, 6), dtype=x.dtype, buffer=nl.shared_hbm)
        p, f = nl.arange(4)[:, None], nl.arange(6)[None, :]
        for i in nl.static_range(3):
            total = nl.zeros((4, 6), nl.float32, buffer=nl.psum)
            for j in range(3):
                total += nisa.nc_matmul(nl.load(x[3 * i + j]), nl.load(y[3 * i + j]))
            nl.store(out[i, p, f], nl.exp(total, mask=(f < 2 * i + 2)), mask=(f < 2 * i + 2))
        return out

    rolled, unrolled, second = forms(kernel, X, Y)
    assert difference(rolled.bir, second.bir) is None
    assert difference(unrolled.bir, second.bir) is None
