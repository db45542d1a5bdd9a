"""activate2: the operations before the function, the reduction after it, and each rule."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from opennki import birpy
from opennki.base import dtypes as dt
from opennki.base.dtypes import DType
from opennki.birpy import AccessPattern, Immediate
from opennki.ir import Inst, Space, Tensor, View, problems
from opennki.isa.activate2 import SECOND, Activate2
from opennki.isa.activation import ActivationOp
from opennki.isa.enums import ActFunc, AluOp, ReduceCmd
from opennki.lower import RULES, BirCodeGenLoop, lift
from opennki.target import target
from opennki.testing.programs import RUNNERS, program_of, run

T = target("trn3")
MUL, ADD, SUB, BYPASS = AluOp.mult, AluOp.add, AluOp.subtract, AluOp.bypass
IDLE, RESET = ReduceCmd.Idle, ReduceCmd.Zero
REDUCE, BOTH = ReduceCmd.Accumulate, ReduceCmd.ZeroAccumulate


def tile(
    *shape: int, dtype: DType = dt.float32, space: Space = Space.sbuf, name: str = "t"
) -> View:
    return View.whole(Tensor(name, shape, dtype, space))


def activate2(size: int = 3, **more: Any) -> Activate2:
    fields = {
        "dst": tile(2, size, name="dst"), "op": ActFunc.Copy, "data": tile(2, size, name="data"),
        "imm0": 0.0, "imm1": 0.0, "op0": BYPASS, "op1": BYPASS,
    }  # fmt: skip
    return Activate2(**(fields | more))


def broken(inst: Inst, on: str = "trn3") -> list[str]:
    """Ids of the rules that `inst` breaks, on its default engine."""
    inst.engine = inst.default_engine(target(on))
    return [found.code.id for found in problems(inst, target(on))]


def results(*insts: Inst, **inputs: Any) -> dict[str, np.ndarray]:
    """What all levels agree that `insts` leave in their tensors, by their names."""
    for inst in insts:
        assert broken(inst) == []
    function = program_of(insts, T)
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


DATA = [[1, 2, 3], [-1, 0, 4]]


# --- the two operations ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("op0", "op1", "want"),
    [
        (MUL, ADD, [12, 14, 16]), (MUL, SUB, [-8, -6, -4]), (MUL, BYPASS, [2, 4, 6]),
        (ADD, BYPASS, [3, 4, 5]), (SUB, BYPASS, [-1, 0, 1]), (BYPASS, BYPASS, [1, 2, 3]),
    ],
)  # fmt: skip
def test_the_six_pairs_with_two_and_ten(op0: AluOp, op1: AluOp, want: list[float]):
    made = results(activate2(op0=op0, op1=op1, imm0=2.0, imm1=10.0), data=DATA)["dst"]
    assert made[0].tolist() == want


@pytest.mark.parametrize(
    ("op0", "op1", "reverse0", "reverse1", "want"),
    [
        (SUB, BYPASS, True, False, [1, 0, -1]), (MUL, SUB, False, True, [8, 6, 4]),
        (MUL, SUB, True, True, [8, 6, 4]), (MUL, ADD, False, True, [12, 14, 16]),
    ],
)  # fmt: skip
def test_reversal_takes_the_number_first(
    op0: AluOp, op1: AluOp, reverse0: bool, reverse1: bool, want: list[float]
):
    inst = activate2(op0=op0, op1=op1, imm0=2.0, imm1=10.0, reverse0=reverse0, reverse1=reverse1)
    assert results(inst, data=DATA)["dst"][0].tolist() == want


def test_each_partition_has_numbers_of_its_own():
    inst = activate2(
        op0=MUL, op1=SUB, imm0=tile(2, 1, dtype=dt.bfloat16, name="scale"),
        imm1=tile(2, 1, dtype=dt.bfloat16, name="bias"),
    )  # fmt: skip
    made = results(inst, data=DATA, scale=[[2], [3]], bias=[[1], [-1]])["dst"]
    assert made.tolist() == [[1, 3, 5], [-2, 1, 13]]


def test_bypass_does_not_touch_its_input():
    inst = activate2(imm0=np.inf, imm1=np.nan)
    assert results(inst, data=DATA)["dst"].tolist() == DATA


# --- the function ---------------------------------------------------------------------------------


def test_the_function_comes_after_the_operations():
    inst = activate2(op=ActFunc.Square, op0=MUL, op1=ADD, imm0=2.0, imm1=-3.0)
    assert results(inst, data=DATA)["dst"].tolist() == [[1, 1, 9], [25, 9, 25]]


def test_prelu_has_a_slope():
    inst = activate2(op=ActFunc.Prelu, relu_param=0.5)
    assert results(inst, data=[[-4, 2, 0], [-1, 1, -2]])["dst"].tolist() == [
        [-2, 2, 0], [-0.5, 1, -1],
    ]  # fmt: skip


def test_the_slope_may_differ_between_partitions():
    inst = activate2(op=ActFunc.Prelu, relu_param=tile(2, 1, name="slope"))
    made = results(inst, data=[[-4, 2, 0], [-4, 1, -2]], slope=[[0.25], [-1]])["dst"]
    assert made.tolist() == [[-1, 2, 0], [4, 1, 2]]


def test_inputs_beyond_the_table_are_told():
    inst = activate2(op=ActFunc.Sin, op0=MUL, imm0=2.0)
    data = np.array([[1.0, 1.6]], np.float32)
    two, zero, lanes = np.float32(2), np.float32(0), np.zeros((1, 1), np.float32)
    (found,) = inst.watch(data, two, zero, zero, lanes)
    assert found.code.id == "NKI6003"
    assert found.facts["value"] == pytest.approx(3.2)
    assert list(inst.watch(data[:, :1], two, zero, zero, lanes)) == []


# --- the reduction --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("op", "want"),
    [
        (AluOp.add, [6, 3]), (AluOp.max, [3, 4]), (AluOp.min, [1, -1]), (AluOp.abs_max, [3, 4]),
        (AluOp.abs_min, [1, 0]),
    ],
)  # fmt: skip
def test_results_are_reduced(op: AluOp, want: list[float]):
    inst = activate2(reduce_op=op, reduce_cmd=BOTH, reduce_res=tile(2, 1, name="sum"))
    assert results(inst, data=DATA)["sum"][:, 0].tolist() == want


def test_a_reduction_goes_on_until_it_is_read():
    first = activate2(reduce_op=AluOp.add, reduce_cmd=BOTH)
    second = activate2(
        reduce_op=AluOp.add, reduce_cmd=REDUCE, reduce_res=tile(2, 1, name="sum"), op0=MUL,
        imm0=10.0,
    )  # fmt: skip
    assert results(first, second, data=DATA)["sum"][:, 0].tolist() == [66, 33]


def test_idle_reads_what_is_there_and_changes_nothing():
    first = activate2(reduce_op=AluOp.add, reduce_cmd=BOTH)
    reads = [activate2(reduce_res=tile(2, 1, name=name)) for name in ("one", "two")]
    made = results(first, *reads, data=DATA)
    assert made["one"][:, 0].tolist() == made["two"][:, 0].tolist() == [6, 3]


@pytest.mark.parametrize(
    ("op", "want"), [(BYPASS, 0), (AluOp.add, 0), (AluOp.max, -np.inf), (AluOp.min, np.inf)]
)
def test_a_reset_leaves_what_changes_no_result(op: AluOp, want: float):
    first = activate2(reduce_op=AluOp.add, reduce_cmd=BOTH)
    reset = activate2(reduce_op=op, reduce_cmd=RESET, reduce_res=tile(2, 1, name="sum"))
    assert results(first, reset, data=DATA)["sum"][:, 0].tolist() == [want] * 2


def test_registers_are_those_of_activation():
    first = ActivationOp(
        tile(2, 3), ActFunc.Copy, tile(2, 3, name="data"), reduce_op=AluOp.add, reduce_cmd=BOTH
    )
    inst = activate2(reduce_res=tile(2, 1, name="sum"))
    assert results(first, inst, data=DATA)["sum"][:, 0].tolist() == [6, 3]


def test_the_reduction_sees_what_is_not_rounded_yet():
    inst = activate2(
        dst=tile(2, 3, dtype=dt.int8), reduce_op=AluOp.add, reduce_cmd=BOTH, op0=MUL, imm0=0.25,
        reduce_res=tile(2, 1, name="sum"),
    )  # fmt: skip
    assert results(inst, data=1)["sum"][:, 0].tolist() == [0.75, 0.75]


# --- rules ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("op0", [MUL, ADD, SUB, BYPASS, AluOp.max, AluOp.divide])
@pytest.mark.parametrize("op1", [MUL, ADD, SUB, BYPASS, AluOp.max])
def test_no_other_pairs_are_taken(op0: AluOp, op1: AluOp):
    legal = op0 in SECOND and op1 in SECOND[op0]
    assert legal is (
        (op0, op1)
        in [(MUL, ADD), (MUL, SUB), (MUL, BYPASS), (ADD, BYPASS), (SUB, BYPASS), (BYPASS, BYPASS)]
    )
    assert broken(activate2(op0=op0, op1=op1)) == ([] if legal else ["NKI2117"])


@pytest.mark.parametrize("number", ["0", "1"])
def test_only_an_operation_can_be_reversed(number: str):
    assert broken(activate2(**{f"reverse{number}": True})) == ["NKI2123"]
    assert broken(activate2(op0=MUL, op1=ADD, **{f"reverse{number}": True})) == []


def test_it_needs_gen4():
    assert broken(activate2(), "trn2") == ["NKI2108"]
    assert broken(activate2(), "trn1") == ["NKI2108"]


def test_two_tiles_have_one_dtype():
    one, two = tile(2, 1), tile(2, 1, dtype=dt.bfloat16)
    assert broken(activate2(imm0=one, imm1=two)) == ["NKI2116"]
    assert broken(activate2(imm0=two, imm1=two)) == broken(activate2(imm0=two, imm1=1.0)) == []


@pytest.mark.parametrize("name", ["imm0", "imm1", "relu_param"])
def test_tiles_have_one_element_per_partition(name: str):
    def given(value: object) -> list[str]:
        return broken(activate2(op=ActFunc.Prelu, **{name: value}))

    assert given(tile(2, 1)) == given(tile(2, 1, space=Space.psum)) == given(-1.5) == []
    assert given(tile(2, 2)) == ["NKI2107"]
    assert given(tile(3, 1)) == ["NKI2101"]
    assert given(1e39) == ["NKI2121"]
    assert given(tile(2, 1, space=Space.private_hbm)) == ["NKI2105"]


def test_only_prelu_has_a_slope():
    assert broken(activate2(op=ActFunc.Relu, relu_param=0.5)) == ["NKI2123"]
    assert broken(activate2(op=ActFunc.Relu, relu_param=tile(2, 1))) == ["NKI2123"]
    assert broken(activate2(op=ActFunc.Relu, relu_param=0.0)) == []


def test_sizes_agree():
    assert broken(activate2(dst=tile(2, 4))) == ["NKI2102"]
    assert broken(activate2(dst=tile(3, 3))) == ["NKI2101"]
    assert broken(activate2(dst=tile(2, 3, 1))) == []
    assert broken(activate2(reduce_res=tile(2, 2))) == ["NKI2107"]


@pytest.mark.parametrize("op", [AluOp.mult, AluOp.subtract, AluOp.bitwise_or])
def test_other_reductions_are_refused(op: AluOp):
    assert broken(activate2(reduce_op=op, reduce_cmd=BOTH)) == ["NKI2117"]


def test_a_reduction_has_an_operator_and_a_command():
    assert broken(activate2(reduce_cmd=REDUCE)) == ["NKI2122"]
    assert broken(activate2(reduce_op=AluOp.add)) == ["NKI2123"]
    assert broken(activate2(reduce_op=AluOp.add, reduce_cmd=RESET)) == []


def test_there_is_no_load():
    inst = activate2(reduce_op=AluOp.add, reduce_cmd=ReduceCmd.LoadAccumulate)
    assert "NKI2124" in broken(inst)


def test_it_runs_on_the_scalar_engine():
    assert activate2().default_engine(T).nki == "scalar"


# --- BIR ------------------------------------------------------------------------------------------


def lowered(inst: Inst) -> birpy.Instruction:
    inst.engine = inst.default_engine(T)
    module = BirCodeGenLoop().run_on_module([program_of([inst], T)])
    again = birpy.loads(birpy.dumps(module))
    assert birpy.dumps(again) == birpy.dumps(module)
    (made,) = [i for i in again.functions[0].blocks[0].instructions if i.opcode == "Activation"]
    return made


def lifted(inst: birpy.Instruction) -> Inst:
    def view(access: AccessPattern) -> View:
        loc = access.memloc
        shape, strides = zip(*((n, s) for s, n in access.ap), strict=True)
        tensor = Tensor(loc.name, loc.shape, loc.dtype, Space.sbuf)
        return View(tensor, access.offset, shape, strides, access.dtype)

    return lift(inst, T, view, RULES)


def test_it_is_a_form_of_activation():
    made = lowered(
        activate2(op=ActFunc.Prelu, op0=MUL, op1=SUB, imm0=2.0, imm1=3.0, relu_param=0.5)
    )
    assert made.attrs["is_activate2"] is True
    assert (made.attrs["scale"], made.attrs["alpha"]) == (1.0, 0.0)
    assert made.ins[1:] == tuple(Immediate(dt.float32, n) for n in (2.0, 3.0, 0.5))
    again = lifted(made)
    assert isinstance(again, Activate2)
    assert (again.op, again.op0, again.op1) == (ActFunc.Prelu, MUL, SUB)
    assert (again.imm0, again.imm1, again.relu_param) == (2.0, 3.0, 0.5)


@pytest.mark.parametrize(("name", "value"), [("scale", 2.0), ("alpha", 0.5)])
def test_numbers_of_activation_have_no_meaning_here(name: str, value: float):
    made = lowered(activate2())
    made.attrs[name] = value
    with pytest.raises(KeyError):
        lifted(made)


@pytest.mark.parametrize(("name", "value"), [("op0", MUL), ("op1", ADD), ("reverse0", True)])
def test_operations_have_no_meaning_in_activation(name: str, value: object):
    made = lowered(ActivationOp(tile(2, 3), ActFunc.Exp, tile(2, 3)))
    assert isinstance(lifted(made), ActivationOp)
    made.attrs[name] = value
    with pytest.raises(KeyError):
        lifted(made)
