"""Problems of a launch say which program they come from, unless all have them."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import nki
import nki.isa as nisa
import nki.language as nl
from opennki import check
from opennki.base.diag import NkiError, NkiWarning
from opennki.driver import programs

X = np.ones((4, 8), np.float32)
NOTE = "in program (1,) of the grid (2,)"


@nki.jit
def slices(x, only):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.load(x)
    if only is None or nl.program_id(0) == only:
        t = t[0:5]
    nl.store(out, t)
    return out


@nki.jit
def gathers(x, only):
    """Reads an index that is no place: what only running it can find."""
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    wrong = 9 if nl.program_id(0) == only else 3
    indices = nl.full(x.shape, wrong, nl.uint32)
    nl.store(out, nl.gather_flattened(nl.load(x), indices))
    return out


@nki.jit
def loses(x, only):
    """Adds an integer that float32 does not hold, which is warned of."""
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    large = only is None or nl.program_id(0) == only
    wide = nl.full(x.shape, 2**24 + 1 if large else 1, nl.int32)
    made = nl.ndarray(x.shape, nl.float32)
    nisa.tensor_copy(dst=made, src=wide)
    nl.store(out, made)
    return out


def refusal(kernel, only, grid=(2,), **options):
    launched = nki.simulate(kernel if grid is None else kernel[grid], target="trn2", **options)
    with pytest.raises(NkiError) as caught:
        launched(X, only)
    return caught.value


@pytest.mark.parametrize("step", [False, True])
@pytest.mark.parametrize("only", [0, 1])
def test_an_error_while_tracing_names_its_program(only, step):
    error = refusal(slices, only, step=step)
    (found,) = error.diagnostics
    assert found.notes == [f"in program ({only},) of the grid (2,)"]
    assert found.notes[0] in str(error)
    assert isinstance(error, NkiError)


@pytest.mark.parametrize("level", ["penguin", "bir", "program"])
def test_an_error_while_running_names_its_program(level):
    error = refusal(gathers, 1, level=level)
    assert error.code == "NKI6021"
    assert NOTE in error.diagnostics[0].notes
    assert NOTE in str(error)


def test_a_launch_of_one_program_has_no_such_note():
    assert refusal(slices, None, grid=(1,)).diagnostics[0].notes == []
    assert refusal(slices, None, grid=None).diagnostics[0].notes == []


@pytest.mark.parametrize("step", [False, True])
@pytest.mark.parametrize(("only", "noted"), [(1, True), (None, False)])
def test_a_warning_names_its_program_unless_all_have_it(only, noted, step):
    launched = nki.simulate(loses[2], target="trn2", step=step)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        launched(X, only)
    told = [str(w.message) for w in caught if issubclass(w.category, NkiWarning)]
    texts = [text for text in told if "NKI6009" in text]
    assert texts
    assert any(NOTE in text for text in texts) == noted


def test_check_names_the_program():
    (found,) = check(slices, X, 1, target="trn2", grid=2)
    assert NOTE in str(found)


def test_the_programs_of_a_grid():
    assert programs((2,)) == [(0,), (1,)]
    assert programs(()) == [()]
