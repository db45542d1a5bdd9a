"""nonzero_with_count and topk: what is listed, in which order, where, and each rule."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from opennki import birpy
from opennki.base import dtypes as dt
from opennki.base.dtypes import DType
from opennki.birpy import Immediate
from opennki.ir import Inst, Space, Tensor, View, problems
from opennki.isa.sparse import NonzeroWithCount, TopK
from opennki.lower import RULES, BirCodeGenLoop, lift
from opennki.target import target
from opennki.testing.programs import RUNNERS, program_of, run

T = target("trn2")
BF16 = dt.bfloat16.np


def tile(
    *shape: int, dtype: DType = dt.float32, space: Space = Space.sbuf, name: str = "t"
) -> View:
    return View.whole(Tensor(name, shape, dtype, space))


def nonzero(partitions: int = 1, length: int = 8, **more: Any) -> NonzeroWithCount:
    fields = {
        "dst": tile(partitions, length + 1, dtype=dt.int32, name="dst"),
        "src": tile(partitions, length, name="src"),
    }
    return NonzeroWithCount(**(fields | more))


def topk(k: int = 3, n: int = 8, partitions: int = 16, columns: int = 1, **more: Any) -> TopK:
    fields = {
        "val_dst": tile(partitions, k, dtype=dt.bfloat16, name="values"),
        "idx_dst": tile(partitions, k, dtype=dt.uint32, name="indices"),
        "src": tile(partitions, columns, dtype=dt.bfloat16, name="src"),
        "n": n,
    }
    return TopK(**(fields | more))


def broken(inst: Inst, on: str = "trn2") -> list[str]:
    """Ids of the rules that `inst` breaks, on its default engine."""
    inst.engine = inst.default_engine(target(on))
    return [found.code.id for found in problems(inst, target(on))]


def result(inst: Inst, **inputs: Any) -> dict[str, np.ndarray]:
    """What all levels agree that `inst` leaves in its tensors, by their names."""
    inst.engine = inst.default_engine(T)
    assert broken(inst) == []
    function = program_of([inst], T)
    arrays = {}
    for name in function.args:
        tensor = function.tensors[name]
        value = inputs.get(name.partition(".")[0], 0)
        arrays[name] = np.broadcast_to(value, tensor.shape).astype(tensor.dtype.np)
    made = [run(function, arrays, level) for level in RUNNERS]
    for other in made[1:]:
        assert {n: a.tobytes() for n, a in other.items()} == {
            n: a.tobytes() for n, a in made[0].items()
        }
    return {name.partition(".")[0]: array for name, array in made[0].items()}


def lowered(inst: Inst) -> birpy.Instruction:
    """The one instruction that `inst` becomes, after a round trip through JSON."""
    inst.engine = inst.default_engine(T)
    module = BirCodeGenLoop().run_on_module([program_of([inst], T)])
    again = birpy.loads(birpy.dumps(module))
    assert birpy.dumps(again) == birpy.dumps(module)
    (made,) = [i for i in again.functions[0].blocks[0].instructions if i.opcode == inst.spec.bir]
    return made


def lifted(inst: birpy.Instruction) -> Inst:
    def view(access: birpy.AccessPattern) -> View:
        loc = access.memloc
        shape, strides = zip(*((n, s) for s, n in access.ap), strict=True)
        tensor = Tensor(loc.name, loc.shape, loc.dtype, Space.sbuf)
        return View(tensor, access.offset, shape, strides, access.dtype)

    return lift(inst, T, view, RULES)


# --- nonzero_with_count: values -------------------------------------------------------------------


def test_the_published_example():
    inst = nonzero(index_offset=16, padding_val=-1)
    made = result(inst, src=[[0, 1, 1, 0, 0, 1, 0, 0]])["dst"]
    assert made.tolist() == [[17, 18, 21, -1, -1, -1, -1, -1, 3]]


def test_the_number_comes_last_whatever_it_is():
    assert result(nonzero(length=3), src=0)["dst"].tolist() == [[-1, -1, -1, 0]]
    assert result(nonzero(length=3), src=[[5, -1, 0.5]])["dst"].tolist() == [[0, 1, 2, 3]]


def test_every_sixteenth_partition_is_read_and_written():
    src = np.arange(128)[:, None] == np.arange(128)  # partition p has a one in element p
    before = np.arange(128)[:, None] * np.ones((1, 129), int)
    made = result(nonzero(128, 128, padding_val=7), src=src, dst=before)["dst"]
    want = before.copy()
    for p in range(0, 128, 16):
        want[p] = [p, *[7] * 127, 1]
    np.testing.assert_array_equal(made, want)


def test_zeros_of_both_signs_are_zero_and_nan_is_not():
    src = np.array([[0.0, -0.0, np.nan, 1e-45]], np.float32)
    assert result(nonzero(length=4), src=src)["dst"].tolist() == [[2, 3, -1, -1, 2]]


def test_integers_are_looked_at_bit_for_bit():
    src = tile(1, 3, dtype=dt.int32, name="src")
    made = result(nonzero(length=3, src=src), src=[[-(2**31), 0, 1]])["dst"]
    assert made.tolist() == [[0, 2, -1, 2]]


def test_dimensions_count_as_one_and_shapes_may_differ():
    inst = nonzero(
        length=4, src=tile(1, 2, 2, name="src"), dst=tile(1, 5, 1, dtype=dt.int32, name="dst")
    )
    made = result(inst, src=[[[0, 0], [1, 0]]])["dst"]
    assert made.ravel().tolist() == [2, -1, -1, -1, 1]


def test_positions_wrap_around_in_32_bits():
    made = result(nonzero(length=2, index_offset=2**31 - 1), src=1)["dst"]
    assert made.tolist() == [[2**31 - 1, -(2**31), 2]]


def test_other_partitions_of_the_source_are_not_looked_at():
    mask = nonzero(33, 2).examined("src", np.ones((33, 2), np.float32))
    assert np.flatnonzero(mask[:, 0]).tolist() == [0, 16, 32]
    assert (mask[:, 0] == mask[:, 1]).all()


# --- nonzero_with_count: rules --------------------------------------------------------------------


@pytest.mark.parametrize(("size", "allowed"), [(9, True), (8, False), (10, False)])
def test_the_destination_is_one_longer(size: int, allowed: bool):
    inst = nonzero(dst=tile(1, size, dtype=dt.int32))
    assert broken(inst) == ([] if allowed else ["NKI2107"])


def test_both_have_as_many_partitions():
    assert broken(nonzero(src=tile(2, 8))) == ["NKI2101"]


@pytest.mark.parametrize("dtype", [dt.bfloat16, dt.uint32, dt.int16, dt.uint8])
def test_the_source_is_float32_or_int32(dtype: DType):
    assert broken(nonzero(src=tile(1, 8, dtype=dtype))) == ["NKI2106"]


@pytest.mark.parametrize("dtype", [dt.uint32, dt.float32, dt.int16])
def test_positions_are_int32(dtype: DType):
    assert broken(nonzero(dst=tile(1, 9, dtype=dtype))) == ["NKI2106"]


def test_both_are_in_sbuf():
    assert broken(nonzero(src=tile(1, 8, space=Space.psum))) == ["NKI2105"]
    assert broken(nonzero(dst=tile(1, 9, dtype=dt.int32, space=Space.psum))) == ["NKI2105"]


@pytest.mark.parametrize("name", ["index_offset", "padding_val"])
def test_numbers_are_int32(name: str):
    for number in (2**31 - 1, -(2**31)):
        assert broken(nonzero(**{name: number})) == []
    for number in (2**31, -(2**31) - 1):
        assert broken(nonzero(**{name: number})) == ["NKI2605"]


def test_it_needs_gen3():
    assert broken(nonzero(), "trn1") == ["NKI2108"]
    assert broken(nonzero(), "trn3") == []


# --- nonzero_with_count: BIR ----------------------------------------------------------------------


def test_numbers_are_int32_operands():
    made = lowered(nonzero(index_offset=16, padding_val=-3))
    assert made.ins[1:] == (Immediate(dt.int32, 16), Immediate(dt.int32, -3))
    assert made.attrs == {}
    again = lifted(made)
    assert isinstance(again, NonzeroWithCount)
    assert (again.index_offset, again.padding_val) == (16, -3)


@pytest.mark.parametrize(
    "numbers", [(), (Immediate(dt.int32, 1),), (Immediate(dt.float32, 1.0),) * 2]
)
def test_bir_without_two_int32_numbers_has_no_meaning(numbers: tuple[Immediate, ...]):
    made = lowered(nonzero())
    made.ins = (made.ins[0], *numbers)
    with pytest.raises(KeyError):
        lifted(made)


# --- topk: values ---------------------------------------------------------------------------------


def test_the_largest_come_last_with_their_indices():
    src = np.zeros((16, 1))
    src[:8, 0] = [4, 9, 1, 7, 3, 8, 2, 6]
    made = result(topk(3), src=src)
    assert made["values"][0].astype(float).tolist() == [7, 8, 9]
    assert made["indices"][0].tolist() == [3, 5, 1]


def test_elements_fill_columns_of_16_partitions_one_after_the_other():
    src = np.zeros((16, 2))
    src[2, 1], src[5, 0] = 30, 20  # elements 18 and 5
    made = result(topk(2, 20, columns=2), src=src)
    assert made["values"][0].astype(float).tolist() == [20, 30]
    assert made["indices"][0].tolist() == [5, 18]


def test_all_partitions_of_a_group_have_its_result():
    src = np.zeros((32, 1))
    src[3], src[16 + 7] = 5, 6
    made = result(topk(1, 16, 32), src=src)
    assert made["indices"][:, 0].tolist() == [3] * 16 + [7] * 16
    assert made["values"][:, 0].astype(float).tolist() == [5] * 16 + [6] * 16


def test_elements_from_n_on_do_not_count():
    src = np.zeros((16, 1))
    src[8], src[7], src[9] = 9, -1, 9
    made = result(topk(1, 9), src=src)
    assert made["indices"][0, 0] == 8
    made = result(topk(8, 8), src=src)
    assert made["indices"][0].tolist() == [7, 6, 5, 4, 3, 2, 1, 0]


def test_of_equal_values_the_first_counts_as_larger():
    src = np.zeros((16, 1))
    src[[2, 4, 6]] = 5
    assert result(topk(2), src=src)["indices"][0].tolist() == [4, 2]


def test_nan_is_below_every_number():
    src = np.full((16, 1), -np.inf)
    src[0], src[3] = np.nan, 1
    made = result(topk(8), src=src)
    assert made["indices"][0].tolist() == [0, 7, 6, 5, 4, 2, 1, 3]
    assert np.isnan(made["values"][0, 0].astype(float))


def test_random_elements_are_sorted(rng: np.random.Generator):
    n, k = 42, 8
    src = rng.standard_normal((128, 3)).astype(BF16)
    made = result(topk(k, n, 128, 3), src=src)
    for start in range(0, 128, 16):
        elements = src[start : start + 16].T.ravel()[:n].astype(np.float32)
        values = made["values"][start + 5].astype(np.float32)
        assert values.tolist() == sorted(elements)[-k:]
        assert elements[made["indices"][start + 5]].tolist() == values.tolist()


def test_elements_from_n_on_are_not_looked_at():
    mask = topk(1, 20, 32, 2).examined("src", np.zeros((32, 2), np.float32))
    assert mask[:, 0].all()
    assert np.flatnonzero(mask[:, 1]).tolist() == [0, 1, 2, 3, 16, 17, 18, 19]


# --- topk: rules ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "allowed"), [(8, True), (7, False), (32, True), (33, False)])
def test_n_is_8_or_more_and_in_the_source(n: int, allowed: bool):
    assert broken(topk(1, n, columns=2)) == ([] if allowed else ["NKI2124"])


@pytest.mark.parametrize(("n", "allowed"), [(65535, True), (65536, False)])
def test_n_has_16_bits(n: int, allowed: bool):
    assert broken(topk(1, n, columns=4096)) == ([] if allowed else ["NKI2124"])


@pytest.mark.parametrize(("k", "allowed"), [(1, True), (8, True), (9, False)])
def test_there_are_as_many_elements_as_results(k: int, allowed: bool):
    assert broken(topk(k, 8)) == ([] if allowed else ["NKI2104"])


@pytest.mark.parametrize(("k", "allowed"), [(32767, True), (32768, False)])
def test_k_has_15_bits(k: int, allowed: bool):
    assert broken(topk(k, 40000, columns=2500)) == ([] if allowed else ["NKI2104"])


@pytest.mark.parametrize(("partitions", "allowed"), [(16, True), (128, True), (8, False)])
def test_partitions_are_whole_groups(partitions: int, allowed: bool):
    assert broken(topk(partitions=partitions)) == ([] if allowed else ["NKI2451"])


def test_all_have_as_many_partitions_and_results():
    assert broken(topk(idx_dst=tile(16, 4, dtype=dt.uint32))) == ["NKI2103"]
    assert broken(topk(idx_dst=tile(32, 3, dtype=dt.uint32))) == ["NKI2101"]
    assert broken(topk(src=tile(32, 1, dtype=dt.bfloat16))) == ["NKI2101"]


@pytest.mark.parametrize(("name", "k"), [("val_dst", 3), ("idx_dst", 3), ("src", 1)])
def test_dtypes_and_memories(name: str, k: int):
    own = dt.uint32 if name == "idx_dst" else dt.bfloat16
    assert broken(topk(**{name: tile(16, k, dtype=own)})) == []
    assert broken(topk(**{name: tile(16, k, dtype=dt.float32)})) == ["NKI2106"]
    assert broken(topk(**{name: tile(16, k, dtype=own, space=Space.psum)})) == ["NKI2105"]


@pytest.mark.parametrize("on", ["trn1", "trn2", "trn3"])
def test_every_target_has_it_on_gpsimd(on: str):
    assert broken(topk(), on) == []
    assert topk().default_engine(target(on)).nki == "gpsimd"


# --- topk: BIR ------------------------------------------------------------------------------------


def test_it_is_a_custom_operation_of_bir():
    made = lowered(topk(3, 12))
    assert made.opcode == "CustomOp"
    assert made.attrs == {"opFunctionName": "topk", "is_builtin": True}
    assert made.ins[1:] == (Immediate(dt.int32, 12),)
    again = lifted(made)
    assert isinstance(again, TopK)
    assert again.n == 12


@pytest.mark.parametrize(
    "attrs", [{"opFunctionName": "topk"}, {"opFunctionName": "sort", "is_builtin": True}]
)
def test_other_custom_operations_have_no_meaning(attrs: dict[str, object]):
    made = lowered(topk())
    made.attrs = attrs
    with pytest.raises(KeyError):
        lifted(made)


def test_bir_without_n_has_no_meaning():
    made = lowered(topk())
    made.ins = made.ins[:1]
    with pytest.raises(KeyError):
        lifted(made)
