"""Launch grids of the first generation: programs of one core, of several, and what they share."""

from __future__ import annotations

import numpy as np
import pytest

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl
from opennki.base.diag import NkiError
from opennki.trace.classic.grid import spmd

X = np.arange(4 * 3 * 16 * 8, dtype=np.float32).reshape(4, 3, 16, 8)


def doubled(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    i, j = nl.program_id(0), nl.program_id(axis=1)
    assert {type(i), type(j)} == {int}
    nl.store(out[i, j], nl.load(x[i, j]) * 2.0 + float(i))
    return out


WANT = X * 2 + np.arange(4).reshape(4, 1, 1, 1)


def test_programs_of_one_core(road):
    kernel = nki.jit(doubled)
    assert np.array_equal(kernel[4, 3](X), WANT)
    assert np.array_equal(nki.simulate_kernel(kernel[4, 3], X), WANT)


@pytest.mark.parametrize(
    "axis", [nl.nc(2) * 2, 2 * nl.nc(2), nl.spmd_dim(nl.nc(2), 2), nl.spmd_dim(2, nl.nc(2))]
)
def test_programs_of_two_cores(road, axis):
    kernel = nki.jit(doubled, platform_target="trn2")
    assert np.array_equal(kernel[axis, 3](X), WANT)


@pytest.mark.parametrize(
    ("grid", "first", "second"),
    [
        ((nl.nc(2) * 2, 2), [(0, 0), (0, 1), (1, 0), (1, 1)], [(2, 0), (2, 1), (3, 0), (3, 1)]),
        ((2 * nl.nc(2), 2), [(0, 0), (0, 1), (2, 0), (2, 1)], [(1, 0), (1, 1), (3, 0), (3, 1)]),
        (nl.nc(2), [(0,)], [(1,)]),
    ],
)
def test_which_core_runs_what(grid, first, second):
    found = spmd(grid)
    assert found.cores == 2
    assert [found.programs(0), found.programs(1)] == [first, second]


def test_axes_read_as_they_are_written():
    assert [repr(a) for a in spmd((nl.nc(2) * 4, 3)).axes] == ["nl.nc(2) * 4", "3"]


def test_the_grid_as_programs_see_it():
    found = []

    def kernel(x):
        found.append((nl.program_ndim(), nl.num_programs(1), nl.num_programs(None)))
        return doubled(x)

    nki.jit(kernel)[4, 3](X)
    assert found == [(2, 3, 12)] * 12


def test_several_results_and_constants_of_all_programs():
    def kernel(x):
        i = nl.program_id(0)
        first = nl.ndarray((4, 16, 8), dtype=x.dtype, buffer=nl.shared_hbm)
        second = nl.ndarray((16, 4), dtype=x.dtype, buffer=nl.hbm)
        nl.store(first[i], nl.load(x[i, 0]))
        nl.store(second[0:16, i], nl.load(x[i, 0, 0:16, 0]))
        return first, second

    first, second = nki.jit(kernel)[4](X)
    assert np.array_equal(first, X[:, 0])
    assert np.array_equal(second, X[:, 0, :, 0].T)


def test_an_argument_that_all_programs_write():
    def kernel(x, out):
        i = nl.program_id(0)
        nl.store(out[i], nl.load(x[i, 0]))

    out = np.zeros((4, 16, 8), np.float32)
    nki.trace(kernel)[4](X, out)
    assert np.array_equal(out, X[:, 0])


def test_names_of_tensors_may_repeat(road):
    def kernel(x):
        i = nl.program_id(0)
        out = nl.ndarray((4, 3, 16, 8), dtype=x.dtype, buffer=nl.shared_hbm, name="result")
        for j in nl.affine_range(3):
            tile = nl.ndarray((16, 8), dtype=x.dtype, name="tile")
            tile[...] = nl.load(x[i, j])
            nl.store(out[i, j], tile)
        return out

    assert np.array_equal(nki.jit(kernel)[4](X), X)


def refused(kernel, grid, target="trn1"):
    with pytest.raises(NkiError) as caught:
        nki.jit(kernel, platform_target=target)[grid](X)
    return [f"{one.code.id}: {one.message}" for one in caught.value.diagnostics]


def test_refuses_outputs_that_differ():
    def size(x):
        out = nl.ndarray((nl.program_id(0) + 1, 8), dtype=x.dtype, buffer=nl.shared_hbm)
        nl.store(out, 0.0)
        return out

    def more(x):
        out = nl.ndarray((1, 8), dtype=x.dtype, buffer=nl.shared_hbm)
        if nl.program_id(0):
            nl.ndarray((2, 8), dtype=x.dtype, buffer=nl.shared_hbm)
        nl.store(out, 0.0)
        return out

    assert refused(size, 2) == [
        "NKI1120: tensor 1 in HBM of program (1,) is float32[2, 8] in shared_hbm; that of program "
        "(0,) is float32[1, 8] in shared_hbm"
    ]
    assert refused(more, 2) == [
        "NKI1120: tensor 2 in HBM of program (1,) is float32[2, 8] in shared_hbm; that of program "
        "(0,) is none"
    ]


def test_refuses_results_that_differ():
    def kernel(x):
        first = nl.ndarray((1, 8), dtype=x.dtype, buffer=nl.shared_hbm)
        second = nl.ndarray((1, 8), dtype=x.dtype, buffer=nl.shared_hbm)
        nl.store(first, 0.0)
        nl.store(second, 0.0)
        return (first, second)[nl.program_id(0)]

    assert refused(kernel, 2) == [
        "NKI1121: program (1,) of the grid returns second; the first program returns first"
    ]


def test_refuses_grids_that_are_none():
    assert refused(doubled, (4, 0))[0].startswith("NKI1020")
    assert refused(doubled, (nl.nc(2) * 2, 3))[0].startswith("NKI1020")
    with pytest.raises(NkiError, match="NKI1020"):
        nl.nc(0)

    def axis(x):
        nl.program_id(2)

    assert refused(axis, (4, 3))[0].startswith("NKI1021")


def test_says_which_program_is_refused():
    def kernel(x):
        nl.load(x[nl.program_id(0) + 2])

    with pytest.raises(NkiError) as caught:
        nki.jit(kernel)[4](X)
    (found,) = caught.value.diagnostics
    assert found.code.id == "NKI3040"
    assert found.notes == ["in program (2,) of the grid (4,)"]
