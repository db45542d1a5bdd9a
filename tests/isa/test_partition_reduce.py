"""tensor_partition_reduce: folds across partitions, in float32 or of bits, and each rule."""

from __future__ import annotations

from functools import reduce
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from opennki import birpy
from opennki.base import dtypes as dt
from opennki.base.dtypes import DType
from opennki.ir import Inst, Space, Tensor, View, problems
from opennki.isa.enums import AluOp, AxisList
from opennki.isa.partition_reduce import PartitionReduceOp
from opennki.isa.reduce import TensorReduceOp
from opennki.lower import BirCodeGenLoop
from opennki.lower.rules import RULES
from opennki.target import target
from opennki.testing.programs import RUNNERS, program_of, run

T = target("trn2")


def tile(
    *shape: int, dtype: DType = dt.float32, space: Space = Space.sbuf, name: str = "t"
) -> View:
    return View.whole(Tensor(name, shape, dtype, space))


def fold(op: AluOp, data: np.ndarray, dtype: DType = dt.float32) -> np.ndarray:
    shape = data.shape
    made = PartitionReduceOp(tile(1, shape[1], dtype=dtype), op, tile(*shape, dtype=dtype)).sem(
        data
    )
    assert (made.dtype, made.shape) == (data.dtype, (1, shape[1]))
    return made[0]


def broken(inst: Inst, on: str = "trn2") -> list[str]:
    """Ids of the rules that `inst` breaks, on its default engine."""
    inst.engine = inst.default_engine(target(on))
    return [found.code.id for found in problems(inst, target(on))]


def made(op: AluOp, data: np.ndarray, source: DType, result: DType) -> np.ndarray:
    """What all levels agree on."""
    views = tile(1, data.shape[1], dtype=result, name="dst"), tile(*data.shape, dtype=source)
    inst = PartitionReduceOp(views[0], op, views[1])
    inst.engine = inst.default_engine(T)
    function = program_of([inst], T)
    arrays: dict[str, Any] = {}
    for name in function.args:
        tensor = function.tensors[name]
        value = data if name.startswith("t") else 0
        arrays[name] = np.broadcast_to(value, tensor.shape).astype(tensor.dtype.np)
    results = [run(function, arrays, level) for level in RUNNERS]
    (key,) = [name for name in results[0] if name.startswith("dst")]
    assert len({one[key].tobytes() for one in results}) == 1
    return results[0][key]


def test_a_worked_example():
    data = np.zeros((32, 2), np.float32)
    data[0], data[5], data[31] = (1, -1), (2, -8), (5, -7)
    assert fold(AluOp.add, data).tolist() == [8, -16]
    assert fold(AluOp.average, data).tolist() == [0.25, -0.5]
    assert fold(AluOp.max, data).tolist() == [5, 0]


def test_bits_are_combined():
    data = np.full((32, 2), 0xF0, np.uint8)
    data[7] = 0x11, 0x0F
    assert fold(AluOp.bitwise_or, data, dt.uint8).tolist() == [0xF1, 0xFF]
    assert fold(AluOp.bitwise_and, data, dt.uint8).tolist() == [0x10, 0x00]


@pytest.mark.parametrize("partitions", [32, 64, 96, 128])
def test_every_partition_counts(partitions: int, rng: np.random.Generator):
    data = rng.integers(-9, 9, (partitions, 7)).astype(np.float32)
    total = reduce(np.add, data.astype(np.float64))
    np.testing.assert_array_equal(fold(AluOp.add, data), total)
    np.testing.assert_array_equal(
        fold(AluOp.average, data), total.astype(np.float32) / np.float32(partitions)
    )
    np.testing.assert_array_equal(fold(AluOp.max, data), [max(c) for c in data.T.tolist()])


def test_a_sum_is_within_the_error_of_float32(rng: np.random.Generator):
    data = rng.standard_normal((128, 50)).astype(np.float32)
    bound = 128 * np.finfo(np.float32).eps * np.abs(data).sum(0, dtype=np.float64)
    assert (np.abs(fold(AluOp.add, data) - data.sum(0, dtype=np.float64)) <= bound).all()


def test_nan_spreads_only_in_its_column():
    data = np.ones((32, 2), np.float32)
    data[3, 1] = np.nan
    np.testing.assert_array_equal(fold(AluOp.max, data), [1, np.nan])
    np.testing.assert_array_equal(fold(AluOp.add, data), [32, np.nan])


def test_sums_are_in_float32_and_rounded_once():
    data = np.full((32, 1), 1 / 256)
    data[0] = 1
    # 1 + 31/256 is 1.12109375; bfloat16 near it counts in steps of 1/128, halfway goes to even
    bf16 = made(AluOp.add, data, dt.bfloat16, dt.bfloat16)
    assert bf16.dtype == ml_dtypes.bfloat16
    assert bf16.astype(np.float32).tolist() == [[1.125]]
    assert made(AluOp.add, data, dt.bfloat16, dt.float32).tolist() == [[1.12109375]]


def test_integer_results_are_rounded_and_saturate():
    data = np.zeros((32, 3))
    data[0], data[1] = (255, 100, 255), (255, 60, 1)
    assert made(AluOp.add, data, dt.uint8, dt.uint8).tolist() == [[255, 160, 255]]
    assert made(AluOp.average, data, dt.uint8, dt.uint8).tolist() == [[16, 5, 8]]
    assert made(AluOp.add, data, dt.uint8, dt.int32).tolist() == [[510, 160, 256]]


def test_wide_integers_are_combined_exactly(rng: np.random.Generator):
    data = rng.integers(-(2**31), 2**31, (64, 5)).astype(np.int32)
    np.testing.assert_array_equal(
        made(AluOp.bitwise_or, data, dt.int32, dt.int32)[0], reduce(np.bitwise_or, data)
    )


# --- lowering -------------------------------------------------------------------------------------


def lowered(inst: Inst) -> birpy.Instruction:
    inst.prepare(T)
    inst.engine = inst.default_engine(T)
    module = BirCodeGenLoop().run_on_module([program_of([inst], T)])
    assert birpy.dumps(birpy.loads(birpy.dumps(module))) == birpy.dumps(module)
    (one,) = [i for i in module.functions[0].blocks[0].instructions if i.opcode == "TensorReduce"]
    return one


def test_the_axis_says_what_is_folded():
    across = lowered(PartitionReduceOp(tile(1, 4, name="dst"), AluOp.max, tile(32, 4)))
    assert across.attrs == {"op": AluOp.max, "axis": AxisList.C}
    along = lowered(TensorReduceOp(tile(32, 1, name="dst"), AluOp.max, tile(32, 4), (1,)))
    means = RULES[TensorReduceOp].means
    assert means is not None
    assert [means(across), means(along)] == [PartitionReduceOp, TensorReduceOp]


def test_partitions_are_not_folded_and_negated():
    across = lowered(PartitionReduceOp(tile(1, 4, name="dst"), AluOp.max, tile(32, 4)))
    means = RULES[TensorReduceOp].means
    assert means is not None
    across.attrs = {**across.attrs, "negate": True}
    with pytest.raises(KeyError):
        means(across)


# --- rules ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("on", ["trn1", "trn2", "trn3"])
@pytest.mark.parametrize("op", [AluOp.add, AluOp.average, AluOp.max])
def test_every_target_folds_numbers(on: str, op: AluOp):
    assert broken(PartitionReduceOp(tile(1, 4), op, tile(128, 4, dtype=dt.bfloat16)), on) == []


def test_other_operators_are_refused():
    legal = {AluOp.add, AluOp.average, AluOp.max, AluOp.bitwise_or, AluOp.bitwise_and}
    tiles = tile(1, 4, dtype=dt.int32), tile(32, 4, dtype=dt.int32)
    for op in AluOp:
        found = broken(PartitionReduceOp(tiles[0], op, tiles[1]))
        assert found == ([] if op in legal else ["NKI2117"]), op


def test_groups_are_whole():
    for partitions in (1, 16, 31, 33, 127):
        inst = PartitionReduceOp(tile(1, 4), AluOp.add, tile(partitions, 4))
        assert broken(inst) == ["NKI2414"]


def test_there_is_one_partition_left():
    assert broken(PartitionReduceOp(tile(32, 4), AluOp.add, tile(32, 4))) == ["NKI2107"]
    assert broken(PartitionReduceOp(tile(1, 1), AluOp.add, tile(32, 4))) == ["NKI2102"]


def test_psum_is_out_of_reach():
    inst = PartitionReduceOp(tile(1, 4), AluOp.add, tile(32, 4, space=Space.psum))
    assert broken(inst) == ["NKI2105"]
