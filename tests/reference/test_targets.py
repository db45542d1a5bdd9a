"""What the targets disagree on: limits, dtypes, engines and modes, and warnings about integers."""

from __future__ import annotations

import pytest

import opennki.api.isa as nisa
import opennki.api.language as nl
from opennki.base.diag import NkiError
from opennki.driver.options import resolve_target

F32, BF16, I32, U32, U8 = nl.float32, nl.bfloat16, nl.int32, nl.uint32, nl.uint8
E4, E5, FN = nl.float8_e4m3, nl.float8_e5m2, nl.float8_e4m3fn
SBUF, PSUM, HBM = nl.sbuf, nl.psum, nl.shared_hbm
ALL = ("trn1", "trn2", "trn3")
ENGINE, DGE = nisa.engine, nisa.dge_mode
ROWS = nisa.matmul_perf_mode.double_row


def t(*shape, dtype=F32, buffer=SBUF):
    return nl.ndarray(shape or (128, 8), dtype, buffer)


def psum(*shape, dtype=F32):
    return t(*shape, dtype=dtype, buffer=PSUM)


def hbm(*shape, dtype=F32):
    return t(*shape, dtype=dtype, buffer=HBM)


def product(k=128, m=128, n=512, dst=F32, left=BF16, right=BF16, target=None, **more):
    nisa.nc_matmul(psum(m, n, dtype=dst), t(k, m, dtype=left), t(k, n, dtype=right), **more)


def pairs(k=128, m=64, n=128, left=E4, right=E5, two=2, **more):
    nisa.nc_matmul(
        psum(m, n), t(k, two, m, dtype=left), t(k, two, n, dtype=right), perf_mode=ROWS, **more
    )


def tiled(position, size, k=32, m=32, **more):
    product(k, m, 64, tile_position=position, tile_size=size, **more)


def copy(dst, src, **more):
    return lambda: nisa.dma_copy(dst=dst(), src=src(), **more)


def act(**more):
    nisa.activation(t(), nl.exp, t(), **more)


OK, NEW = (), ("NKI2108",)
# What differs between the targets: the call, then what trn1, trn2 and trn3 say.
PER_TARGET = {
    "moving of 512 columns": (lambda: product(n=512), OK, OK, OK),
    "moving of 513 columns": (lambda: product(n=513), ("NKI2104",), ("NKI2104",), OK),
    "moving of 4096 columns": (lambda: product(n=4096), ("NKI2104",), ("NKI2104",), OK),
    "bfloat16 sums": (lambda: product(dst=BF16), ("NKI2106",), ("NKI2106",), OK),
    "bfloat16 sums of 8192 columns": (
        lambda: product(n=8192, dst=BF16), ("NKI2104", "NKI2106"), ("NKI2104", "NKI2106"), OK,
    ),
    "products of OCP fp8": (
        lambda: product(left=FN, right=FN), ("NKI2106",) * 2, ("NKI2106",) * 2, OK,
    ),
    "double rows": (pairs, NEW, OK, OK),
    "double rows of bfloat16": (lambda: pairs(right=BF16), NEW, ("NKI2204",), ("NKI2204",)),
    "double rows in threes": (lambda: pairs(two=3), NEW, ("NKI2205",) * 2, ("NKI2205",) * 2),
    "double rows in row tiles": (
        lambda: pairs(k=64, tile_position=(64, 0), tile_size=(64, 128)), NEW, OK, OK,
    ),
    "double rows in column tiles": (
        lambda: pairs(tile_position=(0, 64), tile_size=(128, 64)), NEW, ("NKI2206",), ("NKI2206",),
    ),
    "quarter rows": (lambda: tiled((96, 0), (32, 128)), ("NKI2209",), OK, OK),
    "half columns": (lambda: tiled((0, 64), (128, 64)), OK, OK, OK),
    "quarter columns": (lambda: tiled((0, 32), (128, 32)), ("NKI2209",), OK, OK),
    "transposing products into the dtype": (
        lambda: product(128, 128, 128, dst=BF16, is_transpose=True), OK, OK, OK,
    ),
    "transposing products into float32": (
        lambda: product(128, 128, 128, is_transpose=True), OK, ("NKI2116",), ("NKI2116",),
    ),
    "numbers as bias": (lambda: act(bias=1.0), ("NKI2502",), OK, OK),
    "zero as bias, which adds nothing": (lambda: act(bias=0.0), OK, OK, OK),
    "bias of reciprocals": (
        lambda: nisa.activation(t(), nl.reciprocal, t(), bias=t(128, 1)), ("NKI2123",), OK, OK,
    ),
    "copies on the Scalar engine": (
        lambda: nisa.tensor_copy(t(), t(), engine=ENGINE.scalar), ("NKI2113",), OK, OK,
    ),
    "hardware descriptors": (copy(t, hbm, dge_mode=DGE.hwdge), NEW, OK, OK),
    "hardware descriptors by the Scalar engine": (
        copy(t, hbm, dge_mode=DGE.hwdge, engine=ENGINE.scalar), NEW, OK, OK,
    ),
    "hardware descriptors by GpSimd": (
        copy(t, hbm, dge_mode=DGE.hwdge, engine=ENGINE.gpsimd), NEW, ("NKI2113",), ("NKI2113",),
    ),
    "hardware descriptors that convert": (
        copy(t, lambda: hbm(dtype=BF16), dge_mode=DGE.hwdge), NEW, ("NKI2302",), ("NKI2302",),
    ),
    "priorities": (copy(t, hbm, priority=3), NEW, NEW, OK),
    "a priority of 4": (copy(t, hbm, priority=4), ("NKI2124",), ("NKI2124",), ("NKI2124",)),
    "a tile of 200000 bytes": (
        lambda: t(128, 200_000, dtype=U8), ("NKI3003",), OK, OK,
    ),
    "a tile of 256 KiB": (
        lambda: t(128, 262_145, dtype=U8), ("NKI3003",), ("NKI3003",), ("NKI3003",),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PER_TARGET)
def test_targets_differ_where_the_reference_says(rules, name):
    call, *want = PER_TARGET[name]
    assert [sorted(rules(call, target)) for target in ALL] == [sorted(w) for w in want]


@pytest.mark.parametrize("name", ["inf1", "tonga", "trn9"])
def test_what_has_no_nki_is_no_target(name):
    with pytest.raises(NkiError) as caught:
        resolve_target(name)
    (found,) = caught.value.diagnostics
    assert found.code.id == "NKI1023"
    assert ("NKI needs trn1 (sunda) or newer" in found.hint) == (name != "trn9")
    for known in ("trn1", "inf2", "trn2", "trn3", "gen2", "gen3", "gen4"):
        assert known in found.hint


@pytest.mark.parametrize("target", ALL)
def test_integers_that_pass_through_float32_are_warned_about(rules, target):
    def ints(**more):
        return lambda: nisa.tensor_tensor(
            t(dtype=I32), t(dtype=I32), t(dtype=U32, buffer=more.pop("buffer", SBUF)), nl.add,
            **more,
        )  # fmt: skip

    assert rules(ints(), target) == []  # GpSimd
    assert rules(ints(engine=ENGINE.vector), target) == ["NKI2125"]
    assert rules(ints(buffer=PSUM), target) == ["NKI2125"]
    assert rules(lambda: nisa.tensor_copy(t(dtype=I32), t(dtype=I32)), target) == []
    assert rules(lambda: nisa.tensor_copy(t(), t(dtype=I32)), target) == []  # known at run time
