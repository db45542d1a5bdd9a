"""Index expressions: what they are over all places and trips, and what is none."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl
from opennki.base.affine import AffineExpr, LoopVar
from opennki.base.diag import NkiError
from opennki.trace.classic.index import IndexExpr, arange, mgrid

VAR = LoopVar("i", 2, 11, 3)


def values(expr, i=None):
    """The array of numbers that an expression stands for."""
    base = expr.base
    total = np.array(base if isinstance(base, int) else base.evaluate({"i": i}))
    for dim, (size, step) in enumerate(zip(expr.shape, expr.steps, strict=True)):
        shape = [1] * expr.ndim
        shape[dim] = size
        total = total + (np.arange(size) * step).reshape(shape)
    return total


def in_kernel(body):
    """Run `body` while a kernel is traced; what it returned."""
    found = []

    @nki.jit
    def kernel(x):
        found.append(body())
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        nl.store(out, nl.load(x))
        return out

    kernel(np.zeros((4, 4), np.float32))
    return found[0]


def test_arange_is_a_range():
    for given_ in ((5,), (2, 9), (9, 2, -3), (0, 10, 4)):
        np.testing.assert_array_equal(values(arange(*given_)), np.arange(*given_))


def test_mgrid_is_numpys():
    found = mgrid[2:8:2, 0:3, 5:7]
    for mine, numpys in zip(found, np.mgrid[2:8:2, 0:3, 5:7], strict=True):
        np.testing.assert_array_equal(np.broadcast_to(values(mine), numpys.shape), numpys)


def test_mgrid_names_its_dimensions():
    found = mgrid[0:2, 0:3, 0:4, 0:5, 0:6]
    named = [found.p, found.w, found.z, found.y, found.x]
    assert all(one is other for one, other in zip(named, found, strict=True))
    assert mgrid[0:2, 0:3].x.shape == (1, 3)
    with pytest.raises(AttributeError):
        mgrid[0:2, 0:3].y  # noqa: B018 - the attribute is what is tested


@st.composite
def expressions(draw):
    """A pair: an expression over (3, 4) and a loop, and the function that gives its values."""
    p, f = arange(3)[:, None], arange(4)[None, :]
    i = IndexExpr(AffineExpr.of(VAR))
    numpys = {"p": np.arange(3)[:, None], "f": np.arange(4)[None, :]}
    expr, steps = IndexExpr(0), []
    for _ in range(draw(st.integers(1, 5))):
        what = draw(st.sampled_from(["p", "f", "i", "n"]))
        coeff, minus = draw(st.integers(-5, 5)), draw(st.booleans())
        term = coeff if what == "n" else {"p": p, "f": f, "i": i}[what] * coeff
        expr = expr - term if minus else term + expr
        steps.append((what, -coeff if minus else coeff))

    def run(trip):
        return sum(
            coeff * (1 if what == "n" else trip if what == "i" else numpys[what])
            for what, coeff in steps
        )

    return expr, run


@given(expressions(), st.sampled_from(VAR.values()))
def test_sums_of_indices_are_those_of_numpy(pair, trip):
    expr, run = pair
    want = np.broadcast_to(run(trip), (3, 4))
    np.testing.assert_array_equal(np.broadcast_to(values(expr, trip), (3, 4)), want)
    np.testing.assert_array_equal(np.broadcast_to(values(-expr * 3, trip), (3, 4)), -want * 3)


@given(expressions())
def test_bounds_are_those_of_all_trips_and_places(pair):
    expr, run = pair
    every = [np.broadcast_to(run(trip), (3, 4)) for trip in VAR.values()]
    found = in_kernel(expr.bounds)
    assert found == (np.min(every), np.max(every))


@given(expressions(), st.sampled_from([2, 3, -2, 1]))
def test_divisions_that_are_affine_are_exact(pair, number):
    expr, run = pair
    even = expr * number + 1
    for trip in VAR.values():
        want = np.broadcast_to(run(trip) * number + 1, (3, 4))
        for found, numpys in ((even // number, want // number), (even % number, want % number)):
            np.testing.assert_array_equal(np.broadcast_to(values(found, trip), (3, 4)), numpys)


@given(expressions(), st.integers(-3, 3), st.sampled_from(VAR.values()))
def test_masks_hold_where_the_comparison_does(pair, number, trip):
    expr, run = pair
    want = np.broadcast_to(run(trip), (3, 4))
    for mask, numpys in (
        (expr < number, want < number), (expr <= number, want <= number),
        (expr > number, want > number), (expr >= number, want >= number),
        (expr == number, want == number), (number > expr, number > want),
        ((expr > -number) & (expr < number), (want > -number) & (want < number)),
    ):  # fmt: skip
        found = np.logical_and.reduce([
            np.broadcast_to(values(c, trip), (3, 4)) >= 0 for c in mask.conditions
        ])  # fmt: skip
        np.testing.assert_array_equal(found, numpys)


REFUSED = {
    "NKI1080": [
        lambda: nl.arange(0), lambda: nl.arange(1.5), lambda: nl.arange(), lambda: nl.arange(4, 2),
        lambda: nl.mgrid[0:0, 0:3], lambda: nl.mgrid[5, 0:3], lambda: nl.mgrid[0:, 0:3],
    ],
    "NKI1081": [
        lambda: nl.arange(4) * nl.arange(4), lambda: nl.arange(4) % 2, lambda: nl.arange(4) // 3,
        lambda: nl.arange(4) // nl.arange(4), lambda: nl.arange(4) < "a",
        lambda: (nl.arange(4) < 2) & 1, lambda: nl.arange(4)[:, None] + nl.arange(3)[:, None],
    ],
    "NKI1082": [
        lambda: bool(nl.arange(4)), lambda: int(nl.arange(4)), lambda: nl.arange(4)[0],
        lambda: not nl.arange(4) < 2, lambda: [1, 2][nl.arange(2)],
    ],
    "NKI1083": [
        lambda: nl.arange(4) != 2, lambda: ~(nl.arange(4) < 2),
        lambda: (nl.arange(4) < 2) | (nl.arange(4) > 2),
        lambda: (nl.arange(4) < 2) ^ (nl.arange(4) > 2),
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("code", "body"), [(code, body) for code, bodies in REFUSED.items() for body in bodies]
)
def test_what_is_no_index_is_refused(code, body):
    with pytest.raises(NkiError) as caught:
        in_kernel(body)
    assert [d.code.id for d in caught.value.diagnostics] == [code]


def test_division_by_zero_is_pythons():
    with pytest.raises(ZeroDivisionError):
        in_kernel(lambda: nl.arange(4) // 0)


@pytest.mark.parametrize("sign", ["+", "-", "*", "//"])
def test_other_values_do_not_combine(sign):
    with pytest.raises((TypeError, NkiError)):
        in_kernel(lambda: eval(f"nl.arange(4) {sign} 'a'", {"nl": nl}))
