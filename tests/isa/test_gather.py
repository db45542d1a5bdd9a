"""local_gather and nc_n_gather: which element goes where, what is not there, and each rule."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from opennki import birpy
from opennki.base import dtypes as dt
from opennki.base.diag import NkiError
from opennki.base.dtypes import DType
from opennki.ir import Inst, Space, Tensor, View, problems
from opennki.isa.gather import IndirectCopy, PoolGather
from opennki.lower import RULES, BirCodeGenLoop, lift
from opennki.penguin import Function
from opennki.target import target
from opennki.testing.programs import RUNNERS, program_of, run

T = target("trn2")


def tile(
    *shape: int, dtype: DType = dt.float32, space: Space = Space.sbuf, name: str = "t"
) -> View:
    return View.whole(Tensor(name, shape, dtype, space))


def window(view: View, columns: slice, step: int = 1) -> View:
    """Every `step`-th of some columns of a whole two-dimensional tile."""
    count = len(range(*columns.indices(view.shape[1])))
    shape, strides = (view.shape[0], -(-count // step)), (view.strides[0], step)
    return View(view.tensor, columns.start, shape, strides, view.dtype)


def local(
    partitions: int = 16, source: int = 8, columns: int = 1, result: int = 16, **more: Any
) -> IndirectCopy:
    fields = {
        "dst": tile(partitions, result, name="dst"),
        "src_buffer": tile(partitions, source, name="src"),
        "index": tile(partitions, columns, dtype=dt.uint16, name="index"),
    }
    return IndirectCopy(**(fields | more))


def gather(partitions: int = 2, source: int = 4, result: int = 3, **more: Any) -> PoolGather:
    fields = {
        "dst": tile(partitions, result, name="dst"),
        "data": tile(partitions, source, name="data"),
        "indices": tile(partitions, result, dtype=dt.uint32, name="indices"),
    }
    return PoolGather(**(fields | more))


def broken(inst: Inst, on: str = "trn2") -> list[str]:
    """Ids of the rules that `inst` breaks, on its default engine."""
    inst.engine = inst.default_engine(target(on))
    return [found.code.id for found in problems(inst, target(on))]


def facts(inst: Inst) -> dict[str, object]:
    """The facts of the one rule that `inst` breaks."""
    inst.engine = inst.default_engine(T)
    (found,) = problems(inst, T)
    return found.facts


def prepared(inst: Inst, inputs: dict[str, Any]) -> tuple[Function, dict[str, np.ndarray]]:
    """A function that runs `inst`, and what its tensors, by their names, hold before."""
    inst.engine = inst.default_engine(T)
    function = program_of([inst], T)
    arrays = {}
    for name in function.args:
        tensor = function.tensors[name]
        value = inputs.get(name.partition(".")[0], 0)
        arrays[name] = np.broadcast_to(value, tensor.shape).astype(tensor.dtype.np)
    return function, arrays


def result(inst: Inst, **inputs: Any) -> dict[str, np.ndarray]:
    """What all levels agree that `inst` leaves in its tensors, by their names."""
    function, arrays = prepared(inst, inputs)
    made = [run(function, arrays, level) for level in RUNNERS]
    for other in made[1:]:
        assert {n: a.tobytes() for n, a in other.items()} == {
            n: a.tobytes() for n, a in made[0].items()
        }
    return {name.partition(".")[0]: array for name, array in made[0].items()}


def trapped(inst: Inst, **inputs: Any) -> dict[str, object]:
    """The facts with which every level stops."""
    function, arrays = prepared(inst, inputs)
    found = []
    for level in RUNNERS:
        with pytest.raises(NkiError) as caught:
            run(function, arrays, level)
        (one,) = caught.value.diagnostics
        assert one.code.id == "NKI6021"
        found.append(one.facts)
    assert found[1:] == found[:-1]
    return found[0]


# --- local_gather: values -------------------------------------------------------------------------

ROWS = 100 * np.arange(16)[:, None] + np.arange(8)  # element e of partition p is 100 p + e


def test_indices_run_along_the_partitions_and_every_partition_takes_them_all():
    index = np.array([[7, 0], [6, 1]] + [[5, 2]] * 14)
    made = result(local(columns=2, result=32), src=ROWS, index=index)["dst"]
    order = [7, 6, *[5] * 14, 0, 1, *[2] * 14]
    assert made[0].tolist() == order
    assert made[15].tolist() == [1500 + k for k in order]


def test_each_core_has_indices_of_its_own():
    source = np.tile(ROWS, (2, 1))
    index = np.repeat([[3], [4]], 16, axis=0)
    made = result(local(partitions=32), src=source, index=index)["dst"]
    assert made[1].tolist() == [103] * 16
    assert made[17].tolist() == [104] * 16


def test_an_index_stands_for_its_neighbours_and_counts_elements():
    # the second index, 3, is no multiple of two
    index = np.array([[2], [3], [0]] + [[0]] * 13)
    inst = local(result=6, num_elem_per_idx=2, num_valid_indices=3)
    made = result(inst, src=ROWS, index=index)["dst"]
    assert made[0].tolist() == [2, 3, 3, 4, 0, 1]
    assert made[2].tolist() == [202, 203, 203, 204, 200, 201]


def test_only_valid_indices_are_used():
    index = np.array([[1], [2]] + [[65535]] * 14)
    made = result(local(result=2, num_valid_indices=2), src=ROWS, index=index)["dst"]
    assert made[3].tolist() == [301, 302]


def test_the_published_example(rng: np.random.Generator):
    source = rng.random((128, 512, 4), np.float32)
    per_core = rng.integers(0, 512, (16, 4))
    inst = IndirectCopy(
        tile(128, 4, 16, 4, name="dst"), tile(128, 512, 4, name="src"),
        tile(128, 4, dtype=dt.uint16, name="index"), 4, 64,
    )  # fmt: skip
    made = result(inst, src=source, index=np.tile(per_core, (8, 1)) * 4)["dst"]
    chosen = per_core.flatten(order="F")
    np.testing.assert_array_equal(made.reshape(128, 64, 4), source[:, chosen])


def test_views_are_gathered_from_and_into(rng: np.random.Generator):
    source, before = rng.random((2, 16, 20), np.float32)
    index = rng.integers(0, 5, (16, 6))
    whole = {
        "dst": tile(16, 20, name="dst"), "src": tile(16, 20, name="src"),
        "index": tile(16, 6, dtype=dt.uint16, name="index"),
    }  # fmt: skip
    inst = local(
        dst=window(whole["dst"], slice(3, 19)), index=window(whole["index"], slice(2, 3)),
        src_buffer=window(whole["src"], slice(1, 11), 2),
    )  # fmt: skip
    made = result(inst, src=source, index=index, dst=before)["dst"]
    want = before.copy()
    want[:, 3:19] = source[:, 1:11:2][:, index[:, 2]]
    np.testing.assert_array_equal(made, want)


def test_neighbours_are_those_of_the_view():
    whole = tile(16, 8, name="src")
    inst = local(
        src_buffer=window(whole, slice(0, 8), 2), result=4, num_elem_per_idx=2, num_valid_indices=2
    )
    made = result(inst, src=ROWS, index=[[2]] + [[0]] * 15)["dst"]
    assert made[0].tolist() == [4, 6, 0, 2]


@pytest.mark.parametrize("dtype", [dt.uint8, dt.bfloat16, dt.float8_e4m3fn_x4, dt.int32])
def test_bits_are_moved(dtype: DType, rng: np.random.Generator):
    bits = rng.integers(0, 256, (16, 8 * dtype.np.itemsize)).astype(np.uint8)
    inst = local(dst=tile(16, 16, dtype=dtype), src_buffer=tile(16, 8, dtype=dtype))
    made = inst.sem(bits.view(dtype.np), np.full((16, 1), 7, np.uint16))
    assert made.tobytes() == np.repeat(bits.view(dtype.np)[:, 7:], 16, axis=1).tobytes()


# --- local_gather: indices that are not there -----------------------------------------------------


def test_an_index_beyond_the_source_stops_the_run():
    index = np.zeros((32, 2))
    index[17, 1] = 8
    inst = local(partitions=32, columns=2, result=32)
    assert trapped(inst, index=index) == {
        "operand": "index", "source": "src_buffer", "count": 1, "partition": 17, "element": 1,
        "index": 8, "last": 7, "inst": "local_gather",
    }  # fmt: skip


def test_the_last_neighbour_must_be_there_too():
    inst = local(result=64, num_elem_per_idx=4, num_valid_indices=16)
    assert result(inst, src=ROWS, index=4)["dst"][0, :4].tolist() == [4, 5, 6, 7]
    assert trapped(inst, index=5)["last"] == 4


def test_indices_beyond_the_valid_ones_may_be_anything():
    inst = local(result=15, num_valid_indices=15)
    index = np.zeros((16, 1))
    index[15] = 999
    assert result(inst, src=ROWS, index=index)["dst"][0].tolist() == [0] * 15
    index[14] = 999
    assert trapped(inst, index=index)["partition"] == 14


# --- local_gather: rules --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("partitions", "allowed"), [(16, True), (128, True), (8, False), (24, False)]
)
def test_partitions_are_whole_groups(partitions: int, allowed: bool):
    assert broken(local(partitions=partitions)) == ([] if allowed else ["NKI2451"])


def test_all_have_as_many_partitions():
    assert broken(local(index=tile(32, 1, dtype=dt.uint16))) == ["NKI2101"]
    assert broken(local(src_buffer=tile(32, 8))) == ["NKI2101"]


def test_the_destination_has_the_dtype_of_the_source():
    assert broken(local(src_buffer=tile(16, 8, dtype=dt.bfloat16))) == ["NKI2116"]


@pytest.mark.parametrize("dtype", [dt.int16, dt.uint32, dt.uint8, dt.int32])
def test_indices_are_uint16(dtype: DType):
    assert broken(local(index=tile(16, 1, dtype=dtype))) == ["NKI2106"]


@pytest.mark.parametrize("name", ["dst", "src_buffer", "index"])
def test_gpsimd_reads_and_writes_sbuf(name: str):
    dtype = dt.uint16 if name == "index" else dt.float32
    shape = {"dst": (16, 16), "src_buffer": (16, 8), "index": (16, 1)}[name]
    psum = tile(*shape, dtype=dtype, space=Space.psum)
    assert broken(local(**{name: psum})) == ["NKI2105"]


@pytest.mark.parametrize("each", [1, 2, 4, 8, 16, 32])
def test_powers_of_two_are_gathered_at_once(each: int):
    inst = local(source=32, result=16 * each, num_elem_per_idx=each, num_valid_indices=16)
    assert broken(inst) == []


@pytest.mark.parametrize("each", [0, -1, 3, 64])
def test_other_numbers_of_neighbours_are_refused(each: int):
    inst = local(source=64, result=64, num_elem_per_idx=each, num_valid_indices=16)
    assert broken(inst) == ["NKI2124"]


def test_no_run_is_longer_than_a_partition():
    inst = local(source=8, result=256, num_elem_per_idx=16, num_valid_indices=16)
    assert facts(inst)["allowed"] == "1, 2, 4, 8"


@pytest.mark.parametrize("count", [0, -1, 33])
def test_valid_indices_are_in_the_tile(count: int):
    assert broken(local(columns=2, result=33, num_valid_indices=count)) == ["NKI2124"]


@pytest.mark.parametrize("count", [1, 31, 32])
def test_some_or_all_indices_are_valid(count: int):
    assert broken(local(columns=2, result=count, num_valid_indices=count)) == []


def test_a_core_takes_4096_indices():
    assert broken(local(columns=256, result=4096)) == []
    assert broken(local(columns=257, result=4112)) == ["NKI2104"]
    assert broken(local(columns=257, result=4096, num_valid_indices=4096)) == []
    assert broken(local(columns=257, result=4097, num_valid_indices=4097)) == ["NKI2104"]


@pytest.mark.parametrize("size", [15, 17, 32])
def test_the_destination_has_what_is_gathered(size: int):
    found = facts(local(result=size))
    assert [found[k] for k in ("operand", "got", "count", "each", "want")] == [
        "dst", size, 16, 1, 16,
    ]  # fmt: skip


def test_neighbours_without_a_count_are_warned_of():
    assert broken(local(result=32, num_elem_per_idx=2)) == ["NKI2453"]
    assert broken(local(result=32, num_elem_per_idx=2, num_valid_indices=16)) == []
    made = result(local(result=32, num_elem_per_idx=2), src=ROWS, index=3)["dst"]
    assert made[0].tolist() == [3, 4] * 16


# --- local_gather: BIR ----------------------------------------------------------------------------


def lowered(inst: Inst) -> birpy.Instruction:
    """The one instruction that `inst` becomes, after a round trip through JSON."""
    inst.engine = inst.default_engine(T)
    module = BirCodeGenLoop().run_on_module([program_of([inst], T)])
    again = birpy.loads(birpy.dumps(module))
    assert birpy.dumps(again) == birpy.dumps(module)
    (made,) = [
        i for i in again.functions[0].blocks[0].instructions if i.opcode == inst.spec.bir
    ]  # fmt: skip
    return made


def lifted(inst: birpy.Instruction) -> Inst:
    def view(access: birpy.AccessPattern) -> View:
        loc = access.memloc
        tensor = Tensor(loc.name, loc.shape, loc.dtype, Space.sbuf)
        shape, strides = zip(*((n, s) for s, n in access.ap), strict=True)
        return View(tensor, access.offset, shape, strides, access.dtype)

    return lift(inst, T, view, RULES)


def test_bir_has_the_number_of_indices_and_no_number_of_neighbours():
    made = lowered(local(result=24, num_elem_per_idx=4, num_valid_indices=6))
    assert made.attrs == {"num_valid_indices": 6}
    again = lifted(made)
    assert isinstance(again, IndirectCopy)
    assert (again.num_elem_per_idx, again.num_valid_indices) == (4, 6)
    assert lowered(local()).attrs == {"num_valid_indices": 16}


@pytest.mark.parametrize("count", [5, 0])
def test_bir_whose_destination_does_not_fit_has_no_meaning(count: int):
    made = lowered(local())
    made.attrs["num_valid_indices"] = count
    with pytest.raises(KeyError):
        lifted(made)


# --- nc_n_gather ----------------------------------------------------------------------------------


def test_each_partition_has_its_own_indices():
    data = [[10, 11, 12, 13], [20, 21, 22, 23]]
    made = result(gather(), data=data, indices=[[3, 0, 0], [1, 1, 2]])["dst"]
    assert made.tolist() == [[13, 10, 10], [21, 21, 22]]


def test_free_dimensions_are_one():
    inst = gather(
        dst=tile(1, 2, 2, name="dst"), data=tile(1, 2, 3, name="data"),
        indices=tile(1, 4, dtype=dt.uint32, name="indices"),
    )  # fmt: skip
    made = result(inst, data=[[[0, 1, 2], [3, 4, 5]]], indices=[[5, 3, 2, 0]])["dst"]
    assert made.tolist() == [[[5, 3], [2, 0]]]


def test_more_elements_than_one_group_of_instructions_takes(rng: np.random.Generator):
    data, indices = rng.random((4, 1000), np.float32), rng.integers(0, 1000, (4, 1300))
    made = result(gather(4, 1000, 1300), data=data, indices=indices)["dst"]
    np.testing.assert_array_equal(made, np.take_along_axis(data, indices, axis=1))


def test_views_are_gathered_within(rng: np.random.Generator):
    data = rng.random((2, 12), np.float32)
    inst = gather(source=5, data=window(tile(2, 12, name="data"), slice(1, 11), 2))
    made = result(inst, data=data, indices=[[4, 0, 1], [2, 3, 4]])["dst"]
    seen = data[:, 1:11:2]
    assert made.tolist() == [seen[0, [4, 0, 1]].tolist(), seen[1, [2, 3, 4]].tolist()]


@pytest.mark.parametrize("dtype", [dt.uint8, dt.bfloat16, dt.float8_e4m3fn_x4, dt.int32])
def test_gathered_bits_are_moved(dtype: DType):
    data = np.arange(4 * dtype.np.itemsize, dtype=np.uint8).view(dtype.np).reshape(1, 4)
    inst = gather(1, dst=tile(1, 3, dtype=dtype), data=tile(1, 4, dtype=dtype))
    made = inst.sem(data, np.array([[2, 2, 1]], np.uint32))
    assert made.tobytes() == data[:, [2, 2, 1]].tobytes()


def test_an_index_outside_of_its_partition_stops_the_run():
    indices = [[3, 0, 0], [0, 4, 0xFFFFFFFF]]
    assert trapped(gather(), indices=indices) == {
        "operand": "indices", "source": "data", "count": 2, "partition": 1, "element": 1,
        "index": 4, "last": 3, "inst": "nc_n_gather",
    }  # fmt: skip
    assert trapped(gather(), indices=[[0, 0, 0], [0, 0, 2**32 - 1]])["index"] == 2**32 - 1


def test_all_have_as_many_partitions_and_results_as_indices():
    assert broken(gather()) == []
    assert broken(gather(data=tile(3, 4))) == ["NKI2101"]
    assert broken(gather(dst=tile(2, 4))) == ["NKI2102"]


def test_what_is_gathered_keeps_its_dtype():
    assert broken(gather(data=tile(2, 4, dtype=dt.int32))) == ["NKI2116"]


@pytest.mark.parametrize("dtype", [dt.int32, dt.uint16, dt.float32])
def test_indices_are_uint32(dtype: DType):
    assert broken(gather(indices=tile(2, 3, dtype=dtype))) == ["NKI2106"]


@pytest.mark.parametrize(("name", "size"), [("dst", 3), ("data", 4), ("indices", 3)])
def test_all_are_in_sbuf(name: str, size: int):
    dtype = dt.uint32 if name == "indices" else dt.float32
    psum = tile(2, size, dtype=dtype, space=Space.psum)
    assert broken(gather(**{name: psum})) == ["NKI2105"]


@pytest.mark.parametrize("on", ["trn1", "trn2", "trn3"])
def test_every_target_gathers(on: str):
    assert broken(gather(), on) == broken(local(), on) == []
    assert gather().default_engine(target(on)).nki == "gpsimd"


def test_the_opcode_of_a_gather_has_no_attributes():
    made = lowered(gather())
    assert (made.opcode, made.attrs, len(made.ins)) == ("Gather", {}, 2)
    assert lifted(made).spec.label == "nc_n_gather"
