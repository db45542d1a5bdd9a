"""dma_copy and dma_transpose: what may be moved where, in which order, by whose descriptors."""

from __future__ import annotations

import numpy as np
import pytest

from opennki import birpy
from opennki.backend.schedule.engines import Tracks, track_name
from opennki.base import dtypes as dt
from opennki.base.dtypes import (
    DType,
    bfloat16,
    float8_e4m3fn_x4,
    float8_e5m2_x4,
    float16,
    float32,
    int64,
)
from opennki.ir import Inst, Read, Space, Tensor, View, problems
from opennki.isa.dma import DMACopyOp, DMATranspose
from opennki.isa.enums import DgeMode, Engine, OobMode
from opennki.lower import RULES, BirCodeGenLoop, lift
from opennki.target import target
from opennki.testing.programs import program_of


def tile(*shape: int, dtype: DType = float32, space: Space = Space.sbuf) -> View:
    return View.whole(Tensor("t", shape, dtype, space))


def broken(inst: Inst, on: str = "trn2") -> list[str]:
    """Ids of the rules that `inst` breaks, on its default engine unless it names one."""
    t = target(on)
    if inst.engine is None:
        inst.engine = inst.default_engine(t)
    return [found.code.id for found in problems(inst, t)]


def hbm(*shape: int, dtype: DType = float32) -> View:
    return tile(*shape, dtype=dtype, space=Space.shared_hbm)


def test_a_copy_hands_on_the_elements_in_order():
    inst = DMACopyOp(tile(2, 6), hbm(3, 4))
    src = np.arange(12, dtype=np.float32).reshape(3, 4)
    assert broken(inst) == []
    assert inst.sem(src).reshape(inst.dst.shape).tolist() == [
        [0, 1, 2, 3, 4, 5],
        [6, 7, 8, 9, 10, 11],
    ]


def test_equal_dtypes_move_bits_and_others_go_through_float32():
    assert DMACopyOp(hbm(4, 4, dtype=int64), hbm(4, 4, dtype=int64)).read_mode() is Read.RAW
    assert DMACopyOp(hbm(4, 4, dtype=bfloat16), hbm(4, 4)).read_mode() is Read.F32


@pytest.mark.parametrize("src", [(2, 3, 4, 5, 6), (720,), (720, 1)])
def test_any_rank_may_be_copied(src: tuple[int, ...]):
    assert broken(DMACopyOp(hbm(6, 120), hbm(*src))) == []


@pytest.mark.parametrize(("mode", "engine"), [
    (DgeMode.unknown, Engine.SP), (DgeMode.none, Engine.SP), (DgeMode.hwdge, Engine.SP),
    (DgeMode.swdge, Engine.POOL),
])  # fmt: skip
def test_the_default_engine_is_the_one_that_makes_the_descriptors(mode: DgeMode, engine: Engine):
    inst = DMACopyOp(tile(8, 8), hbm(8, 8), dge_mode=mode)
    assert inst.default_engine(target("trn2")) is engine
    assert broken(inst) == []


def test_psum_is_out_of_reach():
    psum = tile(8, 8, space=Space.psum)
    assert broken(DMACopyOp(psum, hbm(8, 8))) == ["NKI2301"]
    assert broken(DMACopyOp(hbm(8, 8), psum)) == ["NKI2301"]
    assert broken(DMACopyOp(tile(8, 8), tile(8, 8))) == []


def test_element_counts_must_be_equal():
    assert broken(DMACopyOp(tile(8, 8), hbm(8, 9))) == ["NKI2126"]
    assert broken(DMACopyOp(tile(8, 9), hbm(9, 8))) == []


def test_hardware_descriptors_do_not_convert():
    def copy(mode: DgeMode, dtype: DType) -> list[str]:
        return broken(DMACopyOp(tile(8, 8, dtype=dtype), hbm(8, 8), dge_mode=mode))

    assert copy(DgeMode.hwdge, bfloat16) == ["NKI2302"]
    assert copy(DgeMode.hwdge, float32) == []
    assert copy(DgeMode.swdge, bfloat16) == []


def test_hardware_descriptors_start_with_trn2():
    assert broken(DMACopyOp(tile(8, 8), hbm(8, 8), dge_mode=DgeMode.hwdge), "trn1") == ["NKI2108"]
    assert broken(DMACopyOp(tile(8, 8), hbm(8, 8), dge_mode=DgeMode.hwdge), "trn2") == []
    assert broken(DMACopyOp(tile(8, 8), hbm(8, 8), dge_mode=DgeMode.swdge), "trn1") == []


@pytest.mark.parametrize("mode", [DgeMode.none, DgeMode.unknown, DgeMode.swdge])
def test_an_engine_is_named_for_hardware_descriptors_only(mode: DgeMode):
    named = {"engine": Engine.SP, "engine_given": True}
    assert broken(DMACopyOp(tile(8, 8), hbm(8, 8), dge_mode=mode, **named)) == ["NKI2303"]
    assert broken(DMACopyOp(tile(8, 8), hbm(8, 8), dge_mode=DgeMode.hwdge, **named)) == []


def test_each_kind_of_descriptor_has_its_engines():
    def copy(mode: DgeMode, engine: Engine) -> list[str]:
        return broken(DMACopyOp(tile(8, 8), hbm(8, 8), dge_mode=mode, engine=engine))

    assert copy(DgeMode.hwdge, Engine.ACT) == []
    assert copy(DgeMode.hwdge, Engine.POOL) == ["NKI2113"]
    assert copy(DgeMode.swdge, Engine.POOL) == []
    assert copy(DgeMode.swdge, Engine.ACT) == ["NKI2113"]
    assert copy(DgeMode.unknown, Engine.DVE) == ["NKI2113"]


def test_a_direct_access_has_no_index_to_skip():
    assert broken(DMACopyOp(tile(8, 8), hbm(8, 8), oob_mode=OobMode.skip)) == ["NKI2311"]
    assert broken(DMACopyOp(tile(8, 8), hbm(8, 8), oob_mode=OobMode.error)) == []


def test_priority_starts_with_trn3_and_goes_from_0_to_3():
    def copy(priority: int | None, on: str) -> list[str]:
        return broken(DMACopyOp(tile(8, 8), hbm(8, 8), priority=priority), on)

    assert copy(0, "trn2") == ["NKI2108"]
    assert copy(None, "trn2") == []
    assert copy(0, "trn3") == copy(3, "trn3") == []
    assert copy(4, "trn3") == copy(-1, "trn3") == ["NKI2124"]


def test_packed_dtypes_are_not_converted():
    def copy(dst: DType, src: DType) -> list[str]:
        return broken(DMACopyOp(tile(8, 8, dtype=dst), hbm(8, 8, dtype=src)), "trn3")

    assert copy(float8_e4m3fn_x4, float8_e4m3fn_x4) == []
    assert copy(float8_e4m3fn_x4, float8_e5m2_x4) == ["NKI2116"]
    assert copy(float16, float8_e4m3fn_x4) == ["NKI2116"]


def test_a_tile_may_start_at_any_partition():
    storage = Tensor("t", (128, 4), float32, Space.sbuf)
    window = View(storage, 5 * 4, (10, 4), (4, 1), float32)
    assert broken(DMACopyOp(window, hbm(10, 4))) == []


# --- dma_transpose --------------------------------------------------------------------------------

ORDERS = {2: (1, 0), 3: (2, 1, 0), 4: (3, 1, 2, 0)}


def turn(*shape: int, dtype: DType = float16, **more: object) -> DMATranspose:
    """A legal transpose of a tensor in HBM of this shape, but for what `more` changes."""
    turned = tuple(shape[axis] for axis in ORDERS.get(len(shape), range(len(shape))))
    fields = {"dst": tile(*turned, dtype=dtype), "src": hbm(*shape, dtype=dtype)}
    return DMATranspose(**(fields | more))


def test_two_dimensions_are_exchanged():
    made = turn(2, 3).sem(np.array([[1, 2, 3], [4, 5, 6]]))
    assert made.tolist() == [[1, 4], [2, 5], [3, 6]]


def test_of_three_dimensions_the_outer_ones_are_exchanged():
    made = turn(2, 2, 3).sem(np.array([[[1, 2, 3], [4, 5, 6]], [[7, 8, 9], [10, 11, 12]]]))
    assert made.tolist() == [[[1, 7], [4, 10]], [[2, 8], [5, 11]], [[3, 9], [6, 12]]]


def test_of_four_dimensions_those_between_stay_in_order():
    made = turn(2, 2, 3, 1).sem(
        np.array([[[[1], [2], [3]], [[4], [5], [6]]], [[[7], [8], [9]], [[10], [11], [12]]]])
    )
    assert made.tolist() == [[[[1, 7], [2, 8], [3, 9]], [[4, 10], [5, 11], [6, 12]]]]


@pytest.mark.parametrize("shape", [(1, 5), (128, 300), (7, 3, 5), (4, 2, 3, 5), (1, 1, 1, 1)])
def test_every_element_is_at_its_exchanged_index(shape: tuple[int, ...]):
    data = np.arange(np.prod(shape)).reshape(shape)
    made = turn(*shape).sem(data)
    assert made.shape == (shape[-1], *shape[1:-1], shape[0])
    for first, *between, last in np.ndindex(shape):
        assert made[(last, *between, first)] == data[(first, *between, last)]


@pytest.mark.parametrize("dtype", dt.ALL)
@pytest.mark.parametrize("on", ["trn1", "trn2", "trn3"])
def test_bits_of_every_dtype_are_moved(dtype: DType, on: str):
    inst = turn(3, 4, dtype=dtype)
    assert inst.read_mode() is Read.RAW
    assert broken(inst, on) == []


@pytest.mark.parametrize("shape", [(300, 128), (300, 2, 128), (300, 2, 2, 128)])
def test_axes_may_only_repeat_the_order(shape: tuple[int, ...]):
    order = ORDERS[len(shape)]
    assert broken(turn(*shape)) == broken(turn(*shape, axes=order)) == []
    for axes in (tuple(range(len(shape))), order[:-1], (), (*order, 4)):
        assert broken(turn(*shape, axes=axes)) == ["NKI2124"]


def test_four_dimensions_are_not_reversed():
    assert broken(turn(8, 2, 3, 8, axes=(3, 2, 1, 0))) == ["NKI2124"]


def test_a_transpose_has_two_to_four_dimensions():
    assert broken(turn(2, 2, 2, 2, 2)) == ["NKI2305"]
    assert broken(DMATranspose(tile(8, 1, dtype=float16), hbm(8, dtype=float16))) == ["NKI2305"]


@pytest.mark.parametrize("shape", [(4, 6), (6, 4, 1), (6, 1, 4), (24, 1), (6, 3)])
def test_the_destination_has_the_transposed_shape(shape: tuple[int, ...]):
    assert broken(turn(4, 6, dst=tile(*shape, dtype=float16))) == ["NKI2306"]


def test_the_last_dimension_becomes_partitions():
    assert broken(turn(16, 128)) == []
    assert broken(turn(16, 129)) == ["NKI2104"]
    assert broken(turn(16, 129, dge_mode=DgeMode.hwdge)) == ["NKI2104"]


def test_a_transpose_goes_from_hbm_or_sbuf_to_sbuf():
    def code(dst: Space, src: Space) -> list[str]:
        return broken(DMATranspose(tile(8, 4, space=dst), tile(4, 8, space=src)))

    sbuf, psum, shared, private = Space.sbuf, Space.psum, Space.shared_hbm, Space.private_hbm
    assert code(sbuf, sbuf) == code(sbuf, shared) == code(sbuf, private) == []
    assert code(sbuf, psum) == ["NKI2301"]
    assert code(shared, sbuf) == code(private, shared) == code(psum, sbuf) == ["NKI2105"]


def test_a_transpose_does_not_convert():
    assert broken(turn(8, 8, dst=tile(8, 8, dtype=bfloat16))) == ["NKI2116"]


@pytest.mark.parametrize(("mode", "codes"), [
    (DgeMode.unknown, []), (DgeMode.hwdge, []), (DgeMode.none, []),
    (DgeMode.swdge, ["NKI2124"]),
])  # fmt: skip
def test_software_descriptors_are_for_gathers(mode: DgeMode, codes: list[str]):
    assert broken(turn(16, 8, dge_mode=mode)) == codes


def test_hardware_transposes_start_with_trn2():
    inst = {on: turn(16, 8, dge_mode=DgeMode.hwdge) for on in ("trn1", "trn2", "trn3")}
    assert [broken(inst[on], on) for on in inst] == [["NKI2108"], [], []]


@pytest.mark.parametrize("dtype", dt.ALL)
def test_the_hardware_transposes_elements_of_two_bytes(dtype: DType):
    want = [] if dtype.itemsize == 2 else ["NKI2106"]
    assert broken(turn(16, 8, dtype=dtype, dge_mode=DgeMode.hwdge), "trn3") == want


@pytest.mark.parametrize("shape", [
    (16, 8), (16, 1, 8), (8, 2, 8), (1, 16, 8), (2, 24, 8), (4, 3, 4, 8), (16, 1, 1, 8),
])  # fmt: skip
def test_the_hardware_transposes_blocks_of_16_rows(shape: tuple[int, ...]):
    assert broken(turn(*shape, dge_mode=DgeMode.hwdge)) == []


@pytest.mark.parametrize("shape", [
    (8, 8), (32, 8), (1, 8), (32, 1, 8), (3, 16, 8), (8, 1, 8), (2, 12, 8), (4, 4, 3, 8),
])  # fmt: skip
def test_the_hardware_transposes_no_other_blocks(shape: tuple[int, ...]):
    assert broken(turn(*shape, dge_mode=DgeMode.hwdge)) == ["NKI2307"]
    assert broken(turn(*shape)) == []


def test_a_direct_transpose_has_no_index_to_skip():
    assert broken(turn(8, 8, oob_mode=OobMode.skip)) == ["NKI2304"]


def test_transposes_have_priorities_from_trn3_on():
    assert broken(turn(8, 8, priority=0), "trn2") == ["NKI2108"]
    assert broken(turn(8, 8, priority=3), "trn3") == []
    assert broken(turn(8, 8, priority=4), "trn3") == ["NKI2124"]


# --- BIR ------------------------------------------------------------------------------------------


def lowered(inst: Inst, on: str = "trn3") -> list[birpy.Instruction]:
    """The transfer in, `inst`, and the transfer out."""
    t = target(on)
    inst.engine = inst.default_engine(t)
    module = BirCodeGenLoop().run_on_module([program_of([inst], t)])
    return [i for i in module.functions[0].blocks[0].instructions if i.opcode == "DMACopy"]


@pytest.mark.parametrize(("shape", "source", "result"), [
    ((6, 4), (6, 1, 1, 4), (4, 1, 1, 6)),
    ((6, 5, 4), (6, 1, 5, 4), (4, 1, 5, 6)),
    ((6, 2, 5, 4), (6, 2, 5, 4), (4, 2, 5, 6)),
])  # fmt: skip
def test_bir_transposes_patterns_of_four_dimensions(shape, source, result):
    src = Tensor("s", shape, float16, Space.sbuf)
    dst = Tensor("d", tuple(shape[axis] for axis in ORDERS[len(shape)]), float16, Space.sbuf)
    made = lowered(DMATranspose(View.whole(dst), View.whole(src), priority=2))
    found = next(i for i in made if i.attrs["mode"] is birpy.CopyMode.Transpose)
    assert found.engine is Engine.POOL
    assert found.attrs["transpose_op"] is birpy.TransposeOp.XZYW
    assert found.attrs["dma_qos"] is birpy.QosClass.P2
    assert [tuple(n for _, n in a.ap) for a in (*found.ins, *found.outs)] == [source, result]


def test_a_transpose_is_complete_on_a_ring():
    src, dst = Tensor("s", (4, 8), float16, Space.sbuf), Tensor("d", (8, 4), float16, Space.sbuf)
    made = lowered(DMATranspose(View.whole(dst), View.whole(src)))
    where = zip(made, Tracks(made).track, strict=True)
    turned = {i.attrs["mode"] is birpy.CopyMode.Transpose: track_name(track) for i, track in where}
    assert turned == {False: "sp.ring", True: "pool.ring"}


def lifted(**attrs: object) -> Inst:
    inst = birpy.Instruction("DMACopy", Engine.POOL, "i", (), (), attrs)
    return lift(inst, target("trn3"), lambda pattern: tile(1, 1), RULES)


def test_the_mode_says_what_a_transfer_does():
    assert isinstance(lifted(mode=birpy.CopyMode.Copy), DMACopyOp)
    mode, order = birpy.CopyMode.Transpose, birpy.TransposeOp.XZYW
    made = lifted(
        mode=mode, transpose_op=order, oob_is_err=False, dge_type=DgeMode.hwdge,
        dma_qos=birpy.QosClass.P1,
    )  # fmt: skip
    assert isinstance(made, DMATranspose)
    assert (made.oob_mode, made.dge_mode, made.priority) == (OobMode.skip, DgeMode.hwdge, 1)


@pytest.mark.parametrize("attrs", [
    {"mode": birpy.CopyMode.CCE}, {"mode": birpy.CopyMode.Transpose},
    {"mode": birpy.CopyMode.Transpose, "transpose_op": birpy.TransposeOp.XYZW},
])  # fmt: skip
def test_other_modes_and_orders_are_no_instructions_yet(attrs: dict[str, object]):
    with pytest.raises(KeyError):
        lifted(**attrs)
