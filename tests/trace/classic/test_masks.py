"""Masks: generated kernels give what Python gives, trip by trip, rolled or not, at every level."""

from __future__ import annotations

import warnings

import numpy as np
from hypothesis import given, settings

from opennki.base.diag import NkiError
from opennki.driver import Request, defaults

from .model import COLUMNS, ROWS, expected, kernels, traced

X = np.random.default_rng(3).standard_normal((ROWS, COLUMNS)).astype(np.float32)


def outcome(kernel, **options):
    """What a kernel gives, or the codes, lines and texts of what it is refused for."""
    with defaults(Request(**options)), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = kernel(X)
        except NkiError as error:
            return [(d.code.id, d.line, d.message) for d in error.diagnostics]
    assert not caught, str(caught[0].message)
    return found


@settings(max_examples=150, deadline=None)
@given(kernels())
def test_masked_kernels_give_what_python_gives(spec):
    want, twice = expected(spec, X)
    found = outcome(traced(spec), level="penguin")
    if want is None:
        assert {code for code, *_ in found} <= {"NKI3040", "NKI1091"}, found
    elif twice:
        assert {code for code, *_ in found} == {"NKI1091"}, found
    else:
        assert isinstance(found, np.ndarray), found
        np.testing.assert_array_equal(found, want)


@settings(max_examples=60, deadline=None)
@given(kernels())
def test_unrolling_changes_no_result_and_no_diagnostic(spec):
    kernel = traced(spec)
    rolled, unrolled = (outcome(kernel, level="penguin", unroll=u) for u in (False, True))
    assert isinstance(rolled, np.ndarray) == isinstance(unrolled, np.ndarray), (rolled, unrolled)
    if isinstance(rolled, np.ndarray):
        np.testing.assert_array_equal(rolled, unrolled)
    else:  # an index beyond a tensor ends the trace, where trips may have been judged before
        assert {code for code, *_ in rolled} <= {code for code, *_ in unrolled}


@settings(max_examples=25, deadline=None)
@given(kernels())
def test_levels_and_roads_agree(spec):
    kernel = traced(spec)
    least = outcome(kernel, level="penguin")
    if isinstance(least, np.ndarray):
        for options in ({"level": "bir"}, {"level": "program"}, {"frontend": "beta2"}):
            np.testing.assert_array_equal(outcome(kernel, **options), least)
