"""nc_stream_shuffle: which partition goes where, what stays, and each rule."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from opennki import birpy
from opennki.base import dtypes as dt
from opennki.base.dtypes import DType
from opennki.ir import Inst, Masked, Space, Tensor, View, problems
from opennki.isa.shuffle import StreamShuffleInst
from opennki.lower import BirCodeGenLoop
from opennki.target import target
from opennki.testing.programs import RUNNERS, program_of, run

T = target("trn2")
KEEP = 255
SAME = tuple(range(32))


def tile(
    *shape: int, dtype: DType = dt.float32, space: Space = Space.sbuf, name: str = "t"
) -> View:
    return View.whole(Tensor(name, shape, dtype, space))


def rows(view: View, start: int, stop: int) -> View:
    """Some partitions of a whole tile."""
    shape = (stop - start, *view.shape[1:])
    return View(view.tensor, start * view.strides[0], shape, view.strides, view.dtype)


def broken(inst: Inst, on: str = "trn2") -> list[str]:
    """Ids of the rules that `inst` breaks, on its default engine."""
    inst.engine = inst.default_engine(target(on))
    return [found.code.id for found in problems(inst, target(on))]


def mask_of(**entries: int) -> tuple[int, ...]:
    """A mask that keeps everything but the given entries, such as ``_3=5``."""
    return tuple(entries.get(f"_{k}", KEEP) for k in range(32))


def plain(dst: np.ndarray, src: np.ndarray, mask: tuple[int, ...]) -> np.ndarray:
    """The same, partition by partition."""
    after = dst.copy()
    for group in range(0, len(dst), 32):
        for entry, source in enumerate(mask):
            if source != KEEP and group + entry < len(dst):
                after[group + entry] = src[group + source]
    return after


def result(inst: Inst, **inputs: Any) -> dict[str, np.ndarray]:
    """What all levels agree that `inst` leaves in its tensors, by their names."""
    inst.engine = inst.default_engine(T)
    assert [p.code.id for p in problems(inst, T)] == []
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


# --- values ---------------------------------------------------------------------------------------


def test_an_entry_names_the_partition_that_is_copied():
    src = np.arange(32, dtype=np.float32)[:, None]
    inst = StreamShuffleInst(tile(32, 1), tile(32, 1), tuple(reversed(SAME)))
    assert inst.sem(src)[:, 0].tolist() == list(range(31, -1, -1))


def test_255_leaves_a_partition_alone():
    src = np.arange(32, dtype=np.float32)[:, None]
    made = StreamShuffleInst(tile(32, 1), tile(32, 1), mask_of(_3=5, _4=3)).sem(src)
    assert isinstance(made, Masked)
    assert np.flatnonzero(made.mask[:, 0]).tolist() == [3, 4]
    assert made.values[3:5, 0].tolist() == [5, 3]


def test_254_is_not_255():
    assert broken(StreamShuffleInst(tile(32, 1), tile(32, 1), mask_of(_0=254))) == ["NKI2124"]


def test_one_partition_is_copied_to_all_of_a_group():
    dst, src = tile(32, 4, name="dst"), tile(1, 4, name="src")
    made = result(StreamShuffleInst(dst, src, (0,) * 32), src=[[1, 2, 3, 4]])
    assert made["dst"].tolist() == [[1, 2, 3, 4]] * 32


def test_groups_are_shuffled_apart_with_one_mask(rng: np.random.Generator):
    src, dst = rng.integers(0, 99, (2, 128, 3)).astype(np.float32)
    mask = tuple(rng.choice([KEEP, *SAME], 32).tolist())
    views = tile(128, 3, name="dst"), tile(128, 3, name="src")
    made = result(StreamShuffleInst(*views, mask), src=src, dst=dst)
    np.testing.assert_array_equal(made["dst"], plain(dst, src, mask))


def test_a_tile_is_shuffled_in_place(rng: np.random.Generator):
    data = rng.integers(0, 99, (64, 3)).astype(np.float32)
    mask = (*range(1, 31), KEEP, 0)
    view = tile(64, 3, name="data")
    made = result(StreamShuffleInst(view, view, mask), data=data)
    np.testing.assert_array_equal(made["data"], plain(data, data, mask))


def test_partitions_beyond_the_destination_are_not_written(rng: np.random.Generator):
    src, dst = rng.integers(0, 99, (2, 64, 2)).astype(np.float32)
    whole, source = tile(64, 2, name="dst"), tile(64, 2, name="src")
    inst = StreamShuffleInst(rows(whole, 0, 40), source, tuple(reversed(SAME)))
    made = result(inst, src=src, dst=dst)["dst"]
    np.testing.assert_array_equal(made[:40], plain(dst[:40], src, tuple(reversed(SAME))))
    np.testing.assert_array_equal(made[40:], dst[40:])


def test_groups_may_be_at_different_places(rng: np.random.Generator):
    src, dst = rng.integers(0, 99, (2, 128, 2)).astype(np.float32)
    whole, source = tile(128, 2, name="dst"), tile(128, 2, name="src")
    inst = StreamShuffleInst(rows(whole, 64, 96), rows(source, 32, 64), (7,) * 32)
    want = dst.copy()
    want[64:96] = src[39]
    np.testing.assert_array_equal(result(inst, src=src, dst=dst)["dst"], want)


@pytest.mark.parametrize("dtype", [dt.uint8, dt.float8_e4m3fn_x4, dt.bfloat16, dt.int32])
def test_bits_are_moved(dtype: DType, rng: np.random.Generator):
    bits = rng.integers(0, 256, (32, 3 * dtype.np.itemsize)).astype(np.uint8)
    views = tile(32, 3, dtype=dtype, name="dst"), tile(32, 3, dtype=dtype, name="src")
    mask = tuple(reversed(SAME))
    made = StreamShuffleInst(*views, mask).sem(bits.view(dtype.np))
    assert made.tobytes() == bits[::-1].tobytes()


def test_nan_keeps_its_bits():
    bits = np.array([[0x7FA12345], [0xFFC00001]] * 16, np.uint32)
    views = tile(32, 1, name="dst"), tile(32, 1, space=Space.psum, name="src")
    inst = StreamShuffleInst(*views, (1, 0) * 16)
    made = result(inst, src=bits.view(np.float32))["dst"]
    assert made.view(np.uint32).tolist() == [[0xFFC00001], [0x7FA12345]] * 16


def test_elements_are_counted_not_dimensions():
    views = tile(32, 2, 2, name="dst"), tile(32, 4, name="src")
    made = result(StreamShuffleInst(*views, (31,) * 32), src=np.arange(128).reshape(32, 4))
    assert made["dst"].tolist() == [[[124, 125], [126, 127]]] * 32


# --- lowering -------------------------------------------------------------------------------------


def test_the_mask_is_on_the_wire():
    inst = StreamShuffleInst(tile(32, 1, name="dst"), tile(32, 1, name="src"), mask_of(_3=5))
    inst.engine = inst.default_engine(T)
    module = BirCodeGenLoop().run_on_module([program_of([inst], T)])
    found = module.functions[0].blocks[0].instructions
    (made,) = [i for i in found if i.opcode == "StreamShuffle"]
    assert made.attrs == {"mask": mask_of(_3=5)}
    assert [len(made.ins), len(made.outs)] == [1, 1]
    assert birpy.dumps(birpy.loads(birpy.dumps(module))) == birpy.dumps(module)


def test_what_stays_is_read():
    dst, src = tile(32, 1, name="dst"), tile(32, 1, name="src")
    assert list(StreamShuffleInst(dst, src, SAME).reads()) == [src]
    assert list(StreamShuffleInst(dst, src, mask_of(_1=1)).reads()) == [src, dst]
    two = rows(dst, 0, 2)
    assert list(StreamShuffleInst(two, src, mask_of(_0=1, _1=1)).reads()) == [src]


# --- rules ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "mask", [SAME[:31], (*SAME, 0), (32, *SAME[1:]), (-1, *SAME[1:]), (256, *SAME[1:]), ()]
)
def test_a_mask_has_32_partitions_of_a_group(mask: tuple[int, ...]):
    assert broken(StreamShuffleInst(tile(32, 1), tile(32, 1), mask)) == ["NKI2124"]


def test_both_have_one_dtype():
    views = tile(32, 1, dtype=dt.bfloat16), tile(32, 1, dtype=dt.float16)
    assert broken(StreamShuffleInst(*views, SAME)) == ["NKI2116"]


def test_both_have_as_many_elements():
    assert broken(StreamShuffleInst(tile(32, 3), tile(32, 2), SAME)) == ["NKI2102"]


@pytest.mark.parametrize(
    ("start", "count", "allowed"),
    [(0, 128, True), (0, 96, True), (64, 64, True), (32, 64, False), (96, 32, True), (96, 7, True)],
)
def test_starts_follow_from_the_number_of_active_partitions(start: int, count: int, allowed: bool):
    some = rows(tile(128, 1), start, start + count)
    inst = StreamShuffleInst(some, some, (0,) * 32)
    assert set(broken(inst)) == (set() if allowed else {"NKI2112"})


def test_the_larger_side_decides_where_both_start():
    whole = tile(128, 1)
    few, many = rows(whole, 32, 64), rows(whole, 0, 64)
    # 64 partitions are active, so that the 32 may not start at 32, though 32 alone could
    assert broken(StreamShuffleInst(few, many, SAME)) == ["NKI2112"]
    assert broken(StreamShuffleInst(rows(whole, 64, 96), many, SAME)) == []
    assert broken(StreamShuffleInst(rows(whole, 64, 96), rows(whole, 0, 65), SAME)) == ["NKI2112"]


def test_what_is_copied_is_there():
    assert broken(StreamShuffleInst(tile(32, 1), tile(8, 1), (7,) * 32)) == []
    assert broken(StreamShuffleInst(tile(32, 1), tile(8, 1), (8,) * 32)) == ["NKI2215"]
    assert broken(StreamShuffleInst(tile(33, 1), tile(32, 1), (0,) * 32)) == ["NKI2215"]
    # what the destination does not have is not copied
    assert broken(StreamShuffleInst(tile(2, 1), tile(1, 1), (0, 0, *(31,) * 30))) == []


@pytest.mark.parametrize("on", ["trn1", "trn2", "trn3"])
@pytest.mark.parametrize("spaces", [(Space.sbuf, Space.psum), (Space.psum, Space.psum)])
def test_every_target_shuffles_both_memories(on: str, spaces: tuple[Space, Space]):
    views = [tile(32, 4, space=space) for space in spaces]
    assert broken(StreamShuffleInst(*views, SAME), on) == []
