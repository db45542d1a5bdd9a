"""Numbers of instructions in BIR: which integers stay integers, by either road."""

from __future__ import annotations

import pytest

from opennki.base.dtypes import float32, int32, uint32
from opennki.birpy import Immediate, Instruction, difference
from opennki.isa.elementwise import TensorScalarPtrOp
from opennki.isa.enums import AluOp
from opennki.isa.predicate import AffSelTensorScalarOp
from opennki.klr.files import write
from opennki.target import target
from opennki.testing.programs import program_of
from opennki.testing.roads import both, kernel_of
from opennki.testing.statements import tile


def scaled(value):
    return TensorScalarPtrOp(
        dst=tile("t", 128, 4), data=tile("x", 128, 4), op0=AluOp.add, operand0=value
    )


def filled(value):
    return AffSelTensorScalarOp(
        dst=tile("t", 128, 4), pattern=((1, 4),), channel_multiplier=-1,
        on_true_tile=tile("x", 128, 4), on_false_value=value,
    )  # fmt: skip


def program(inst):
    inst.engine = inst.default_engine(target("trn3"))
    return program_of([inst], target("trn3"))


def found(module, opcode):
    body = [i for block in module.functions[0].blocks for i in block.instructions]
    return next(i for i in body if isinstance(i, Instruction) and i.opcode == opcode)


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        (3, int32),
        (-(2**31), int32),
        (2**31 - 1, int32),
        (2**31, uint32),
        (2**32 - 1, uint32),
        (3.0, float32),
        (2**32, float32),
        (-(2**31) - 1, float32),
        (-9_999_999_999, float32),
        (10**30, float32),
    ],
)
def test_integers_that_32_bits_hold_stay_integers(value, dtype):
    kind = float if dtype is float32 else int
    for inst in (scaled(value), filled(value)):
        function = program(inst)
        assert write(kernel_of(function)), "a file holds the number"
        first, second = both(function)
        assert difference(first, second) is None
    for module in both(program(scaled(value))):
        number = found(module, "TensorScalarPtr").ins[1]
        assert number == Immediate(dtype, kind(value))
        assert type(number.value) is kind
    for module in both(program(filled(value))):
        fill = found(module, "TensorScalarAffineSelect").attrs["fill_value"]
        assert (fill, type(fill)) == (kind(value), kind)
