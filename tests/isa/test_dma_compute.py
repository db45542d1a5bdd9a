"""dma_compute: sums on the way, and rows that are changed in place."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import nki
import nki.isa as nisa
import nki.language as nl
import opennki
from opennki import birpy
from opennki.base.dtypes import DType, bfloat16, float8_e4m3fn_x4, float32, int32
from opennki.ir import Index, IndirectView, Inst, Space, Tensor, View, problems
from opennki.isa.dma_compute import DMACompute
from opennki.isa.enums import AluOp, Engine, OobMode
from opennki.lower import RULES, lift
from opennki.target import target

LEVELS = ("penguin", "bir", "program")


def tile(*shape: int, dtype: DType = float32, space: Space = Space.sbuf, name: str = "t") -> View:
    return View.whole(Tensor(name, shape, dtype, space))


def hbm(*shape: int, dtype: DType = float32, name: str = "h") -> View:
    return tile(*shape, dtype=dtype, space=Space.shared_hbm, name=name)


def rows(of: View, count: int) -> View:
    index = Index(tile(count, 1, dtype=int32, name="i"), of.strides[0], of.shape[0], True)
    return IndirectView(of.tensor, 0, (count, *of.shape[1:]), of.strides, of.dtype, index)


def made(dst: View, srcs: list[View], op: AluOp = AluOp.add, **more: Any) -> DMACompute:
    return DMACompute(dst, tuple(srcs), op, **more)


def broken(inst: Inst, on: str = "trn2") -> list[str]:
    t = target(on)
    inst.engine = inst.default_engine(t)
    return [found.code.id for found in problems(inst, t)]


def test_elements_are_added_in_the_order_of_the_sources():
    inst = made(hbm(2, 2), [hbm(4), tile(2, 2), hbm(2, 2)])
    assert broken(inst) == []
    big, one = np.float32(2**24), np.float32(1)
    first = np.array([big, 1, 2, 3], np.float32)
    second = np.array([[one, 1], [1, 1]], np.float32)
    third = np.array([[-big, 0], [0, 0]], np.float32)
    # 2**24 + 1 is 2**24 in float32, and taking 2**24 away again leaves 0.
    assert inst.sem([first, second, third]).tolist() == [0, 2, 3, 4]


@pytest.mark.parametrize(("count", "codes"), [(1, []), (16, [])])
def test_one_to_sixteen_sources(count: int, codes: list[str]):
    assert broken(made(hbm(4, 4), [hbm(4, 4)] * count)) == codes


@pytest.mark.parametrize(("op", "codes"), [
    (AluOp.add, []), (AluOp.mult, ["NKI2117"]), (AluOp.max, ["NKI2117"]),
])  # fmt: skip
def test_the_hardware_only_adds(op: AluOp, codes: list[str]):
    assert broken(made(hbm(4, 4), [hbm(4, 4)] * 2, op)) == codes


@pytest.mark.parametrize(("scales", "codes"), [
    (None, []), ((1.0, 1.0), []), ((1.0, 2.0), ["NKI2124"]), ((1.0,), ["NKI2124"]),
])  # fmt: skip
def test_every_scale_is_1(scales: tuple[float, ...] | None, codes: list[str]):
    assert broken(made(hbm(4, 4), [hbm(4, 4)] * 2, scales=scales)) == codes


def test_counts_memories_and_dtypes():
    assert broken(made(hbm(4, 4), [hbm(16), hbm(4, 3)])) == ["NKI2310"]
    assert broken(made(hbm(4, 4), [tile(4, 4, space=Space.psum)])) == ["NKI2301"]
    assert broken(made(tile(4, 4, space=Space.psum), [hbm(4, 4)])) == ["NKI2301"]
    packed = hbm(4, 4, dtype=float8_e4m3fn_x4)
    assert broken(made(hbm(4, 4), [packed]), "trn3") == ["NKI2106"]
    assert broken(made(hbm(4, 4, dtype=bfloat16), [hbm(4, 4), hbm(4, 4, dtype=int32)])) == []


def test_rows_must_be_different_and_may_be_skipped():
    table, data = hbm(64, 8), tile(16, 8, name="d")
    chosen = rows(table, 16)
    assert broken(made(chosen, [chosen, data], oob_mode=OobMode.skip)) == []
    assert broken(made(chosen, [chosen, data], unique_indices=False)) == ["NKI2124"]
    assert broken(made(hbm(4, 4), [hbm(4, 4)], oob_mode=OobMode.skip)) == ["NKI2311"]
    assert broken(made(chosen, [chosen, data]), "trn1") == ["NKI2108"]


def test_rows_are_changed_in_place_only():
    table, data = hbm(64, 8), tile(16, 8, name="d")
    chosen = rows(table, 16)
    assert broken(made(data, [data, chosen])) == broken(made(data, [chosen, data])) == []
    assert broken(made(chosen, [data, chosen])) == []
    assert broken(made(chosen, [chosen, data, data])) == ["NKI2309"]
    assert broken(made(data, [tile(16, 8, name="e"), chosen])) == ["NKI2309"]
    assert broken(made(chosen, [chosen, hbm(16, 8, name="g")])) == ["NKI2309"]
    assert broken(made(hbm(16, 8, name="g"), [hbm(16, 8, name="g"), chosen])) == ["NKI2309"]
    scalar = Index(tile(1, 1, dtype=int32, name="i"), 8, 64)
    one = IndirectView(table.tensor, 0, (16, 8), (8, 1), float32, scalar)
    assert broken(made(data, [data, one])) == ["NKI2309"]


def test_bir_is_a_copy_that_computes():
    inst = birpy.Instruction(
        "DMACopy", Engine.SP, "I-0", (), (),
        {"mode": birpy.CopyMode.CCE, "cce_op": AluOp.add, "constants": (1.0, 1.0)},
    )  # fmt: skip
    ap = birpy.AccessPattern(
        birpy.MemoryLocation("m", birpy.MemoryType.DRAM, birpy.TensorKind.Internal, float32, (4,)),
        0, ((1, 4),), float32,
    )  # fmt: skip
    inst.ins, inst.outs = (ap, ap), (ap,)
    back = lift(inst, target("trn2"), lambda _: hbm(4), RULES)
    assert isinstance(back, DMACompute)
    assert (len(back.srcs), back.reduce_op, back.scales) == (2, AluOp.add, (1.0, 1.0))


@nki.jit
def histogram(table, data, index):
    out = nl.ndarray(table.shape, table.dtype, buffer=nl.shared_hbm)
    picked = nl.ndarray(data.shape, table.dtype, buffer=nl.shared_hbm)
    nisa.dma_compute(dst=out, srcs=[table, table], reduce_op=nl.add, scales=[1.0, 1.0])
    at = nl.ndarray(index.shape, nl.int32, buffer=nl.sbuf)
    nisa.dma_copy(dst=at, src=index)
    t = nl.ndarray(data.shape, table.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=data)
    chosen = out.vector_select(0, at)
    nisa.dma_compute(chosen, (chosen, t), nl.add, oob_mode=nisa.oob_mode.skip)
    nisa.dma_compute(t, (t, chosen), nl.add, oob_mode=nisa.oob_mode.skip)
    nisa.dma_copy(dst=picked, src=t)
    return out, picked


@pytest.mark.parametrize("level", LEVELS)
def test_rows_outside_change_nothing(rng: np.random.Generator, level: str):
    table = rng.standard_normal((40, 8)).astype(np.float32)
    data = rng.standard_normal((16, 8)).astype(np.float32)
    index = rng.permutation(40)[:16].astype(np.int32)[:, None]
    index[3], index[9] = -1, 40
    out, picked = opennki.compile(histogram, table, data, index).run(
        table, data, index, level=level
    )
    want, found = table + table, data.copy()
    inside = (index[:, 0] >= 0) & (index[:, 0] < 40)
    want[index[inside, 0]] += data[inside]
    found[inside] += want[index[inside, 0]]
    np.testing.assert_array_equal(out, want)
    np.testing.assert_array_equal(picked, found)


@pytest.mark.parametrize("level", LEVELS)
def test_a_row_that_is_changed_twice_is_told(level: str):
    table, data = np.zeros((8, 4), np.float32), np.ones((3, 4), np.float32)

    def told(index: list[int]) -> tuple[np.ndarray, list[str]]:
        args = table, data, np.array(index, np.int32)[:, None]
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            out, _ = opennki.compile(histogram, *args).run(*args, level=level)
        return out[:, 0], [str(one.message) for one in caught]

    out, found = told([6, 1, 6])
    assert out.tolist() == [0, 1, 0, 0, 0, 0, 1, 0]
    assert len(found) == 1
    assert "dma_compute changes row 6 of `out` 2 times" in found[0]
    out, found = told([6, 1, 3])
    assert (out.tolist(), found) == ([0, 1, 0, 1, 0, 0, 1, 0], [])
    assert told([-1, 8, -1])[1] == []
