"""Loops, the launch grid, order, printing, and names that do not exist."""

from __future__ import annotations

import numpy as np
import pytest

import nki.language as dropin
import opennki.api.language as nl
from opennki.api import simulate
from opennki.penguin import Region
from opennki.target import removed

X = np.ones((4, 4), np.float32)


@pytest.mark.parametrize("name", ["affine_range", "sequential_range", "static_range", "range"])
def test_ranges_are_pythons(name):
    made = getattr(nl, name)
    assert made(4) == range(4)
    assert made(2, 10, 3) == range(2, 10, 3)
    assert made(5, 0, -1) == range(5, 0, -1)


@pytest.mark.parametrize("bad", [(4.0,), (0, 4.0), (0, 4, 0.5), ("4",), (True,)])
def test_bounds_that_are_no_integers(refused, bad):
    def kernel(a):
        for _ in nl.affine_range(*bad):
            pass
        return a

    found = refused(kernel, X)
    assert found.code.id == "NKI1040"
    assert "nl.affine_range" in found.message


def test_dynamic_slice(run):
    x = np.arange(32, dtype=np.float32).reshape(2, 16)
    got = run(lambda t: nl.copy(t[:, nl.ds(start=4, size=8)]), x)
    np.testing.assert_array_equal(got, x[:, 4:12])


def test_launch_grid(traced):
    seen = []

    def kernel(a):
        seen.append((nl.program_id(), nl.program_id(axis=0), nl.num_programs(), nl.program_ndim()))
        seen.append((nl.num_programs(axes=0), nl.num_programs(axes=None), nl.num_programs((0,))))
        return a

    traced(kernel, X)
    traced(kernel, X, grid=(2,), ids=(1,))
    assert seen == [(0, 0, 1, 0), (1, 1, 1), (1, 1, 2, 1), (2, 2, 2)]


@pytest.mark.parametrize(
    ("function", "code"),
    [
        (lambda: nl.program_id(1), "NKI1021"), (lambda: nl.program_id(-1), "NKI1021"),
        (lambda: nl.program_id("x"), "NKI1007"), (lambda: nl.num_programs(2), "NKI1021"),
        (lambda: nl.num_programs((0, 0.5)), "NKI1007"),
    ],
)  # fmt: skip
def test_axes_that_the_grid_does_not_have(refused, function, code):
    assert refused(lambda a: function(), X).code.id == code


def test_no_reorder_makes_a_region(traced):
    def kernel(a):
        with nl.no_reorder():
            nl.load(a)
            nl.load(a)
        nl.load(a)
        return a

    body = traced(kernel, X).function.body
    assert isinstance(body[0], Region)
    assert (len(body[0].body), len(body)) == (2, 2)


def test_device_print(capsys, refused):
    x = np.array([[1.0, 2.0]], np.float32)

    def kernel(a):
        nl.device_print("from hbm", a)
        nl.device_print("from sbuf", nl.load(a))
        return a

    simulate(kernel)(x)
    assert capsys.readouterr().out == "from hbm: [[1. 2.]]\nfrom sbuf: [[1. 2.]]\n"
    assert refused(lambda a: nl.device_print(3, a), X).code.id == "NKI1007"
    assert refused(lambda a: nl.device_print("t", 3), X).code.id == "NKI1007"
    in_psum = lambda a: nl.device_print("t", nl.ndarray((4, 4), nl.float32, nl.psum))  # noqa: E731
    assert refused(in_psum, X).code.id == "NKI2105"


@pytest.mark.parametrize(
    ("question", "yes"),
    [
        (nl.is_hbm, {nl.hbm, nl.private_hbm, nl.shared_hbm}), (nl.is_sbuf, {nl.sbuf}),
        (nl.is_psum, {nl.psum}), (nl.is_on_chip, {nl.sbuf, nl.psum}),
    ],
)  # fmt: skip
def test_questions_about_memories(question, yes):
    assert {space for space in nl.MemoryRegion if question(space)} == yes
    with pytest.raises(Exception, match="NKI3005"):
        question("sbuf")


def test_the_drop_in_name_has_the_same_names():
    assert dropin.__all__ == nl.__all__
    assert all(getattr(dropin, name) is getattr(nl, name) for name in nl.__all__)
    assert len(nl.__all__) == len(set(nl.__all__))


def test_names_that_never_were(refused):
    found = refused(lambda a: nl.soft_max(a), X)
    assert (found.code.id, found.message) == ("NKI1029", "nki.language has no `soft_max`")
    with pytest.raises(AttributeError, match=r"module 'nki\.language' has no attribute 'soft_max'"):
        nl.soft_max  # noqa: B018  # asking is enough


REMOVED = removed("nki.language")


@pytest.mark.parametrize("name", REMOVED)
def test_names_of_the_old_language(refused, name):
    found = refused(lambda a: getattr(nl, name), X)
    assert found.code.id == "NKI1030"
    assert found.hint == REMOVED[name].instead
    with pytest.raises(AttributeError, match=r"was removed in NKI 0\.2"):
        getattr(nl, name)


def test_misspelt_names(refused):
    found = refused(lambda a: nl.maximun(a, a), X)
    assert found.code.id == "NKI1029"
    assert found.hint == "did you mean nki.language.maximum?"

    def careful(a):
        assert not hasattr(nl, "maximun")
        return a

    assert simulate(careful)(X) is not None
    with pytest.raises(AttributeError, match="has no attribute 'maximun'"):
        _ = nl.maximun
