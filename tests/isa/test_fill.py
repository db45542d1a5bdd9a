"""memset and iota: constants and index patterns."""

from __future__ import annotations

import math

import numpy as np
import pytest

from opennki.base.dtypes import (
    DType,
    bfloat16,
    bool_,
    float4_e2m1fn_x4,
    float32,
    int8,
    int16,
    int32,
    uint8,
    uint32,
)
from opennki.ir import Inst, Space, Tensor, View, problems
from opennki.isa.enums import Engine
from opennki.isa.fill import IndexValueInst, MemsetOp
from opennki.target import target


def tile(*shape: int, dtype: DType = float32, space: Space = Space.sbuf) -> View:
    return View.whole(Tensor("t", shape, dtype, space))


def broken(inst: Inst, on: str = "trn2") -> list[str]:
    """Ids of the rules that `inst` breaks, on its default engine unless it names one."""
    t = target(on)
    if inst.engine is None:
        inst.engine = inst.default_engine(t)
    return [found.code.id for found in problems(inst, t)]


def test_memset_fills_every_element():
    made = MemsetOp(tile(2, 3, 2), 1.5).sem()
    assert made.dtype == np.float32
    assert made.tolist() == [[1.5] * 6, [1.5] * 6]


def test_memset_writes_integers_without_rounding():
    made = MemsetOp(tile(1, 2, dtype=int32), 2**31 - 1).sem()
    assert made.dtype == np.int32
    assert made.tolist() == [[2147483647, 2147483647]]


def test_memset_runs_on_vector_or_gpsimd():
    assert broken(MemsetOp(tile(4, 4), 0, engine=Engine.POOL)) == []
    assert broken(MemsetOp(tile(4, 4), 0, engine=Engine.ACT)) == ["NKI2113"]
    assert broken(MemsetOp(tile(4, 4, space=Space.psum), 0)) == []
    assert broken(MemsetOp(tile(4, 4, space=Space.psum), 0, engine=Engine.POOL)) == ["NKI2114"]


@pytest.mark.parametrize(("dtype", "good", "bad"), [
    (int32, 7.0, 7.5),
    (int32, -(2**31), 2**31),
    (uint8, 255, 256),
    (uint8, 0, -1),
    (int8, -128, -129),
    (int16, 0, math.nan),
    (uint32, 2**32 - 1, math.inf),
    (bool_, True, 2),
    (float32, math.inf, 1e39),
    (float32, -3.4028234663852886e38, 2**128),
    (float32, -3.4028235e38, 3.4028236e38),
    (bfloat16, 3.4028235e38, 3.4028235677973366e38),
    (float32, 0, 2**1100),
    (int32, 0, 2**1100),
    (bfloat16, 2**24 + 1, -1e300),
])  # fmt: skip
def test_memset_takes_values_that_the_dtype_holds(dtype: DType, good: float, bad: float):
    assert broken(MemsetOp(tile(4, 4, dtype=dtype), good)) == []
    assert broken(MemsetOp(tile(4, 4, dtype=dtype), bad)) == ["NKI2606"]


def test_packed_tiles_are_filled_with_zero_only():
    packed = tile(4, 4, dtype=float4_e2m1fn_x4)
    assert broken(MemsetOp(packed, 1), "trn3") == ["NKI2607"]
    assert broken(MemsetOp(packed, 0.0), "trn3") == []
    assert MemsetOp(packed, 0.0).sem().dtype == np.uint16


def test_iota_counts_along_the_free_dimension():
    made = IndexValueInst(tile(2, 4, dtype=int32), ((1, 4),)).sem()
    assert made.dtype == np.int32
    assert made.tolist() == [[0, 1, 2, 3], [0, 1, 2, 3]]


def test_iota_adds_offset_channel_and_steps_with_the_last_pair_fastest():
    inst = IndexValueInst(tile(2, 6), ((10, 2), (-1, 3)), offset=5, channel_multiplier=100)
    assert broken(inst) == []
    made = inst.sem()
    assert made.dtype == np.float32
    assert made.tolist() == [[5, 4, 3, 15, 14, 13], [105, 104, 103, 115, 114, 113]]


def test_iota_wraps_in_32_bits():
    pattern = ((2**31 - 1, 3),)
    assert IndexValueInst(tile(1, 3, dtype=int32), pattern).sem().tolist() == [[0, 2**31 - 1, -2]]
    assert IndexValueInst(tile(1, 3, dtype=uint32), pattern).sem().tolist() == [
        [0, 2**31 - 1, 2**32 - 2]
    ]
    assert IndexValueInst(tile(1, 3), pattern).sem().tolist() == [[0, 2.0**31, -2]]


def test_iota_saturates_narrow_integers():
    pattern = ((150, 3),)
    assert IndexValueInst(tile(1, 3, dtype=int8), pattern).sem().tolist() == [[0, 127, 127]]
    assert IndexValueInst(tile(1, 3, dtype=uint8), ((-1, 3),)).sem().tolist() == [[0, 0, 0]]
    assert IndexValueInst(tile(1, 3, dtype=bool_), pattern).sem().tolist() == [[0, 1, 1]]


def test_iota_writes_unpacked_sbuf_tiles():
    pattern = ((1, 4),)
    psum = IndexValueInst(tile(4, 4, space=Space.psum), pattern)
    assert broken(psum) == ["NKI2105"]
    packed = tile(4, 4, dtype=float4_e2m1fn_x4)
    assert broken(IndexValueInst(packed, pattern), "trn3") == ["NKI2106"]
    assert broken(IndexValueInst(tile(4, 4, dtype=bfloat16), pattern)) == []


def test_a_pattern_makes_one_value_per_element():
    assert broken(IndexValueInst(tile(4, 6), ((1, 5),))) == ["NKI2601"]
    assert broken(IndexValueInst(tile(4, 6), ((1, 2), (0, 3)))) == []
    assert broken(IndexValueInst(tile(4, 2, 3), ((1, 6),))) == []


@pytest.mark.parametrize("pattern", [
    (), ((1, 1),) * 4 + ((1, 6),), ((1, 6, 2),), ((1.0, 6),), ((1, -6),), ((1, 0), (1, 6)), (6,),
])  # fmt: skip
def test_a_pattern_has_one_to_four_pairs_with_positive_counts(pattern: tuple[object, ...]):
    assert broken(IndexValueInst(tile(4, 6), pattern)) == ["NKI2602"]
    assert broken(IndexValueInst(tile(4, 6), ((1, 1),) * 3 + ((1, 6),))) == []


def test_steps_offset_and_channel_multiplier_are_int32():
    def fill(step: int = 1, offset: int = 0, channel: int = 0) -> list[str]:
        return broken(IndexValueInst(tile(4, 6), ((step, 6),), offset, channel))

    assert fill(2**31 - 1, -(2**31), 2**31 - 1) == []
    assert fill(step=2**31) == fill(offset=2**31) == fill(channel=-(2**31) - 1) == ["NKI2605"]
