"""Callers' arrays of every kind: what a kernel reads of them, and what it writes back."""

from __future__ import annotations

import numpy as np
import pytest

import nki
import nki.language as nl
import opennki
from opennki.base.diag import NkiError

torch = pytest.importorskip("torch")

BASE = np.arange(32, dtype=np.float32).reshape(4, 8)


@nki.jit
def increment(x):
    nl.store(x, nl.add(nl.load(x), 1.0))


@nki.jit
def incremented(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.add(nl.load(x), 1.0))
    return out


@nki.jit
def increment_and_fail(x):
    nl.store(x, nl.add(nl.load(x), 1.0))
    nl.store(x, 3)


def unaligned():
    return np.frombuffer(bytearray(b"\0" + BASE.tobytes()), np.float32, offset=1).reshape(4, 8)


ARRAYS = {
    "transposed": lambda: np.ascontiguousarray(BASE.T).T,
    "reversed": lambda: BASE.copy()[::-1, ::-1],
    "strided": lambda: np.arange(128, dtype=np.float32).reshape(8, 16)[::2, ::2],
    "swapped": lambda: BASE.astype(">f4"),
    "masked": lambda: np.ma.masked_array(BASE.copy(), mask=BASE % 2 == 0),
    "matrix": lambda: BASE.copy().view(np.recarray),
    "unaligned": unaligned,
    "torch transposed": lambda: torch.arange(32.0).reshape(8, 4).T,
    "torch bfloat16": lambda: torch.arange(32.0).reshape(4, 8).bfloat16(),
    "torch negated": lambda: torch._neg_view(torch.arange(32.0).reshape(4, 8)),
}


def values(array):
    if isinstance(array, torch.Tensor):
        return array.detach().resolve_neg().float().numpy().copy()
    return np.array(np.asarray(array), np.float32)


@pytest.mark.parametrize("kind", ARRAYS)
def test_values_come_in_and_go_back(kind):
    array = ARRAYS[kind]()
    before = values(array)
    assert np.array_equal(values(incremented(array)), before + 1)
    assert np.array_equal(values(array), before)
    increment(array)
    assert np.array_equal(values(array), before + 1)
    with pytest.raises(NkiError, match="NKI1007"):
        increment_and_fail(array)
    assert np.array_equal(values(array), before + 1)


def read_only():
    array = BASE.copy()
    array.setflags(write=False)
    return array


FIXED = {
    "read-only": read_only,
    "repeated": lambda: np.lib.stride_tricks.as_strided(BASE[0].copy(), (4, 8), (0, 4)),
    "overlapping": lambda: np.lib.stride_tricks.as_strided(BASE.ravel().copy(), (4, 8), (4, 4)),
    "torch repeated": lambda: torch.ones(1, 8).expand(4, 8),
    "torch with gradients": lambda: torch.ones(4, 8, requires_grad=True),
    "torch inference": lambda: torch.inference_mode()(lambda: torch.ones(4, 8))(),
}


@pytest.mark.parametrize("kind", FIXED)
def test_what_cannot_be_written_is_read_but_not_written(kind):
    array = FIXED[kind]()
    before = values(array)
    assert np.array_equal(values(incremented(array)), before + 1)
    with pytest.raises(NkiError, match="NKI1022"):
        increment(array)
    assert np.array_equal(values(array), before)


class Empty:
    """Looks like an array and has no values."""

    shape, dtype = (4, 8), "float32"


class Shapeless:
    """Has a shape that is none."""

    shape, dtype = ("a", 8), "float32"


@pytest.mark.parametrize("step", [False, True])
@pytest.mark.parametrize(
    "array",
    [Empty(), Shapeless(), torch.ones(4, 8, device="meta"), torch.ones(4, 8).to_sparse()],
    ids=["empty", "shapeless", "meta", "sparse"],
)
def test_arrays_without_values_are_refused_by_name(array, step):
    with pytest.raises(NkiError, match=r"NKI1010.*argument `x`"):
        nki.simulate(incremented, step=step)(array)


@pytest.mark.parametrize("level", ["x", 3])
def test_an_unknown_level_is_refused(level):
    with pytest.raises(NkiError, match="NKI7012"):
        opennki.compile(incremented, BASE).run(BASE, level=level)
    with pytest.raises(NkiError, match="NKI7012"):
        nki.simulate(incremented, level=level)(BASE)
