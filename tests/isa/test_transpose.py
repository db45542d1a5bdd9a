"""`nc_transpose`: bits, engines, and each of its rules."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from opennki.base import dtypes as dt
from opennki.base.dtypes import DType
from opennki.ir import Read, Space, Tensor, View, problems
from opennki.isa.enums import Engine
from opennki.isa.transpose import TransposeOp
from opennki.target import target

GEN2, GEN3 = target("trn1"), target("trn2")
SBUF, PSUM = Space.sbuf, Space.psum


def tile(shape: tuple[int, ...], dtype: DType = dt.bfloat16, space: Space = SBUF) -> View:
    return View.whole(Tensor("t", shape, dtype, space))


def transpose(
    shape: tuple[int, ...] = (128, 64),
    engine: Engine | None = Engine.PE,
    dtype: DType = dt.bfloat16,
    *,
    src: Space = SBUF,
    dst: Space = PSUM,
    t: Any = GEN3,
) -> TransposeOp:
    data = tile(shape, dtype, src)
    inst = TransposeOp(tile((data.free_size, shape[0]), dtype, dst), data, engine=engine)
    inst.engine = engine or inst.default_engine(t)
    inst.prepare(t)
    return inst


def codes(inst: TransposeOp, t: Any = GEN3) -> list[str]:
    return [p.code.id for p in problems(inst, t)]


def test_partitions_and_flattened_free_dimensions_change_places() -> None:
    data = np.arange(12, dtype=np.uint16).reshape(2, 3, 2)
    got = transpose((2, 3, 2), dtype=dt.uint16).sem(data)
    assert got.dtype == np.uint16
    assert got.tolist() == [[0, 6], [1, 7], [2, 8], [3, 9], [4, 10], [5, 11]]


def test_bits_move_whatever_they_mean() -> None:
    data = np.array([[np.nan, np.inf], [-0.0, 1]], ml_dtypes.bfloat16)
    inst = transpose((2, 2))
    assert inst.read_mode() is Read.RAW
    assert np.array_equal(inst.sem(data).view(np.uint16), data.view(np.uint16).T)


def test_on_gen2_the_tensor_engine_spreads_infinity() -> None:
    inst = transpose((2, 2), t=GEN2)
    assert inst.read_mode() is Read.F32
    got = inst.sem(np.array([[np.inf, 2], [3, 4]], np.float32))
    assert got[0, 0] == np.inf
    assert np.isnan(got[0, 1])
    assert got[1].tolist() == [2, 4]


@pytest.mark.parametrize(
    ("engine", "dtype"), [(Engine.DVE, dt.bfloat16), (Engine.PE, dt.int32), (Engine.PE, dt.uint8)]
)
def test_on_gen2_other_transposes_move_bits(engine: Engine, dtype: DType) -> None:
    assert transpose((2, 2), engine, dtype, t=GEN2).read_mode() is Read.RAW


@pytest.mark.parametrize(
    ("shape", "src", "dst", "engine"),
    [
        ((32, 32), SBUF, PSUM, Engine.DVE),
        ((32, 8, 4), SBUF, SBUF, Engine.DVE),
        ((33, 32), SBUF, PSUM, Engine.PE),
        ((32, 33), SBUF, PSUM, Engine.PE),
        ((128, 128), SBUF, PSUM, Engine.PE),
        ((33, 32), PSUM, SBUF, Engine.DVE),
    ],
)
def test_default_engine_follows_size_and_memories(
    shape: tuple[int, ...], src: Space, dst: Space, engine: Engine
) -> None:
    assert transpose(shape, None, src=src, dst=dst).engine is engine


def test_each_engine_has_its_largest_tile() -> None:
    assert codes(transpose((128, 128))) == []
    assert codes(transpose((128, 129))) == ["NKI2104"]  # `dst` would have 129 partitions
    assert codes(transpose((32, 32), Engine.DVE)) == []
    assert codes(transpose((33, 32), Engine.DVE)) == ["NKI2212"]
    assert codes(transpose((32, 33), Engine.DVE)) == ["NKI2212"]


def test_the_tensor_engine_goes_from_sbuf_to_psum() -> None:
    assert codes(transpose(dst=SBUF)) == ["NKI2213"]
    assert codes(transpose(src=PSUM)) == ["NKI2213"]


@pytest.mark.parametrize("src", [SBUF, PSUM])
@pytest.mark.parametrize("dst", [SBUF, PSUM])
def test_the_vector_engine_takes_both_memories(src: Space, dst: Space) -> None:
    assert codes(transpose((32, 32), Engine.DVE, src=src, dst=dst)) == []


def test_the_destination_is_the_transposed_shape() -> None:
    inst = transpose()
    inst.dst = tile((64, 64), space=PSUM)
    assert codes(inst) == ["NKI2103"]
    inst.dst = tile((128, 64), space=PSUM)
    assert codes(inst) == ["NKI2103", "NKI2103"]
    inst.dst = tile((64, 2, 64), space=PSUM)
    assert codes(inst) == []


def test_the_dtype_stays() -> None:
    inst = transpose()
    inst.dst = tile((64, 128), dt.float32, PSUM)
    assert codes(inst) == ["NKI2116"]


def test_packed_dtypes_are_transposed_as_bits() -> None:
    assert codes(transpose(dtype=dt.float8_e4m3fn_x4), target("trn3")) == []


def test_it_has_no_other_engines() -> None:
    assert codes(transpose((32, 32), Engine.POOL, dst=SBUF)) == ["NKI2113"]
