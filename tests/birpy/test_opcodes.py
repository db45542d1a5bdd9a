"""The opcode table: numbers, defaults, lookups."""

from __future__ import annotations

import pytest

from opennki.birpy import OPCODES, Instruction, attribute
from opennki.birpy.fields import BOOL, FLOAT, INT, OPTIONAL, REQUIRED, Field
from opennki.birpy.opcodes import _FIELDS, MODELLED, derived
from opennki.ir import Attribute
from opennki.isa.enums import AluOp, Engine, MatmulPerfMode, ReduceCmd
from opennki.isa.registry import OWNER


def test_numbers_are_those_of_the_enumeration():
    assert len(OPCODES) == 110
    numbers = {
        "Generic": 0, "Matmult": 8, "Memset": 10, "Pool": 20, "TensorReduce": 27, "DMACopy": 32,
        "StreamTranspose": 40, "CollectiveRecv": 50, "Iota": 61, "DMADescriptorCCE": 70,
        "BranchHint": 80, "MatchReplace": 90, "Rng": 100, "Loop": 105,
        "TongaReduceMacroSymbolic": 109,
    }  # fmt: skip
    assert {name: OPCODES[name].number for name in numbers} == numbers


def test_every_default_is_a_value_of_its_kind():
    for name in MODELLED:
        for field in OPCODES[name].fields.values():
            if field.has_default:
                assert field.kind.accepts(field.default), (name, field.key)
                wire = field.kind.encode(field.default)
                assert field.kind.decode(wire) == field.default, (name, field.key)


def test_the_thirteen_keys_of_a_matmult_are_always_written():
    written = [f.key for f in OPCODES["Matmult"].fields.values() if f.written]
    assert len(written) == 13


def test_a_missing_attribute_has_its_default():
    inst = Instruction("TensorTensor", Engine.DVE, "a", (), (), {"op": AluOp.add})
    assert attribute(inst, "op") is AluOp.add
    assert attribute(inst, "acc") is ReduceCmd.Idle
    matmult = Instruction("Matmult", Engine.PE, "b", (), (), {})
    assert attribute(matmult, "perf_mode") is MatmulPerfMode.NONE
    assert attribute(matmult, "opennki_accumulate") is None


def test_a_missing_required_or_unknown_attribute_is_an_error():
    inst = Instruction("TensorTensor", Engine.DVE, "a", (), (), {})
    for key in ("op", "no_such_key"):
        with pytest.raises(KeyError):
            attribute(inst, key)


def test_attributes_follow_from_the_class_that_owns_the_opcode():
    declared = (
        Attribute(bool, False, name="plain"),
        Attribute(int, None, required=True, name="here", bir="wire"),
        Attribute(float, None, optional=True, name="perhaps"),
        Attribute(str, "", name="elsewhere", bir=""),
    )
    assert derived(declared) == (
        Field("plain", BOOL, False), Field("wire", INT, REQUIRED),
        Field("perhaps", FLOAT, OPTIONAL),
    )  # fmt: skip
    assert OPCODES["Reciprocal"].fields == {}


def test_a_tuple_has_no_wire_form_of_its_own():
    with pytest.raises(TypeError, match="`axis`, a tuple"):
        derived([Attribute(tuple, (), name="axis")])


def test_no_row_repeats_what_the_class_says():
    for name, fields in _FIELDS.items():
        if name not in OWNER:  # branches and calls of kernels are not of the op table
            continue
        attrs = OWNER[name].spec.attrs
        if not any(a.type is tuple and a.bir != "" for a in attrs):
            assert set(fields) != set(derived(attrs)), name
