"""Fixtures for the published rules: what a body of calls is told, and what it computes."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import opennki.api.language as nl
from opennki.api import simulate
from opennki.base.diag import NkiError, NkiWarning
from opennki.target import target as named
from opennki.trace import TraceContext


@pytest.fixture
def rules():
    """``rules(body, target)``: codes of everything that tracing the calls in `body` reports."""

    def call(body, target="trn2"):
        def kernel(x):
            body()
            return nl.full((1, 1), 0, nl.float32, nl.shared_hbm)

        try:
            traced = TraceContext(kernel, named(target)).trace_kernel((np.zeros((1, 1), "f4"),), {})
        except NkiError as error:
            return [found.code.id for found in error.diagnostics]
        return [found.code.id for found in traced.diagnostics]

    return call


@pytest.fixture
def said():
    """``said(body, target)``: message and hint of the first thing that `body` is told."""

    def call(body, target="trn2"):
        def kernel(x):
            body()
            return nl.full((1, 1), 0, nl.float32, nl.shared_hbm)

        with pytest.raises(NkiError) as caught:
            TraceContext(kernel, named(target)).trace_kernel((np.zeros((1, 1), "f4"),), {})
        found = caught.value.diagnostics[0]
        return found.message, found.hint

    return call


@pytest.fixture
def value():
    """``value(make, *arrays)``: contents of the tile that `make` makes of tiles of `arrays`."""

    def call(make, *arrays, target="trn2"):
        def kernel(*inputs):
            made = make(*[nl.load(one) for one in inputs])
            if made.buffer is nl.psum:
                made = nl.copy(made)
            out = nl.ndarray(made.shape, made.dtype, nl.shared_hbm)
            nl.store(out, made)
            return out

        return np.asarray(simulate(kernel, target=target)(*arrays))

    return call


@pytest.fixture
def ran():
    """``ran(kernel, *arrays)``: result (None if refused) and the codes of all that was said."""

    def call(kernel, *arrays, target="trn2"):
        result, codes = None, []
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                result = simulate(kernel, target=target)(*arrays)
            except NkiError as error:
                codes += [found.code.id for found in error.diagnostics]
        texts = [str(w.message) for w in caught if issubclass(w.category, NkiWarning)]
        return result, codes + [text.split("[")[1][:7] for text in texts]

    return call
