"""What the generator promises: legal instructions of every class, with all that it can have."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opennki.base import dtypes
from opennki.ir import Inst, Space
from opennki.isa.enums import Engine
from opennki.isa.registry import BY_CLASS, INSTRUCTIONS
from opennki.target import TARGETS, target
from opennki.testing.instances import (
    Place,
    choices,
    errors,
    instance,
    instances,
    legal_classes,
)
from opennki.testing.violations import violations

NAMES = ("trn1", "trn2", "trn3")


@pytest.mark.parametrize("name", NAMES)
def test_every_class_that_a_target_has_is_drawn(name):
    t = target(name)
    assert legal_classes(t) == [c for c in INSTRUCTIONS if c.spec.since <= t.order]


def test_a_target_without_nki_has_next_to_nothing():
    assert all(c.spec.since <= TARGETS[0].order for c in legal_classes(TARGETS[0]))


def seen(cls: str, field: str, name: str = "trn3") -> set[object]:
    return {choice[field] for choice in choices(BY_CLASS[cls], target(name))}


def test_choices_cover_operators_memories_and_engines():
    operators = {op.name for op in seen("TensorTensorOp", "op")}
    assert {"add", "pow", "bitwise_xor", "logical_shift_right", "is_le", "abs_max"} <= operators
    assert "rsqrt" not in operators
    assert {p.space for p in seen("TensorCopyOp", "dst")} == {Space.sbuf, Space.psum}
    assert {p.dtype for p in seen("DMACopyOp", "src")} == set(dtypes.ALL)
    assert seen("TensorCopyOp", "engine") == {None, Engine.DVE, Engine.ACT, Engine.POOL}
    modes = {m.name for m in seen("MatMulOp", "perf_mode")}
    assert modes == {"NONE", "DOUBLE_ROW"}
    assert {c.name for c in seen("TensorScalarCacheReduce", "reduce_cmd")} == {
        "Accumulate", "ZeroAccumulate", "LoadAccumulate",
    }  # fmt: skip


def test_optional_operands_are_there_and_not():
    assert None in seen("ActivationOp", "reduce_res")
    assert any(isinstance(v, Place) for v in seen("ActivationOp", "reduce_res"))
    assert any(isinstance(v, float) and v != v for v in seen("ActivationOp", "scale"))


def test_choices_are_the_same_in_every_run():
    first = [repr(c) for c in choices(BY_CLASS["MemsetOp"], target("trn2"))]
    assert first[0] == repr(choices(BY_CLASS["MemsetOp"], target("trn2"))[0])
    assert len(first) == len(set(first))


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
@settings(max_examples=100)
def test_instances_break_no_rule(name, data):
    t = target(name)
    assert errors(data.draw(instances(t)), t) == []


def sample(cls: str, number: int = 200) -> list[Inst]:
    t, found = target("trn2"), choices(BY_CLASS[cls], target("trn2"))
    rnd = Random(0)
    return [instance(BY_CLASS[cls], rnd.choice(found), t, rnd) for _ in range(number)]


def test_views_are_windows_of_every_kind():
    views = [view for inst in sample("TensorCopyOp") for _, view in inst.views()]
    assert {v.start_partition for v in views} == {0, 32, 64, 96}
    assert {v.partitions for v in views} >= {1, 32, 33, 128}
    assert {len(v.shape) for v in views} >= {2, 3, 4}
    assert any(0 in v.strides[1:] for v in views)
    assert any(min(v.strides) < 0 for v in views)
    assert any(v.dtype != v.tensor.dtype for v in views)
    assert any(v.free_offset for v in views)


def test_what_is_written_has_no_element_twice():
    for inst in sample("TensorCopyOp"):
        assert all(n == 1 or s for s, n in inst.dst.dims)


def test_input_and_output_may_coincide():
    assert any(i.dst is i.src for i in sample("TensorCopyOp", 1000))


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
@settings(max_examples=60)
def test_every_violation_is_reported_with_its_code(name, data):
    t = target(name)
    inst = data.draw(instances(t))
    made = list(violations(inst, t))
    assert made
    for wrong in made:
        found = {p.code for p in errors(wrong.inst, wrong.target)}
        assert found & set(wrong.codes), (wrong.what, found)
