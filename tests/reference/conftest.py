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

ALL = ("trn1", "trn2", "trn3")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Tests that take `kept` or `broken` run once for each such call in their module's RULES.

    ``RULES[rule] = (code, calls that keep the rule, calls that break it)``; a tuple of targets
    after the code says where the rule is tried, which is everywhere otherwise.
    """
    for fixture, place in (("kept", 0), ("broken", 1)):
        if fixture not in metafunc.fixturenames:
            continue
        cases = []
        for rule, (code, *targets, legal, illegal) in metafunc.module.RULES.items():
            where = targets[0] if targets else ALL
            expected = [code] if fixture == "broken" else []
            calls = enumerate((legal, illegal)[place])
            cases += [pytest.param((f, expected, where), id=f"{rule}-{k}") for k, f in calls]
        metafunc.parametrize(fixture, cases, indirect=True)


def _told(request, rules):
    call, expected, targets = request.param
    told = {target: sorted(set(rules(call, target))) for target in targets}
    return told, dict.fromkeys(targets, expected)


@pytest.fixture
def kept(request, rules):
    """What each target says of a call that keeps a rule, and what it should: nothing."""
    return _told(request, rules)


@pytest.fixture
def broken(request, rules):
    """What each target says of a call that breaks a rule, and what it should: the rule's code."""
    return _told(request, rules)


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


LEVELS = ("penguin", "bir", "program")


@pytest.fixture
def value():
    """``value(make, *arrays)``: contents of the tile that `make` makes of tiles of `arrays`.

    They are the same bits at every level. `warns` has the codes that each level warns of.
    """

    def call(make, *arrays, target="trn2", warns=()):
        def kernel(*inputs):
            made = make(*[nl.load(one) for one in inputs])
            if made.buffer is nl.psum:
                made = nl.copy(made)
            out = nl.ndarray(made.shape, made.dtype, nl.shared_hbm)
            nl.store(out, made)
            return out

        results = []
        for level in LEVELS:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                result = simulate(kernel, target=target, level=level)(*arrays)
            assert {_code(warning) for warning in caught} == set(warns)
            results.append(np.asarray(result))
        assert len({one.tobytes() for one in results}) == 1
        return results[0]

    return call


def _code(warning):
    assert issubclass(warning.category, NkiWarning)
    return str(warning.message).split("[")[1][:7]


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
        return result, codes + [_code(w) for w in caught if issubclass(w.category, NkiWarning)]

    return call
