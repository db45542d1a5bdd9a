"""Tensor indirection: elements that engines choose by indices of groups of partitions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nki
import nki.isa as nisa
import nki.language as nl
import opennki
from opennki import NkiError, birpy
from opennki.base.dtypes import float32, int32
from opennki.birpy import verify as verify_bir
from opennki.ir import Index, IndirectView, Space, Tensor, View
from opennki.penguin import parse_function, view_problems

LEVELS = ("penguin", "bir", "program")


@nki.jit
def both_ways(x, idx, count=32):
    gathered = nl.ndarray((x.shape[0], count), x.dtype, buffer=nl.shared_hbm)
    scattered = nl.ndarray(x.shape, x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray(x.shape, x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    i = nl.ndarray(idx.shape, nl.uint32, buffer=nl.sbuf)
    nisa.dma_copy(dst=i, src=idx)
    u = nl.ndarray((x.shape[0], count), x.dtype, buffer=nl.sbuf)
    nisa.tensor_scalar(dst=u, data=t.indirect(i, num_elem=count), op0=nl.multiply, operand0=2.0)
    w = nl.zeros(x.shape, x.dtype, buffer=nl.sbuf)
    nisa.tensor_copy(dst=w.indirect(i, count), src=u)
    nisa.dma_copy(dst=gathered, src=u)
    nisa.dma_copy(dst=scattered, src=w)
    return gathered, scattered


def indices(rng: np.random.Generator, partitions: int, columns: int, limit: int) -> np.ndarray:
    """Different indices below `limit` for every group of 16 partitions."""
    group = min(16, partitions)
    each = [
        rng.permutation(limit)[: group * columns].reshape(columns, group).T
        for _ in range(partitions // group)
    ]
    return np.concatenate(each).astype(np.uint32)


def by_hand(x: np.ndarray, idx: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    gathered, scattered = np.zeros((len(x), count), np.float32), np.zeros_like(x)
    group = min(16, len(idx))
    for p in range(len(x)):
        first = p // group * group
        for i in range(count):
            at = idx[first + i % group, i // group]
            gathered[p, i] = scattered[p, at] = 2 * x[p, at]
    return gathered, scattered


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("partitions", "count"), [(128, 32), (128, 20), (32, 17), (16, 1), (8, 9)])
def test_groups_share_their_indices(rng: Any, level: str, partitions: int, count: int):
    x = rng.standard_normal((partitions, 64)).astype(np.float32)
    idx = indices(rng, partitions, 2, 64)
    args = (x, idx, count)
    gathered, scattered = opennki.compile(both_ways, *args, target="trn3").run(x, idx, level=level)
    want = by_hand(x, idx, count)
    np.testing.assert_array_equal(gathered, want[0])
    np.testing.assert_array_equal(scattered, want[1])


def test_every_text_reads_back(rng: Any):
    x, idx = np.zeros((128, 64), np.float32), indices(rng, 128, 2, 64)
    made = opennki.compile(both_ways, x, idx, target="trn3")
    assert "snake %i*1 < 64" in made.text("penguin")
    assert parse_function(made.text("penguin")) == made.penguin[0]
    assert birpy.parse_module(made.text("bir")).functions == made.bir.functions
    assert birpy.loads(birpy.dumps(made.bir)).functions == made.bir.functions
    assert verify_bir(made.bir) == []


@pytest.mark.parametrize("level", LEVELS)
def test_an_index_outside_stops_the_run(rng: Any, level: str):
    x, idx = np.zeros((128, 64), np.float32), indices(rng, 128, 2, 64)
    idx[17, 1] = 64
    with pytest.raises(NkiError) as caught:
        opennki.compile(both_ways, x, idx, target="trn3").run(x, idx, level=level)
    found = caught.value.diagnostics[0]
    assert found.code.id == "NKI6020"
    assert "gets 64 as run-time index of `t`, where 0 to 63 are allowed" in found.message


@nki.jit
def transposed(x, idx):
    out = nl.ndarray((32, 32), x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray(x.shape, x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    i = nl.ndarray(idx.shape, nl.uint32, buffer=nl.sbuf)
    nisa.dma_copy(dst=i, src=idx)
    p = nl.ndarray((32, 32), nl.float32, buffer=nl.psum)
    ones = nl.shared_identity_matrix(32, x.dtype)
    nisa.nc_matmul(dst=p, stationary=t.indirect(i, 32), moving=ones)
    u = nl.ndarray((32, 32), x.dtype, buffer=nl.sbuf)
    nisa.tensor_copy(dst=u, src=p)
    nisa.dma_copy(dst=out, src=u)
    return out


@pytest.mark.parametrize("level", LEVELS)
def test_the_tensor_engine_has_groups_of_32(rng: Any, level: str):
    x = rng.standard_normal((32, 64)).astype(nl.bfloat16.np)
    idx = rng.permutation(64)[:32].astype(np.uint32)[:, None]
    result = opennki.compile(transposed, x, idx, target="trn3").run(x, idx, level=level)
    np.testing.assert_array_equal(result, x[:, idx[:, 0]].T)


def codes(target: str, count: int = 32, columns: int = 2) -> list[str]:
    x, idx = np.zeros((128, 64), np.float32), np.zeros((128, columns), np.uint32)
    found = opennki.check(both_ways, x, idx, count, target=target)
    return sorted({one.code for one in found if one.severity == "error"})


def test_only_trn3_has_it_and_only_for_as_many_as_there_are_indices():
    assert codes("trn3") == []
    assert codes("trn2") == codes("trn1") == ["NKI2108"]
    assert codes("trn3", 33) == ["NKI2132"]
    assert codes("trn3", 33, 3) == []


def snake(shape: tuple[int, ...], rows: int, space: Space = Space.sbuf) -> View:
    tensor = Tensor("t", (128, 64), float32, space)
    source = View.whole(Tensor("i", (rows, 2), int32, Space.sbuf))
    strides = (64, 1, 1)[: len(shape)]
    return IndirectView(tensor, 0, shape, strides, float32, Index(source, 1, 64, snake=True))


def test_indices_are_on_the_partitions_of_the_view():
    def found(view: View) -> list[str]:
        return [fault.code.id for fault in view_problems(view)]

    assert found(snake((128, 32), 128)) == []
    assert found(snake((128, 32), 64)) == ["NKI3033"]
    assert found(snake((128, 32), 128, Space.private_hbm)) == ["NKI3033"]
    assert found(snake((128, 4, 8), 128)) == ["NKI3033"]
